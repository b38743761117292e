// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../lib/parse.h"

#include <errno.h>

START_TEST(counter)
{
	uint64_t value = 7;

	ck_assert_int_eq(parse_vmstat_line("thp_fault_alloc 27555", "thp_fault_alloc", &value), 1);
	ck_assert_uint_eq(value, 27555);
	/* A name that only begins like it is another counter. */
	ck_assert_int_eq(parse_vmstat_line("thp_fault_alloc_x 1", "thp_fault_alloc", &value), 0);
	ck_assert_int_eq(parse_vmstat_line("thp_fault 1", "thp_fault_alloc", &value), 0);
	ck_assert_int_eq(parse_vmstat_line("", "thp_fault_alloc", &value), 0);
	ck_assert_int_eq(parse_vmstat_line("thp_fault_alloc x", "thp_fault_alloc", &value),
			 -EBADMSG);
	ck_assert_uint_eq(value, 27555);
}
END_TEST

START_TEST(zone)
{
	struct parse_buddy buddy;

	ck_assert_int_eq(parse_buddy_line("Node 12, zone   Normal    528    289      0      0     "
					  " 0      0      0      0      0      1    249 ",
					  &buddy),
			 0);
	ck_assert_uint_eq(buddy.node, 12);
	ck_assert_uint_eq(buddy.nr_orders, 11);
	ck_assert_uint_eq(buddy.blocks[0], 528);
	ck_assert_uint_eq(buddy.blocks[9], 1);
	ck_assert_uint_eq(buddy.blocks[10], 249);
}
END_TEST

static const char *const wrong[] = {
	"",
	"Node",
	"Node x, zone Normal 1",
	"Node 0, Normal 1 2",
	"Node 0, zone",
	"Node 0, zone Normal",
	"Node 0, zone Normal x",
	"Node 0, zone Normal 1 x",
	"Node 4294967296, zone Normal 1",
};

START_TEST(wrong_zone)
{
	struct parse_buddy buddy;

	ck_assert_msg(parse_buddy_line(wrong[_i], &buddy) == -EBADMSG, "\"%s\"", wrong[_i]);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("parse-activity");

	unit_add(suite, counter);
	unit_add(suite, zone);
	unit_add_rows(suite, wrong_zone, NR(wrong));
	return suite;
}
