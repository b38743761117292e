// SPDX-License-Identifier: MIT
#include "perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE_READ_MISS(cache)                                                                     \
	((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct {
	uint32_t type;
	uint64_t config;
} events[NR_PERF] = {
	[MEASURE_CYCLES - MEASURE_PERF] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	[MEASURE_INSTRUCTIONS - MEASURE_PERF] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	[MEASURE_DTLB_MISSES -
		MEASURE_PERF] = {PERF_TYPE_HW_CACHE, CACHE_READ_MISS(PERF_COUNT_HW_CACHE_DTLB)},
	[MEASURE_NODE_MISSES -
		MEASURE_PERF] = {PERF_TYPE_HW_CACHE, CACHE_READ_MISS(PERF_COUNT_HW_CACHE_NODE)},
	[MEASURE_SWITCHES - MEASURE_PERF] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	[MEASURE_MIGRATIONS - MEASURE_PERF] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

void perf_open(struct perf *perf, pid_t pid)
{
	for (size_t i = 0; i < NR_PERF; i++) {
		struct perf_event_attr attr = {
			.type = events[i].type,
			.size = sizeof(attr),
			.config = events[i].config,
			.read_format =
				PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
			.disabled = 1,
			.inherit = 1,
			.enable_on_exec = 1,
			/* Walks are counted where they hurt, and perf_event_paranoid 2 allows it.
			 */
			.exclude_kernel = events[i].type != PERF_TYPE_SOFTWARE,
			.exclude_hv = 1,
		};

		perf->fds[i] =
			(int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
}

/* A count, scaled up for the time in which the counter served another event. */
static double count(int fd)
{
	uint64_t read_out[3]; /* value, time enabled, time running */

	if (fd < 0 || read(fd, read_out, sizeof(read_out)) != sizeof(read_out))
		return NAN;
	if (read_out[1] == 0 || read_out[2] == 0)
		return NAN; /* never on a CPU's counter */
	return (double)read_out[0] * ((double)read_out[1] / (double)read_out[2]);
}

void perf_close(struct perf *perf, double values[NR_MEASURES])
{
	for (size_t i = 0; i < NR_PERF; i++) {
		values[MEASURE_PERF + i] = count(perf->fds[i]);
		if (perf->fds[i] >= 0)
			close(perf->fds[i]);
	}
	values[MEASURE_IPC] = values[MEASURE_INSTRUCTIONS] / values[MEASURE_CYCLES];
}
