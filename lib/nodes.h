/* SPDX-License-Identifier: MIT */
/* On which NUMA node pages are. */
#ifndef THP_NODES_H
#define THP_NODES_H

#include "pagemap.h"

struct nodes {
	int only;  /* the one node that has memory, or -1 */
	pid_t pid; /* of the process, or of a live thread of it; 0: nobody to ask */
	uint64_t page_size;
	uint64_t pmd_size;
};

void nodes_open(struct nodes *nodes, struct thp_ctx *ctx, pid_t pid, const struct pagemap *map);

/* Adds the memory of a range to counts->nodes and node_unknown. */
void nodes_count(const struct nodes *nodes, const struct range *range, struct thp_counts *counts);

/* For a captured tree, which shows how much there is but not where. */
void nodes_count_bytes(const struct nodes *nodes, uint64_t bytes, struct thp_counts *counts);

#endif /* THP_NODES_H */
