/* SPDX-License-Identifier: MIT */
/*
 * The kernel's process events (proc connector), as hints: what is done rests on what /proc says.
 *
 * Two sockets. What asks for an answer at once - a program was executed, a process changed its user
 * or its name - wakes us up at once. Forks come to the other, which is read when one of the former
 * comes, so that all are seen in their order, or else a few times a second: so they cost little.
 * Filters in the kernel keep from us what is not wanted: all threads, and all ends.
 */
#ifndef DAEMON_CATCH_PROC_H
#define DAEMON_CATCH_PROC_H

#include "loop.h"

#include <sys/types.h>

/* Which of the events that ask for an answer are wanted beside executions. */
#define CATCH_USER 1u /* setuid(2), setgid(2) */
#define CATCH_NAME 2u /* prctl(PR_SET_NAME) */

struct catch_proc_calls {
	/* A process executed something, or changed as was asked for; at: when, nanoseconds. */
	void (*changed)(void *arg, pid_t pid, uint64_t at, bool executed);
	void (*forked)(void *arg, pid_t parent, pid_t child, uint64_t at);
	/* Events were lost: everything may be different now. */
	void (*lost)(void *arg);
	void *arg;
};

struct catch_proc_batch;

struct catch_proc {
	struct loop *loop;
	struct catch_proc_calls calls;
	struct loop_watch urgent;
	struct loop_watch calm;
	struct loop_timer later;
	struct catch_proc_batch *batch; /* where messages are received */
	uint64_t seen;                  /* events, those of the calm socket included */
	uint64_t overflows;
};

#define CATCH_PROC_INIT                                                                            \
	(struct catch_proc)                                                                        \
	{                                                                                          \
		.urgent.fd = -1, .calm.fd = -1                                                     \
	}

/*
 * Begins to listen, with room for buffer bytes of events in the kernel. -EPERM: needs
 * CAP_NET_ADMIN, -EOPNOTSUPP: the kernel has none, or not for this PID or user namespace.
 */
int catch_proc_open(struct catch_proc *proc, struct loop *loop, unsigned wanted, size_t buffer,
		    const struct catch_proc_calls *calls);
void catch_proc_close(struct catch_proc *proc);

/* Tells at once what forks are known, so that who goes on has news of them. */
void catch_proc_drain(struct catch_proc *proc);

/* Changes which events are wanted. 0 or -errno. */
int catch_proc_want(struct catch_proc *proc, unsigned wanted);

#endif /* DAEMON_CATCH_PROC_H */
