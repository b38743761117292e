/* SPDX-License-Identifier: MIT */
/*
 * Who comes into a control group after its start. A move is a write(2) to a file of the group,
 * cgroup.procs or tasks, of which inotify(7) tells; that of the kernel itself (clone3(2) with
 * CLONE_INTO_CGROUP) is followed by an execve(2), and what is done through another mount of the
 * hierarchy is seen by the next walk.
 */
#ifndef DAEMON_MOVES_H
#define DAEMON_MOVES_H

#include "apply.h"

#define MOVES_CPUSET 1u /* hierarchies that rules ask for: the cpuset of version 1, */
#define MOVES_CGROUP 2u /* all of them */

struct moves_group;

struct moves {
	struct loop *loop;
	struct apply *apply;
	struct loop_watch watch;
	struct loop_timer timer;
	void *groups;              /* a tree by watch number */
	struct moves_group *dirty; /* whose members are to be looked at */
	size_t nr;
	bool told_full;
	/* Moves were lost: everybody may be somewhere else, and groups unwatched. May reopen. */
	void (*lost)(void *arg);
	void *arg;
};

#define MOVES_INIT                                                                                 \
	(struct moves)                                                                             \
	{                                                                                          \
		.watch.fd = -1                                                                     \
	}

/* Watches the groups of the hierarchies that are mounted here. 0 or -errno. */
int moves_open(struct moves *moves, struct loop *loop, struct apply *apply, unsigned wanted,
	       void (*lost)(void *arg), void *arg);
void moves_close(struct moves *moves);

#endif /* DAEMON_MOVES_H */
