/* SPDX-License-Identifier: MIT */
/*
 * Prints how many thousand times a second this machine's time stamp counter counts. QEMU's software
 * emulation hands the host's counter to the guest, and a guest that has to find the frequency by
 * itself, on a busy host, can be wrong by a factor of four.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define SPAN_NS 200000000LL

/* Both clocks at one moment: of many tries, the one in which nothing came between. */
static void read_both(int64_t *ret_ns, uint64_t *ret_ticks)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t before = __rdtsc(), after;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		*ret_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
		*ret_ticks = before + (after - before) / 2;
	}
}

int main(void)
{
	const struct timespec span = {.tv_nsec = SPAN_NS};
	uint64_t first_ticks = 0, last_ticks = 0;
	int64_t first_ns = 0, last_ns = 0;

	read_both(&first_ns, &first_ticks);
	nanosleep(&span, NULL);
	read_both(&last_ns, &last_ticks);
	printf("%.0f\n", (double)(last_ticks - first_ticks) * 1e6 / (double)(last_ns - first_ns));
	return 0;
}
