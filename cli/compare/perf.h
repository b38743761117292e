/* SPDX-License-Identifier: MIT */
/* Counters of a process tree by perf_event_open(2), where the machine and its rules allow. */
#ifndef CLI_COMPARE_PERF_H
#define CLI_COMPARE_PERF_H

#include "measure.h"

#include <sys/types.h>

#define NR_PERF (MEASURE_IPC - MEASURE_PERF)

struct perf {
	int fds[NR_PERF]; /* -1: not to be had */
};

/* Opens what there is for a process that has yet to call execve(2), and for its descendants. */
void perf_open(struct perf *perf, pid_t pid);

/* Writes the counts into the values of a run, NAN where there are none, and closes. */
void perf_close(struct perf *perf, double values[NR_MEASURES]);

#endif /* CLI_COMPARE_PERF_H */
