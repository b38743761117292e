// SPDX-License-Identifier: MIT
/* Settings are added to what a variable of the environment holds; nothing of it is changed. */
#include "unit.h"

#include "../../cli/always/merge.h"

#include <stdlib.h>
#include <string.h>

static const struct merge_style tunables = {':', '='}, conf = {',', ':'};

static const struct merge_pair pairs[] = {{"m.hugetlb", "1"}, {"m.top_pad", "64"}};

static const struct {
	const char *list, *merged;
} rows[] = {
	{NULL, "m.hugetlb=1:m.top_pad=64"},
	{"", "m.hugetlb=1:m.top_pad=64"},
	{"m.check=3", "m.check=3:m.hugetlb=1:m.top_pad=64"},
	{"m.check=3:", "m.check=3:m.hugetlb=1:m.top_pad=64"},
	{"m.hugetlb=0", "m.hugetlb=0:m.top_pad=64"},
	{"m.hugetlb=", "m.hugetlb=:m.top_pad=64"},
	{"m.top_pad=1:m.hugetlb=2", "m.top_pad=1:m.hugetlb=2"},
	/* Names that only begin or end alike are others. */
	{"m.hugetlb2=1:xm.hugetlb=1", "m.hugetlb2=1:xm.hugetlb=1:m.hugetlb=1:m.top_pad=64"},
	/* What is no list stays as it is, too. */
	{"::=:m.hugetlb", "::=:m.hugetlb:m.hugetlb=1:m.top_pad=64"},
};

START_TEST(added)
{
	char *merged = merge_add(&tunables, rows[_i].list, pairs, NR(pairs));

	ck_assert_ptr_nonnull(merged);
	ck_assert_str_eq(merged, rows[_i].merged);
	free(merged);
}
END_TEST

START_TEST(other_style)
{
	const struct merge_pair thp = {"thp", "always"};
	char *merged = merge_add(&conf, "dirty_decay_ms:0,thp_x:1", &thp, 1);

	ck_assert_str_eq(merged, "dirty_decay_ms:0,thp_x:1,thp:always");
	free(merged);
	merged = merge_add(&conf, "thp:never", &thp, 1);
	ck_assert_str_eq(merged, "thp:never");
	free(merged);
}
END_TEST

START_TEST(values)
{
	char value[MERGE_VALUE_MAX], longest[500];

	ck_assert_str_eq(merge_value(&tunables, "a=1:b=2:a=3", "a", value), "3");
	ck_assert_str_eq(merge_value(&tunables, "b=2:a=", "a", value), "");
	ck_assert_str_eq(merge_value(&conf, "b:x=y,a:1", "b", value), "x=y");
	ck_assert_ptr_null(merge_value(&tunables, "ab=1:ca=2", "a", value));
	ck_assert_ptr_null(merge_value(&tunables, "a", "a", value));
	ck_assert_ptr_null(merge_value(&tunables, "", "a", value));
	ck_assert_ptr_null(merge_value(&tunables, NULL, "a", value));
	memset(longest, 'x', sizeof(longest) - 1);
	memcpy(longest, "a=", 2);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_uint_eq(strlen(merge_value(&tunables, longest, "a", value)), sizeof(value) - 1);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("merge");

	unit_add_rows(suite, added, NR(rows));
	unit_add(suite, other_style);
	unit_add(suite, values);
	return suite;
}
