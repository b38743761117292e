/* SPDX-License-Identifier: MIT */
/* The order of runs. Pure. */
#ifndef CLI_COMPARE_PLAN_H
#define CLI_COMPARE_PLAN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes the order in which one program's arms run in a round (from 0): each arm once. Rounds come
 * in pairs, a random order and its reverse (AB, BA), so that over a pair no arm runs earlier than
 * another: what changes steadily on the machine cancels out, and what comes with a period finds no
 * period here. Depends on its arguments alone: a resumed comparison goes on as planned.
 */
void plan_order(uint64_t seed, size_t program, size_t round, size_t nr_arms, size_t *ret_order);

#endif /* CLI_COMPARE_PLAN_H */
