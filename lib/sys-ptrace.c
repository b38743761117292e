// SPDX-License-Identifier: MIT
#include "sys-ptrace.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* <linux/ptrace.h>, which cannot be included beside <sys/ptrace.h>, nor is there with every libc.
 */
#define PTRACE_POKEDATA               5
#define PTRACE_CONT                   7
#define PTRACE_GETREGS                12
#define PTRACE_SETREGS                13
#define PTRACE_DETACH                 17
#define PTRACE_SYSCALL                24
#define PTRACE_SETOPTIONS             0x4200
#define PTRACE_GETREGSET              0x4204
#define PTRACE_SETREGSET              0x4205
#define PTRACE_SEIZE                  0x4206 /* Linux 3.4 */
#define PTRACE_INTERRUPT              0x4207
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f /* Linux 5.13 */
#define PTRACE_O_TRACESYSGOOD         0x1ul
#define PTRACE_O_SUSPEND_SECCOMP      (1ul << 21)
#define PTRACE_EVENT_STOP             128
#define NT_PRSTATUS                   1
#define KCMP_VM                       1 /* <linux/kcmp.h>, Linux 3.5 */

#ifndef __WALL
#define __WALL 0x40000000
#endif

struct rseq_configuration {
	uint64_t area;
	uint32_t size;
	uint32_t signature;
	uint32_t flags;
	uint32_t pad;
};

/* Not ptrace(3): libraries differ in its arguments and in what -1 means. */
static int call(long request, pid_t tid, unsigned long address, unsigned long data)
{
	long r = syscall(SYS_ptrace, request, (long)tid, address, data);

	return r < 0 ? -errno : (int)r;
}

int sys_ptrace_seize(pid_t tid)
{
	return call(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD);
}

int sys_ptrace_suspend_seccomp(pid_t tid, bool suspend)
{
	return call(PTRACE_SETOPTIONS, tid, 0,
		    PTRACE_O_TRACESYSGOOD | (suspend ? PTRACE_O_SUSPEND_SECCOMP : 0));
}

int sys_ptrace_interrupt(pid_t tid)
{
	return call(PTRACE_INTERRUPT, tid, 0, 0);
}

int sys_ptrace_cont(pid_t tid, int sig)
{
	return call(PTRACE_CONT, tid, 0, (unsigned long)sig);
}

int sys_ptrace_syscall(pid_t tid, int sig)
{
	return call(PTRACE_SYSCALL, tid, 0, (unsigned long)sig);
}

int sys_ptrace_detach(pid_t tid, int sig)
{
	return call(PTRACE_DETACH, tid, 0, (unsigned long)sig);
}

/*
 * On x86 PTRACE_GETREGS speaks the tracer's own layout, for 32-bit threads too, where
 * PTRACE_GETREGSET speaks the thread's. Other architectures have the latter only.
 */
#ifdef __x86_64__
int sys_ptrace_get_regs(pid_t tid, void *regs, size_t size)
{
	(void)size;
	return call(PTRACE_GETREGS, tid, 0, (unsigned long)regs);
}

int sys_ptrace_set_regs(pid_t tid, const void *regs, size_t size)
{
	(void)size;
	return call(PTRACE_SETREGS, tid, 0, (unsigned long)regs);
}
#else
int sys_ptrace_get_regs(pid_t tid, void *regs, size_t size)
{
	struct iovec iov = {.iov_base = regs, .iov_len = size};
	int r = call(PTRACE_GETREGSET, tid, NT_PRSTATUS, (unsigned long)&iov);

	/* A 32-bit thread has fewer. */
	return r == 0 && iov.iov_len != size ? -EOPNOTSUPP : r;
}

int sys_ptrace_set_regs(pid_t tid, const void *regs, size_t size)
{
	struct iovec iov = {.iov_base = (void *)regs, .iov_len = size};

	return call(PTRACE_SETREGSET, tid, NT_PRSTATUS, (unsigned long)&iov);
}
#endif

int sys_ptrace_rseq(pid_t tid, uint64_t *ret_area)
{
	struct rseq_configuration rseq = {0};
	int r = call(PTRACE_GET_RSEQ_CONFIGURATION, tid, sizeof(rseq), (unsigned long)&rseq);

	if (r < 0)
		return r == -EIO || r == -EINVAL ? -EOPNOTSUPP : r;
	*ret_area = rseq.area;
	return 0;
}

int sys_ptrace_poke(pid_t tid, uint64_t address, const void *data, size_t size)
{
	const char *bytes = data;

	for (size_t i = 0; i < size; i += sizeof(long)) {
		unsigned long word;
		int r;

		memcpy(&word, bytes + i, sizeof(word));
		r = call(PTRACE_POKEDATA, tid, (unsigned long)address + i, word);
		if (r < 0)
			return r;
	}
	return 0;
}

uint64_t sys_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* si_status is the signal, with the event above it. */
static enum sys_stop stop_of(int status, int *ret_signal)
{
	*ret_signal = status & 0xff;
	if (status >> 8 == PTRACE_EVENT_STOP)
		return SYS_STOP_TRAP;
	return status == (SIGTRAP | 0x80) ? SYS_STOP_SYSCALL : SYS_STOP_SIGNAL;
}

/*
 * WNOWAIT: to collect a stop for a signal is to take the signal out of the kernel's hands. If the
 * tracer were killed then, before it passes the signal on, that would be lost.
 */
int sys_ptrace_wait(pid_t tid, uint64_t deadline, enum sys_stop *ret_stop, int *ret_signal)
{
	const int what = WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		siginfo_t info = {0};
		struct timespec left;
		uint64_t now;

		if (waitid(P_PID, (id_t)tid, &info, what) < 0)
			return errno == ECHILD ? -ESRCH : -errno;
		if (info.si_pid == tid) {
			if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
				return -ESRCH;
			*ret_stop = stop_of(info.si_status, ret_signal);
			return 0;
		}
		now = sys_now();
		if (now >= deadline)
			return -ETIMEDOUT;
		left.tv_sec = (time_t)((deadline - now) / 1000000000u);
		left.tv_nsec = (long)((deadline - now) % 1000000000u);
		sigtimedwait(&child, NULL, &left); /* each stop raises SIGCHLD */
	}
}

ssize_t sys_vm_read(pid_t pid, uint64_t address, void *ret, size_t size)
{
	struct iovec local = {.iov_base = ret, .iov_len = size};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return n < 0 ? -errno : n;
}

int sys_same_vm(pid_t one, pid_t other)
{
	long r = syscall(SYS_kcmp, (long)one, (long)other, (long)KCMP_VM, 0ul, 0ul);

	return r < 0 ? -errno : r == 0;
}
