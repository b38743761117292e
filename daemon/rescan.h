/* SPDX-License-Identifier: MIT */
/* A walk through /proc, a few processes at a time between other work. */
#ifndef DAEMON_RESCAN_H
#define DAEMON_RESCAN_H

#include "apply.h"

#include <dirent.h>

struct rescan {
	struct loop *loop;
	struct apply *apply;
	DIR *proc;              /* NULL: no walk is under way */
	enum why why;           /* of the walk under way */
	enum why next;          /* of the one that is wanted behind it, WHYS: none */
	uint64_t every;         /* nanoseconds between two walks, 0: none without cause */
	void (*end)(void *arg); /* a walk is over */
	void *arg;
	struct loop_timer timer;
};

void rescan_open(struct rescan *rescan, struct loop *loop, struct apply *apply, uint64_t every,
		 void (*end)(void *arg), void *arg);
void rescan_close(struct rescan *rescan);

/* Wants a walk, now or behind the one under way. WHY_LOST counts more than WHY_WALK. */
void rescan_want(struct rescan *rescan, enum why why);

#endif /* DAEMON_RESCAN_H */
