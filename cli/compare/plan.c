// SPDX-License-Identifier: MIT
#include "plan.h"

#include "random.h"

void plan_order(uint64_t seed, size_t program, size_t round, size_t nr_arms, size_t *ret_order)
{
	uint64_t state = seed;

	/* Hashed one into the other: neighbours in program or round share nothing. */
	state = random_next(&state) ^ program;
	state = random_next(&state) ^ round;
	for (size_t i = 0; i < nr_arms; i++)
		ret_order[i] = i;
	for (size_t i = nr_arms; i > 1; i--) {
		size_t j = random_below(&state, (uint32_t)i), kept = ret_order[i - 1];

		ret_order[i - 1] = ret_order[j];
		ret_order[j] = kept;
	}
}
