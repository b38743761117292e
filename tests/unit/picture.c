// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../cli/cause-text.h"
#include "../../cli/picture.h"

#define BLOCK (2ull << 20)
#define BASE  (1ull << 40)

static struct picture picture;

START_TEST(one_cell_is_one_block)
{
	struct thp_mapping mapping = {.start = BASE + 4096, .end = BASE + 3 * BLOCK - 4096};

	picture_begin(&picture, &mapping, BLOCK, 72);
	ck_assert_uint_eq(picture.nr, 3);
	ck_assert_uint_eq(picture.start, BASE);
	picture_add(&picture, BASE + 4096, BASE + 8192, THP_RANGE_SMALL);
	picture_add(&picture, BASE + BLOCK, BASE + 2 * BLOCK, THP_RANGE_HUGE);
	ck_assert_int_eq(picture_class(&picture, 0), PICTURE_SMALL_PART);
	ck_assert_int_eq(picture_class(&picture, 1), PICTURE_HUGE);
	ck_assert_int_eq(picture_class(&picture, 2), PICTURE_NONE);
}
END_TEST

START_TEST(many_blocks)
{
	struct thp_mapping mapping = {.start = BASE + BLOCK, .end = BASE + 1000 * BLOCK};

	picture_begin(&picture, &mapping, BLOCK, 72);
	ck_assert_uint_le(picture.nr, 72);
	ck_assert_uint_gt(picture.nr, 36);
	ck_assert_uint_eq(picture.cell, 16 * BLOCK);
	picture_add(&picture, BASE + BLOCK, BASE + 17 * BLOCK, THP_RANGE_HUGE);
	picture_add(&picture, BASE + 17 * BLOCK, BASE + 64 * BLOCK, THP_RANGE_SMALL);
	picture_add(&picture, BASE + 999 * BLOCK, BASE + 1000 * BLOCK, THP_RANGE_SWAPPED);
	ck_assert_int_eq(picture_class(&picture, 0), PICTURE_HUGE_PART);
	ck_assert_int_eq(picture_class(&picture, 1), PICTURE_HUGE_PART);
	ck_assert_int_eq(picture_class(&picture, 2), PICTURE_SMALL);
	ck_assert_int_eq(picture_class(&picture, picture.nr - 1), PICTURE_SWAPPED);
}
END_TEST

/* The mapping shrank or grew between two reads: what is outside is left out. */
START_TEST(beyond)
{
	struct thp_mapping mapping = {.start = BASE, .end = BASE + BLOCK};

	picture_begin(&picture, &mapping, BLOCK, 72);
	picture_add(&picture, BASE, BASE + 5 * BLOCK, THP_RANGE_HUGE);
	ck_assert_uint_eq(picture.nr, 1);
	ck_assert_int_eq(picture_class(&picture, 0), PICTURE_HUGE);
}
END_TEST

START_TEST(all_of_user_memory)
{
	struct thp_mapping mapping = {.start = 0, .end = 1ull << 56};

	picture_begin(&picture, &mapping, BLOCK, 256);
	ck_assert_uint_eq(picture.nr, 256);
}
END_TEST

START_TEST(order_of_causes)
{
	enum thp_cause causes[THP_CAUSES];
	struct thp_why why = {.causes = {
				      [THP_CAUSE_EDGE] = {10, 5},
				      [THP_CAUSE_SPLIT] = {8, 8},
				      [THP_CAUSE_UNTOUCHED] = {99, 0},
				      [THP_CAUSE_LATE] = {20, 5},
			      }};

	ck_assert_uint_eq(cause_order(&why, causes), 4);
	ck_assert_int_eq(causes[0], THP_CAUSE_SPLIT);
	ck_assert_int_eq(causes[1], THP_CAUSE_LATE);
	ck_assert_int_eq(causes[2], THP_CAUSE_EDGE);
	ck_assert_int_eq(causes[3], THP_CAUSE_UNTOUCHED);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("picture");

	unit_add(suite, one_cell_is_one_block);
	unit_add(suite, many_blocks);
	unit_add(suite, beyond);
	unit_add(suite, all_of_user_memory);
	unit_add(suite, order_of_causes);
	return suite;
}
