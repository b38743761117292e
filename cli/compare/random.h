/* SPDX-License-Identifier: MIT */
/*
 * Reproducible random numbers: the same seed gives the same order of runs and the same intervals,
 * on every machine and after a resume.
 */
#ifndef CLI_COMPARE_RANDOM_H
#define CLI_COMPARE_RANDOM_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014): one word of state, any seed is good. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A number below limit, which is small against 2^32: the bias is below limit / 2^32. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((random_next(state) >> 32) * limit >> 32);
}

#endif /* CLI_COMPARE_RANDOM_H */
