/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMPARE_CLOCK_H
#define CLI_COMPARE_CLOCK_H

#include <time.h>

/* Seconds of a clock that only goes forward. */
static inline double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif /* CLI_COMPARE_CLOCK_H */
