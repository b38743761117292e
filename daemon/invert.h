/* SPDX-License-Identifier: MIT */
/*
 * The inversion, "[system] default = madvise": the system says always, and every process but those
 * that rules name has the mode madvise. So "always" is true for these, whatever they are, at no
 * cost. With manage-sysfs = yes it is thpd that makes the system say so: the only place of this
 * project that writes below /sys. What it found it writes down first, and puts back in the end.
 */
#ifndef DAEMON_INVERT_H
#define DAEMON_INVERT_H

#include "apply.h"

enum invert_phase {
	INVERT_OFF,
	INVERT_FLAGGING, /* processes get their mode; the system says what it said */
	INVERT_ON,
	INVERT_LEAVING, /* the system says again what it said; processes get back their mode */
};

struct invert {
	struct apply *apply;
	const char *state_path;
	enum invert_phase phase;
	enum thp_setting found; /* what the system said before */
	bool wrote;             /* thpd has changed it */
	bool manages;           /* it may */
	int rule;               /* the number that stands for all others */
	uint64_t applied;       /* at the end of the last walk */
};

/* Whether rules ask for it, and this kernel and system have it: 1, or 0 with the reason said. */
int invert_possible(struct thp_ctx *ctx, const struct rules *rules);

/* Begins: the next walks give everybody the mode. */
void invert_begin(struct invert *invert, struct apply *apply, const struct rules *rules,
		  const char *state_path);

/* The rules are others, and still ask for it. */
void invert_rules(struct invert *invert, const struct rules *rules);

/*
 * A walk has ended, and all that it asked for is done. Whether another one is needed before the
 * system can say always.
 */
bool invert_walked(struct invert *invert);

/* Ends: the system says again what it said, and processes are given back what they had. */
void invert_leave(struct invert *invert);

/* All is given back: nothing is left to restore. */
void invert_left(struct invert *invert);

/* Puts back what a thpd that was killed has left. An exit status. */
int invert_restore(const char *state_path);

#endif /* DAEMON_INVERT_H */
