// SPDX-License-Identifier: MIT
#include "nodes.h"

#include "parse.h"
#include "root.h"
#include "sys.h"

#define BATCH                                                                                      \
	1024 /* pages asked for at a time: bounds both memory and time under the mmap lock         \
	      */

static int find_only(struct thp_ctx *ctx)
{
	char buf[1024];
	const char *p = buf;
	uint64_t first, last, more;

	if (root_read(ctx, "sys/devices/system/node/has_memory", buf, sizeof(buf)) < 0 ||
	    parse_list_next(&p, &first, &last) != 1 || first != last || first >= THP_NODES_MAX ||
	    parse_list_next(&p, &last, &more) != 0)
		return -1;
	return (int)first;
}

void nodes_open(struct nodes *nodes, struct thp_ctx *ctx, pid_t pid, const struct pagemap *map)
{
	nodes->only = find_only(ctx);
	nodes->pid = is_live(ctx) ? pid : 0;
	nodes->page_size = map->page_size;
	nodes->pmd_size = map->pmd_size;
}

void nodes_count_bytes(const struct nodes *nodes, uint64_t bytes, struct thp_counts *counts)
{
	if (nodes->only >= 0)
		counts->nodes[nodes->only] += bytes;
	else
		counts->node_unknown += bytes;
}

static void count_batch(const struct nodes *nodes, unsigned long nr, void **pages, uint64_t weight,
			struct thp_counts *counts)
{
	int answers[BATCH];
	int r = sys_page_nodes(nodes->pid, nr, pages, answers);

	for (unsigned long i = 0; i < nr; i++) {
		/* A page that NUMA balancing protects answers by an error (seen on Linux 6.1). */
		if (r == 0 && answers[i] >= 0 && answers[i] < THP_NODES_MAX)
			counts->nodes[answers[i]] += weight;
		else
			counts->node_unknown += weight;
	}
}

void nodes_count(const struct nodes *nodes, const struct range *range, struct thp_counts *counts)
{
	bool huge = range->kind == THP_RANGE_HUGE;
	uint64_t weight = huge ? nodes->pmd_size : nodes->page_size;
	void *pages[BATCH];
	unsigned long nr = 0;

	if (nodes->only >= 0 || nodes->pid == 0) {
		nodes_count_bytes(nodes, range->end - range->start, counts);
		return;
	}
	for (uint64_t at = range->start; at < range->end; at += weight) {
		pages[nr++] = (void *)(uintptr_t)at; // NOLINT(performance-no-int-to-ptr)
		if (nr == BATCH || range->end - at <= weight) {
			count_batch(nodes, nr, pages, weight, counts);
			nr = 0;
		}
	}
}
