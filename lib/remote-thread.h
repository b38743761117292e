/* SPDX-License-Identifier: MIT */
/* Which thread of a process is harmed least by a stop. */
#ifndef THP_REMOTE_THREAD_H
#define THP_REMOTE_THREAD_H

#include "arch.h"

struct thread {
	pid_t pid; /* process that it belongs to: a vfork(2) child may stand in for its parent */
	pid_t tid;
	enum arch_rank rank;
	bool filtered; /* has a seccomp filter */
	struct arch_hint hint;
};

#define AVOID_MAX 8

/* What speaks for and against threads beforehand. */
struct wishes {
	pid_t prefer; /* 0 none */
	unsigned nr;  /* that did not work out */
	pid_t avoid[AVOID_MAX];
};

bool wishes_avoid(const struct wishes *wishes, pid_t tid);

/* Reads what a thread is doing. -ENOENT or -ESRCH: it is gone. */
int thread_hint(struct thp_ctx *ctx, pid_t pid, pid_t tid, struct arch_hint *ret_hint);

/*
 * Chooses a thread. The failures are those that make the process untouchable:
 * -EBUSY all threads are traced, -EPERM all that are left are under strict seccomp or hidden,
 * -ESRCH none is alive, -ETIMEDOUT none but those to avoid.
 */
int thread_choose(struct thp_ctx *ctx, pid_t pid, const struct wishes *wishes,
		  struct thread *ret_thread);

#endif /* THP_REMOTE_THREAD_H */
