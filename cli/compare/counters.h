/* SPDX-License-Identifier: MIT */
/* Counters of the whole machine in /proc/vmstat, those of NUMA among them (numastat's numbers). */
#ifndef CLI_COMPARE_COUNTERS_H
#define CLI_COMPARE_COUNTERS_H

#include "measure.h"

#define NR_VMSTAT (MEASURE_PERF - MEASURE_VMSTAT)

struct counters {
	double values[NR_VMSTAT]; /* NAN: this kernel does not count it */
};

/* Takes the values out of the text of /proc/vmstat. Pure. */
void counters_parse(const char *text, struct counters *ret_counters);

void counters_read(struct counters *ret_counters);

/* Writes what was counted between the two into the values of a run. */
void counters_since(const struct counters *before, const struct counters *after,
		    double values[NR_MEASURES]);

#endif /* CLI_COMPARE_COUNTERS_H */
