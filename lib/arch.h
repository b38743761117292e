/* SPDX-License-Identifier: MIT */
/*
 * What running a system call inside another process needs to know of an architecture. Pure:
 * registers in, registers out. One of the arch-*.h defines it all:
 *
 *   struct arch_regs         the general registers, as sys_ptrace_get_regs() gives them
 *   struct arch_net          what stands in the target while a call runs there, see remote-net.h
 *   ARCH_CALL_PRCTL          what arch_call() may run
 *
 *   arch_known(regs)         the thread runs in a mode that this code knows
 *   arch_pc(regs)            program counter
 *   arch_sp(regs)            stack pointer
 *   arch_set_pc(regs, pc)
 *   arch_settle(regs, hint)  makes registers read at a stop such that, when they are restored, the
 *                            thread goes on as if it had never been stopped: calls that give up
 *                            with EINTR at any stop are to be restarted, unless a handler runs;
 *                            whether that changed something
 *   arch_alone(regs)         the registers with which the thread goes on where the kernel's restart
 *                            logic no longer helps
 *   arch_reaches(net, pc)    a net at this address can jump back to pc
 *   arch_cast(net, at, regs) fills a net for address at, which restores regs
 *   arch_call(regs, at, args)   registers with which the thread runs prctl(args) in the net
 *   arch_at_entry(regs, at)  whether the thread stands at the entry of that call,
 *   arch_at_exit(regs, at)   or behind it,
 *   arch_result(regs)        and the call's result
 */
#ifndef THP_ARCH_H
#define THP_ARCH_H

#include "internal.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

/* A thread as /proc/PID/task/TID/syscall shows it, before it is stopped. */
struct arch_hint {
	bool blocked; /* else it runs, and nothing below is known */
	long nr;      /* system call it is blocked in, -1 none */
	uint64_t args[6];
	uint64_t sp;
	uint64_t pc;
};

/* The kernel's own errors for "restart me", <linux/errno.h>; user space never sees them. */
#define ERESTARTSYS           512
#define ERESTARTNOINTR        513
#define ERESTARTNOHAND        514
#define ERESTART_RESTARTBLOCK 516

/* Lower is better. */
enum arch_rank {
	RANK_RESTARTS =
		0, /* the kernel goes on with the call as if nothing had been, time left included */
	RANK_OTHER,  /* may have begun to move data, or has a time limit that EINTR ends */
	RANK_RUNS,   /* computes: nothing is lost, but it notices */
	RANK_MENDED, /* gives EINTR at any stop; mended, no time limit that would begin anew */
	RANK_MENDED_TIMED, /* the same, and a time limit begins anew */
	RANK_WRITES,       /* may return short */
	RANK_DEEP,         /* sleeps uninterruptibly: may not stop at all */
};

/* The flag's two calls, as prctl(2) arguments. */
#define ARCH_ARGS 5

#if defined(__x86_64__)
#include "arch-x86_64.h"
#elif defined(__aarch64__)
#include "arch-aarch64.h"
#else
#error "no system calls inside other processes on this architecture yet: write an arch-*.h"
#endif

#endif /* THP_ARCH_H */
