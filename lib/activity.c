// SPDX-License-Identifier: MIT
/* What the system does with huge pages: counters, and free memory in one piece. */
#include "lines.h"
#include "parse.h"
#include "root.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static const struct counter {
	const char *name;
	size_t offset;
	bool blocks; /* counts huge pages, and is wanted in bytes */
} counters[] = {
	{"thp_fault_alloc", offsetof(struct thp_activity, faults), false},
	{"thp_fault_fallback", offsetof(struct thp_activity, fault_fallbacks), false},
	{"thp_collapse_alloc", offsetof(struct thp_activity, collapses), false},
	{"thp_collapse_alloc_failed", offsetof(struct thp_activity, collapse_failures), false},
	{"thp_split_page", offsetof(struct thp_activity, splits), false},
	{"thp_split", offsetof(struct thp_activity, splits), false}, /* before Linux 4.5 */
	{"thp_split_pmd", offsetof(struct thp_activity, pmd_splits), false},
	{"thp_swpout", offsetof(struct thp_activity, swapouts), false},
	{"compact_stall", offsetof(struct thp_activity, compact_stalls), false},
	{"compact_fail", offsetof(struct thp_activity, compact_fails), false},
	{"compact_migrate_scanned", offsetof(struct thp_activity, compact_scanned), false},
	{"numa_miss", offsetof(struct thp_activity, numa_misses), false},
	{"numa_other", offsetof(struct thp_activity, numa_other), false},
	{"numa_pages_migrated", offsetof(struct thp_activity, numa_migrated), false},
	{"numa_hint_faults", offsetof(struct thp_activity, numa_hints), false},
	{"numa_hint_faults_local", offsetof(struct thp_activity, numa_hints_local), false},
	{"nr_anon_transparent_hugepages", offsetof(struct thp_activity, huge_anon_bytes), true},
	{"nr_shmem_pmdmapped", offsetof(struct thp_activity, huge_shmem_bytes), true},
	{"nr_file_pmdmapped", offsetof(struct thp_activity, huge_file_bytes), true},
};
#define NR_COUNTERS (sizeof(counters) / sizeof(counters[0]))

static int64_t *counter_of(struct thp_activity *activity, const struct counter *counter)
{
	return (int64_t *)((char *)activity + counter->offset);
}

static void take_counter(const char *line, uint64_t block, struct thp_activity *activity)
{
	for (size_t i = 0; i < NR_COUNTERS; i++) {
		uint64_t value;

		if (parse_vmstat_line(line, counters[i].name, &value) != 1)
			continue;
		if (counters[i].blocks && block > 0 && value < INT64_MAX / block)
			*counter_of(activity, &counters[i]) = (int64_t)(value * block);
		else if (!counters[i].blocks && value <= INT64_MAX)
			*counter_of(activity, &counters[i]) = (int64_t)value;
		return;
	}
}

static struct thp_node_free *find_node(struct thp_activity *activity, unsigned node)
{
	unsigned i = 0;

	while (i < activity->nr_nodes && activity->nodes[i].node != node)
		i++;
	if (i == THP_NODES_MAX)
		return NULL;
	if (i == activity->nr_nodes)
		activity->nodes[activity->nr_nodes++].node = node;
	return &activity->nodes[i];
}

static void take_zone(const char *line, uint64_t block, struct thp_activity *activity)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct thp_node_free *node;
	struct parse_buddy buddy;

	if (parse_buddy_line(line, &buddy) < 0)
		return;
	node = find_node(activity, buddy.node);
	for (unsigned order = 0; node && order < buddy.nr_orders; order++) {
		uint64_t bytes = buddy.blocks[order] * (page << order);

		node->free_bytes += bytes;
		if (block == 0)
			node->free_blocks = THP_BYTES_UNKNOWN;
		else if (page << order >= block)
			node->free_blocks += bytes / block;
	}
}

typedef void (*take_fn)(const char *line, uint64_t block, struct thp_activity *activity);

static int read_lines(struct thp_ctx *ctx, const char *path, take_fn take, uint64_t block,
		      struct thp_activity *activity)
{
	struct lines lines;
	char *line;
	int r = lines_open(&lines, ctx, path);

	/* Containers hide some of these; what is hidden stays unknown. */
	if (r < 0)
		return r == -ENOENT || r == -EACCES || r == -EPERM ? 0 : r;
	while ((r = lines_next(&lines, &line)) > 0)
		take(line, block, activity);
	lines_close(&lines);
	return r;
}

static int64_t read_part_mapped(struct thp_ctx *ctx, uint64_t block)
{
	char path[128], buf[64];
	uint64_t value;

	snprintf(path, sizeof(path),
		 ROOT_THP "/hugepages-%" PRIu64 "kB/stats/nr_anon_partially_mapped", block / 1024);
	if (root_read(ctx, path, buf, sizeof(buf)) < 0 || parse_u64(buf, &value, NULL) < 0 ||
	    value > INT64_MAX)
		return THP_COUNT_UNKNOWN;
	return (int64_t)value;
}

EXPORT int thp_activity_read(struct thp_ctx *ctx, struct thp_activity *ret_activity)
{
	struct thp_system system = {.size = sizeof(system)};
	struct thp_activity activity = {0};
	int r = thp_system_read(ctx, &system);

	if (r < 0)
		return r;
	for (size_t i = 0; i < NR_COUNTERS; i++)
		*counter_of(&activity, &counters[i]) = THP_COUNT_UNKNOWN;
	activity.part_mapped = read_part_mapped(ctx, system.pmd_bytes);
	r = read_lines(ctx, "proc/vmstat", take_counter, system.pmd_bytes, &activity);
	if (r == 0)
		r = read_lines(ctx, "proc/buddyinfo", take_zone, system.pmd_bytes, &activity);
	if (r < 0)
		return r;
	return copy_out(ctx, ret_activity, ret_activity->size, &activity, sizeof(activity),
			sizeof(activity));
}
