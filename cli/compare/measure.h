/* SPDX-License-Identifier: MIT */
/* What is measured of a run: one table for runner, reports and exports. */
#ifndef CLI_COMPARE_MEASURE_H
#define CLI_COMPARE_MEASURE_H

#include <stddef.h>

enum measure {
	MEASURE_WALL,
	MEASURE_USER,
	MEASURE_SYSTEM,
	MEASURE_METRIC,
	MEASURE_MINOR_FAULTS,
	MEASURE_MAJOR_FAULTS,
	MEASURE_PREEMPTED,
	MEASURE_PEAK_RSS,
	MEASURE_HUGE_PEAK,
	MEASURE_SHARE_PEAK,
	MEASURE_SHARE_MEAN,
	MEASURE_SHARE_LAST,
	MEASURE_REMOTE_SHARE,
	MEASURE_REMOTE_HINTS, /* of two counters below */
	MEASURE_ACTIVITY,     /* from here on: differences of machine-wide counters */
	MEASURE_THP_FAULT = MEASURE_ACTIVITY,
	MEASURE_THP_FALLBACK,
	MEASURE_SPLIT_PAGE,
	MEASURE_SPLIT_PMD,
	MEASURE_COLLAPSE,
	MEASURE_COLLAPSE_FAIL,
	MEASURE_COMPACT_STALL,
	MEASURE_COMPACT_FAIL,
	MEASURE_COMPACT_MIGRATE,
	MEASURE_NUMA_MISS,
	MEASURE_NUMA_OTHER,
	MEASURE_NUMA_MIGRATED,
	MEASURE_HINTS,
	MEASURE_HINTS_LOCAL,
	MEASURE_PERF, /* from here on: counters of perf_event_open(2) */
	MEASURE_CYCLES = MEASURE_PERF,
	MEASURE_INSTRUCTIONS,
	MEASURE_DTLB_MISSES,
	MEASURE_NODE_MISSES,
	MEASURE_SWITCHES,
	MEASURE_MIGRATIONS,
	MEASURE_IPC, /* of two others */
	NR_MEASURES,
};

enum unit {
	UNIT_SECONDS,
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_SHARE, /* 0 to 1 */
	UNIT_NUMBER,
};

struct measure_info {
	const char *key;   /* in exports */
	const char *title; /* for people */
	enum unit unit;
};

extern const struct measure_info measures[NR_MEASURES];

#define MEASURE_TEXT_MAX 32

/* A value for a person; "n/a" for NAN. Returns buf. */
char *measure_text(char buf[MEASURE_TEXT_MAX], enum measure measure, double value);

#endif /* CLI_COMPARE_MEASURE_H */
