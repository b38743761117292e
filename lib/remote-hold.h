/* SPDX-License-Identifier: MIT */
/*
 * Holds one thread of another process and runs prctl(2) in it. To be used inside sys_run_apart():
 * nothing here allocates memory, and the end of the task lets go of what could not be let go of.
 *
 * No signal is lost, doubled or blocked. One that arrives in the midst is delivered at once, on the
 * thread's own registers, as if nobody were there; then the call is tried again, in its handler.
 */
#ifndef THP_REMOTE_HOLD_H
#define THP_REMOTE_HOLD_H

#include "remote-net.h"
#include "remote-thread.h"
#include "sys-ptrace.h"

struct hold {
	/* From the caller */
	struct thp_ctx *ctx;
	const struct thread *thread;
	const struct nets *nets;
	int mem_fd; /* the memory that they were found in */
	/* Of hold_*() */
	struct arch_regs regs; /* the thread's own, to be restored */
	uint64_t at;           /* the net, 0 none */
	bool cast;             /* the net restores these regs */
	bool away;             /* the thread has other registers than its own */
	bool stopped;
	enum sys_stop stop; /* how */
	int sig;
	uint64_t since;
	uint64_t deadline;
};

/* Becomes the thread's tracer; it goes on running. */
int hold_seize(struct hold *hold);

/*
 * Stops the thread. -ETIMEDOUT: it did not stop, and stays seized until the end of this task.
 */
int hold_stop(struct hold *hold);

/*
 * The same for a thread that the calling task seized before, and that stands in the stop of its
 * execve(2) (PTRACE_EVENT_EXEC): it is taken before the first instruction of the new program.
 */
int hold_stop_at_exec(struct hold *hold, uint64_t patience_ns);

/* Runs prctl(args) in the stopped thread. *ret_result is the kernel's answer, -errno included. */
int hold_call(struct hold *hold, const unsigned long args[ARCH_ARGS], long *ret_result);

/* Lets the thread go on as it was. Returns how long it was held, in nanoseconds, or -errno. */
int64_t hold_release(struct hold *hold);

#endif /* THP_REMOTE_HOLD_H */
