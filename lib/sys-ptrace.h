/* SPDX-License-Identifier: MIT */
/* ptrace(2) and its waits as plain functions: the kernel's answer or -errno, no policy. */
#ifndef THP_SYS_PTRACE_H
#define THP_SYS_PTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Why a thread stopped. */
enum sys_stop {
	SYS_STOP_TRAP,    /* PTRACE_EVENT_STOP: on our request, or with its process by a signal */
	SYS_STOP_SYSCALL, /* at the entry or the exit of a system call */
	SYS_STOP_SIGNAL,  /* a signal is taken from the queue and waits for us to pass it on */
};

/* Becomes the tracer of a thread, which goes on running. */
int sys_ptrace_seize(pid_t tid);

/*
 * Puts the seccomp filter of a stopped thread to sleep, or awakes it: PTRACE_O_SUSPEND_SECCOMP
 * (Linux 4.3, CAP_SYS_ADMIN). It awakes by itself when the tracer ends.
 */
int sys_ptrace_suspend_seccomp(pid_t tid, bool suspend);

/* Asks a seized thread to stop; no signal is sent. */
int sys_ptrace_interrupt(pid_t tid);

/* Lets a stopped thread go on, with sig delivered if it is not 0. */
int sys_ptrace_cont(pid_t tid, int sig);

/* The same up to the next entry or exit of a system call. */
int sys_ptrace_syscall(pid_t tid, int sig);

/* Lets a stopped thread go on untraced, with sig delivered if it is not 0. */
int sys_ptrace_detach(pid_t tid, int sig);

/* The general registers: struct user_regs_struct. All of them are set by one call, or none. */
int sys_ptrace_get_regs(pid_t tid, void *regs, size_t size);
int sys_ptrace_set_regs(pid_t tid, const void *regs, size_t size);

/*
 * Address of the thread's struct rseq, 0 where it has none registered (Linux 5.13).
 * -EOPNOTSUPP: the kernel cannot tell.
 */
int sys_ptrace_rseq(pid_t tid, uint64_t *ret_area);

/* Writes whole words, to read-only memory too: it becomes a private copy of the process. */
int sys_ptrace_poke(pid_t tid, uint64_t address, const void *data, size_t size);

/* Time for the deadlines below, in nanoseconds. */
uint64_t sys_now(void);

/*
 * Waits for a stop of a traced thread. Blocked SIGCHLD and the default action for it are needed.
 * -ESRCH: the thread ended; -ETIMEDOUT: the deadline passed. ret_signal is set for the stops that
 * have one: SYS_STOP_SIGNAL, and SYS_STOP_TRAP where the whole process is stopped by a signal.
 */
int sys_ptrace_wait(pid_t tid, uint64_t deadline, enum sys_stop *ret_stop, int *ret_signal);

/* Reads memory of another process. The number of bytes, which may be less than size. */
ssize_t sys_vm_read(pid_t pid, uint64_t address, void *ret, size_t size);

/* Whether two tasks share their memory: 1, 0 or -errno, -ENOSYS without CONFIG_KCMP. */
int sys_same_vm(pid_t one, pid_t other);

#endif /* THP_SYS_PTRACE_H */
