/* SPDX-License-Identifier: MIT */
/* How long a program takes with huge pages, against without: a model. Pure. */
#ifndef CLI_PREDICT_MODEL_H
#define CLI_PREDICT_MODEL_H

#include "counts.h"

/* What may take most of the time. The first ones are what threads do, one after the other. */
enum term {
	TERM_ACCESS, /* in the processor and its caches */
	TERM_LOCAL,  /* lines from the own node */
	TERM_REMOTE, /* lines from others */
	TERM_WALKS,
	TERM_FAULTS,
	TERM_MEMORY, /* the memory of the busiest node */
	TERM_LINKS,  /* the ways between nodes */
	NR_TERMS,
};

struct prediction {
	struct range ratio; /* time on / time off = performance off / on */
	enum term most_off, most_on;
};

/*
 * -ENODATA: nothing in the counts takes any time.
 *
 *	time    = max(threads, memory, links)
 *	threads = (accesses x access + sum of lines_d x hop_d / overlap + walks x walk
 *		   + faults x fault) / threads counted
 *	memory  = lines of the busiest node x 64 B x k / node
 *	links   = lines from other nodes x 64 B x k / nodes / link
 *
 * k: threads of the machine for each thread that was counted. A parameter has the same value in
 * both times, whatever it is, so the ratio's range is not the quotient of the times' ranges: it is
 * taken over all corners of the box of parameters. That is exact for each pair of a sum on top and
 * a sum below (such a quotient is monotone in each parameter alone, hence largest in a corner), and
 * max(a, b) / max(c, d) lies between what the pairs' extremes give.
 */
int predict(const struct host *host, const struct counted *counted, const struct program *program,
	    struct prediction *ret_prediction);

/* The formula, in lines for people. */
extern const char model_formula[];

/* A word for what takes most. */
const char *model_term(enum term term);

#endif /* CLI_PREDICT_MODEL_H */
