/* SPDX-License-Identifier: MIT */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <time.h>

/* What a clock shows, in seconds. */
static inline double clock_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds of a clock that only goes forward. */
static inline double clock_now(void)
{
	return clock_of(CLOCK_MONOTONIC);
}

#endif /* COMMON_CLOCK_H */
