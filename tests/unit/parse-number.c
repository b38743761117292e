// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../lib/parse.h"

#include <errno.h>
#include <inttypes.h>

START_TEST(accepts)
{
	static const struct {
		const char *text, *rest;
		uint64_t value;
	} rows[] = {
		{"0", "", 0},
		{"7\n", "\n", 7},
		{"  \t 12 kB", " kB", 12},
		{"007x", "x", 7},
		{"18446744073709551615", "", UINT64_MAX},
		{"18446744073709551615 ", " ", UINT64_MAX},
	};

	for (size_t i = 0; i < NR(rows); i++) {
		const char *end = NULL;
		uint64_t value = 99;

		ck_assert_int_eq(parse_u64(rows[i].text, &value, &end), 0);
		ck_assert_uint_eq(value, rows[i].value);
		ck_assert_str_eq(end, rows[i].rest);
		ck_assert_int_eq(parse_u64(rows[i].text, &value, NULL), 0);
	}
}
END_TEST

START_TEST(refuses)
{
	static const struct {
		const char *text;
		int err;
	} rows[] = {
		{"", -EBADMSG},
		{" ", -EBADMSG},
		{"-1", -EBADMSG},
		{"+1", -EBADMSG},
		{"x1", -EBADMSG},
		{"\n1", -EBADMSG},
		{"\xff", -EBADMSG},
		{"18446744073709551616", -ERANGE},
		{"99999999999999999999", -ERANGE},
		{"184467440737095516150", -ERANGE},
	};

	for (size_t i = 0; i < NR(rows); i++) {
		const char *end = "untouched";
		uint64_t value = 99;

		ck_assert_msg(parse_u64(rows[i].text, &value, &end) == rows[i].err, "\"%s\"",
			      rows[i].text);
		ck_assert_uint_eq(value, 99);
		ck_assert_str_eq(end, "untouched");
	}
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("parse-number");

	unit_add(suite, accepts);
	unit_add(suite, refuses);
	return suite;
}
