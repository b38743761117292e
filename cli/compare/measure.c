// SPDX-License-Identifier: MIT
#include "measure.h"

#include "../../common/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

const struct measure_info measures[NR_MEASURES] = {
	[MEASURE_WALL] = {"wall_s", "wall time", UNIT_SECONDS},
	[MEASURE_USER] = {"user_s", "user time", UNIT_SECONDS},
	[MEASURE_SYSTEM] = {"system_s", "system time", UNIT_SECONDS},
	[MEASURE_METRIC] = {"metric", "metric", UNIT_NUMBER},
	[MEASURE_MINOR_FAULTS] = {"minor_faults", "minor faults", UNIT_COUNT},
	[MEASURE_MAJOR_FAULTS] = {"major_faults", "major faults", UNIT_COUNT},
	[MEASURE_PREEMPTED] = {"preemptions", "preempted by others", UNIT_COUNT},
	[MEASURE_PEAK_RSS] = {"peak_rss_bytes", "peak RSS", UNIT_BYTES},
	[MEASURE_HUGE_PEAK] = {"huge_peak_bytes", "huge memory, peak", UNIT_BYTES},
	[MEASURE_SHARE_PEAK] = {"huge_share_peak", "huge share, peak", UNIT_SHARE},
	[MEASURE_SHARE_MEAN] = {"huge_share_mean", "huge share, mean", UNIT_SHARE},
	[MEASURE_SHARE_LAST] = {"huge_share_last", "huge share, last", UNIT_SHARE},
	[MEASURE_REMOTE_SHARE] = {"remote_share", "memory on remote nodes", UNIT_SHARE},
	[MEASURE_REMOTE_HINTS] = {"remote_accesses", "accesses to remote nodes", UNIT_SHARE},
	[MEASURE_THP_FAULT] = {"thp_fault_alloc", "huge faults", UNIT_COUNT},
	[MEASURE_THP_FALLBACK] = {"thp_fault_fallback", "huge faults, fallback", UNIT_COUNT},
	[MEASURE_SPLIT_PAGE] = {"thp_split_page", "huge pages split", UNIT_COUNT},
	[MEASURE_SPLIT_PMD] = {"thp_split_pmd", "huge mappings split", UNIT_COUNT},
	[MEASURE_COLLAPSE] = {"thp_collapse_alloc", "collapses, khugepaged", UNIT_COUNT},
	[MEASURE_COLLAPSE_FAIL] = {"thp_collapse_alloc_failed", "collapses, no memory", UNIT_COUNT},
	[MEASURE_COMPACT_STALL] = {"compact_stall", "compaction stalls", UNIT_COUNT},
	[MEASURE_COMPACT_FAIL] = {"compact_fail", "compaction failures", UNIT_COUNT},
	[MEASURE_COMPACT_MIGRATE] = {"compact_migrate_scanned", "compaction, pages scanned",
				     UNIT_COUNT},
	[MEASURE_NUMA_MISS] = {"numa_miss", "numastat misses", UNIT_COUNT},
	[MEASURE_NUMA_OTHER] = {"numa_other", "allocated on other node", UNIT_COUNT},
	[MEASURE_NUMA_MIGRATED] = {"numa_pages_migrated", "migrated by balancing", UNIT_COUNT},
	[MEASURE_HINTS] = {"numa_hint_faults", "accesses seen by balancing", UNIT_COUNT},
	[MEASURE_HINTS_LOCAL] = {"numa_hint_faults_local", "of them on the own node", UNIT_COUNT},
	[MEASURE_CYCLES] = {"cycles", "cycles", UNIT_COUNT},
	[MEASURE_INSTRUCTIONS] = {"instructions", "instructions", UNIT_COUNT},
	[MEASURE_DTLB_MISSES] = {"dtlb_load_misses", "dTLB load misses", UNIT_COUNT},
	[MEASURE_NODE_MISSES] = {"node_load_misses", "loads from remote nodes", UNIT_COUNT},
	[MEASURE_SWITCHES] = {"context_switches", "context switches", UNIT_COUNT},
	[MEASURE_MIGRATIONS] = {"cpu_migrations", "CPU migrations", UNIT_COUNT},
	[MEASURE_IPC] = {"ipc", "instructions per cycle", UNIT_NUMBER},
};

static char *seconds_text(char buf[MEASURE_TEXT_MAX], double value)
{
	if (value < 1e-3)
		snprintf(buf, MEASURE_TEXT_MAX, "%.0f us", value * 1e6);
	else if (value < 1)
		snprintf(buf, MEASURE_TEXT_MAX, "%.*f ms",
			 value < 0.01  ? 3
			 : value < 0.1 ? 2
				       : 1,
			 value * 1e3);
	else
		snprintf(buf, MEASURE_TEXT_MAX, "%.*f s",
			 value < 10    ? 3
			 : value < 100 ? 2
				       : 1,
			 value);
	return buf;
}

char *measure_text(char buf[MEASURE_TEXT_MAX], enum measure measure, double value)
{
	if (isnan(value)) {
		snprintf(buf, MEASURE_TEXT_MAX, "n/a");
		return buf;
	}
	switch (measures[measure].unit) {
	case UNIT_SECONDS:
		return seconds_text(buf, value);
	case UNIT_BYTES:
		return number_bytes(buf, (uint64_t)value);
	case UNIT_SHARE:
		snprintf(buf, MEASURE_TEXT_MAX, "%.1f %%", value * 100);
		return buf;
	case UNIT_COUNT:
		snprintf(buf, MEASURE_TEXT_MAX, value < 1e9 ? "%.0f" : "%.4g", value);
		return buf;
	default:
		snprintf(buf, MEASURE_TEXT_MAX, "%.6g", value);
		return buf;
	}
}
