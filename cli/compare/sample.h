/* SPDX-License-Identifier: MIT */
/* Looks at the memory of a run from outside, at a rate that its cost bounds. */
#ifndef CLI_COMPARE_SAMPLE_H
#define CLI_COMPARE_SAMPLE_H

#include "descendants.h"
#include "measure.h"

#include "thp.h"

#include <stdbool.h>
#include <stdint.h>

/* What looking at the runs of an arm has taught; zero at first. */
struct sampling {
	double expected; /* how long a run takes, seconds; 0: none was seen */
	double cost;     /* of a look, seconds */
	double credit;   /* what may be spent on looking, seconds */
	bool untimed;    /* the next run does not count: it may be looked at closely */
	uint64_t random;
};

struct sampler {
	struct thp_ctx *ctx;
	const struct pids *strangers; /* children that are none of the run's */
	struct sampling *learnt;
	bool nodes;   /* more than one: look at placement too */
	double last;  /* when the latest sample was taken; seconds since the start of the run */
	double next;  /* when one is due */
	double width; /* of the parts of the run that are looked at once each; 0: unknown length */
	unsigned parts;  /* that may be looked at */
	double resident; /* peak over the tree, bytes */
	double huge;     /* peak */
	double share;    /* peak */
	double weighted; /* sum of share x time, for the mean */
	double weight;
	double share_last;
	double last_nodes; /* when placement was seen */
	double remote;     /* sum of share x time */
	double remote_weight;
	unsigned samples; /* looks */
	unsigned seen;    /* looks that saw memory */
};

void sampler_start(struct sampler *sampler, struct thp_ctx *ctx, unsigned nodes,
		   const struct pids *strangers, struct sampling *learnt);

/* Takes a sample of all descendants of this process but strangers. now: seconds since the start of
 * the run. */
void sampler_take(struct sampler *sampler, double now);

/* Writes what was seen into the values of a run, whose wall time is there already. */
void sampler_end(const struct sampler *sampler, double values[NR_MEASURES]);

#endif /* CLI_COMPARE_SAMPLE_H */
