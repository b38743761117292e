/* SPDX-License-Identifier: MIT */
/* What programs did with huge pages off and on, as it was counted. */
#ifndef CLI_PREDICT_COUNTS_H
#define CLI_PREDICT_COUNTS_H

#include "host.h"

/*
 * Of all threads together. Each count is a range: samples have an error, and what was fetched from
 * an unknown node may have come from any.
 */
struct counts {
	struct range accesses;
	struct range lines[HOPS_MAX]; /* fetched from memory at each distance */
	struct range busiest;         /* of these, from the node that gave most */
	struct range walks_small, walks_huge, walks_any;
	struct range faults_small, faults_huge, faults_any;
	bool busiest_known, faults_known;
};

struct program {
	char *name;
	struct counts off, on;
};

struct counted {
	char *origin;
	unsigned nodes, threads_per_node;
	unsigned tlb_4k, tlb_2m; /* entries of the TLB that was simulated; 0: a real one */
	struct program *programs;
	size_t nr_programs;
};

/*
 * Reads the JSON that lab/numa and lab/workloads write, for a machine of as many nodes. 0, or
 * -errno after a message.
 */
int counts_read(const char *path, const struct host *host, struct counted *ret_counted);

/* The same from what perf script printed of two runs: samples.c. */
int samples_read(const char *off_path, const char *on_path, const struct host *host,
		 struct counted *ret_counted);

void counts_free(struct counted *counted);

/* Share of the lines that came from other nodes, in %; NAN if there were none. */
double counts_remote_percent(const struct counts *counts);

#endif /* CLI_PREDICT_COUNTS_H */
