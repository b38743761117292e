// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../cli/compare/plan.h"

#include <stdbool.h>
#include <string.h>

START_TEST(each_arm_once)
{
	for (size_t nr = 2; nr <= 8; nr++) {
		for (size_t round = 0; round < 40; round++) {
			unsigned seen = 0;
			size_t order[8];

			plan_order(11, 3, round, nr, order);
			for (size_t i = 0; i < nr; i++) {
				ck_assert_uint_lt(order[i], nr);
				seen |= 1u << order[i];
			}
			ck_assert_uint_eq(seen, (1u << nr) - 1);
		}
	}
}
END_TEST

START_TEST(repeats)
{
	size_t a[3], b[3];

	for (size_t round = 0; round < 100; round++) {
		plan_order(5, 1, round, 3, a);
		plan_order(5, 1, round, 3, b);
		ck_assert_mem_eq(a, b, sizeof(a));
	}
}
END_TEST

/*
 * Which arm of two begins a round is a fair coin, over rounds, programs and seeds alike: of 1000
 * heads between 400 and 600 (6 standard deviations).
 */
START_TEST(fair)
{
	unsigned by_round = 0, by_program = 0, by_seed = 0, changes = 0;
	size_t order[2], last = 0;

	for (size_t i = 0; i < 1000; i++) {
		plan_order(9, 0, i, 2, order);
		by_round += (unsigned)order[0];
		changes += order[0] != last;
		last = order[0];
		plan_order(9, i, 0, 2, order);
		by_program += (unsigned)order[0];
		plan_order(i, 0, 0, 2, order);
		by_seed += (unsigned)order[0];
	}
	ck_assert(by_round > 400 && by_round < 600);
	ck_assert(by_program > 400 && by_program < 600);
	ck_assert(by_seed > 400 && by_seed < 600);
	ck_assert(changes > 400 && changes < 600);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("compare-plan");

	unit_add(suite, each_arm_once);
	unit_add(suite, repeats);
	unit_add(suite, fair);
	return suite;
}
