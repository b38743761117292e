/* SPDX-License-Identifier: MIT */
/* The order of runs. Pure. */
#ifndef CLI_COMPARE_PLAN_H
#define CLI_COMPARE_PLAN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes the order in which one program's arms run in a round (from 0): each arm once, AB or BA by
 * the toss of a coin that knows nothing of other rounds. That makes a pair's difference symmetric
 * where the arms do not differ, whatever drifts, bursts or repeats on the machine; a fixed
 * alternation does not: of ABBA the two in the middle share a burst. Depends on its arguments
 * alone: a resumed comparison goes on as planned.
 */
void plan_order(uint64_t seed, size_t program, size_t round, size_t nr_arms, size_t *ret_order);

#endif /* CLI_COMPARE_PLAN_H */
