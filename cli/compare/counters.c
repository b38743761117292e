// SPDX-License-Identifier: MIT
#include "counters.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define HINTS_LEAST 20 /* of a huge page one fault stands for all of it: there are few */
#define NR_COUNTERS (MEASURE_PERF - MEASURE_ACTIVITY)

static const size_t offsets[NR_COUNTERS] = {
	[MEASURE_THP_FAULT - MEASURE_ACTIVITY] = offsetof(struct thp_activity, faults),
	[MEASURE_THP_FALLBACK - MEASURE_ACTIVITY] = offsetof(struct thp_activity, fault_fallbacks),
	[MEASURE_SPLIT_PAGE - MEASURE_ACTIVITY] = offsetof(struct thp_activity, splits),
	[MEASURE_SPLIT_PMD - MEASURE_ACTIVITY] = offsetof(struct thp_activity, pmd_splits),
	[MEASURE_COLLAPSE - MEASURE_ACTIVITY] = offsetof(struct thp_activity, collapses),
	[MEASURE_COLLAPSE_FAIL - MEASURE_ACTIVITY] =
		offsetof(struct thp_activity, collapse_failures),
	[MEASURE_COMPACT_STALL - MEASURE_ACTIVITY] = offsetof(struct thp_activity, compact_stalls),
	[MEASURE_COMPACT_FAIL - MEASURE_ACTIVITY] = offsetof(struct thp_activity, compact_fails),
	[MEASURE_COMPACT_MIGRATE - MEASURE_ACTIVITY] =
		offsetof(struct thp_activity, compact_scanned),
	[MEASURE_NUMA_MISS - MEASURE_ACTIVITY] = offsetof(struct thp_activity, numa_misses),
	[MEASURE_NUMA_OTHER - MEASURE_ACTIVITY] = offsetof(struct thp_activity, numa_other),
	[MEASURE_NUMA_MIGRATED - MEASURE_ACTIVITY] = offsetof(struct thp_activity, numa_migrated),
	[MEASURE_HINTS - MEASURE_ACTIVITY] = offsetof(struct thp_activity, numa_hints),
	[MEASURE_HINTS_LOCAL - MEASURE_ACTIVITY] = offsetof(struct thp_activity, numa_hints_local),
};

static int64_t value(const struct thp_activity *counters, size_t i)
{
	int64_t read;

	memcpy(&read, (const char *)counters + offsets[i], sizeof(read));
	return read;
}

void counters_read(struct thp_ctx *ctx, struct thp_activity *ret_counters)
{
	memset(ret_counters, 0, sizeof(*ret_counters));
	ret_counters->size = sizeof(*ret_counters);
	if (thp_activity_read(ctx, ret_counters) == 0)
		return;
	for (size_t i = 0; i < NR_COUNTERS; i++)
		memcpy((char *)ret_counters + offsets[i], &(int64_t){THP_COUNT_UNKNOWN},
		       sizeof(int64_t));
}

void counters_since(const struct thp_activity *before, const struct thp_activity *after,
		    double values[NR_MEASURES])
{
	for (size_t i = 0; i < NR_COUNTERS; i++) {
		bool known = value(before, i) != THP_COUNT_UNKNOWN &&
			     value(after, i) != THP_COUNT_UNKNOWN;

		values[MEASURE_ACTIVITY + i] =
			known ? (double)(value(after, i) - value(before, i)) : NAN;
	}
	/* Of few samples it is no share. */
	values[MEASURE_REMOTE_HINTS] =
		values[MEASURE_HINTS] >= HINTS_LEAST
			? 1 - values[MEASURE_HINTS_LOCAL] / values[MEASURE_HINTS]
			: NAN;
}
