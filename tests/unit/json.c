// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../common/json.h"

#include <stdlib.h>

#define LOST "\xef\xbf\xbd" /* U+FFFD */

static const struct {
	const char *text, *value;
} rows[] = {
	{"", ""},
	{"a \"b\" \\ c", "a \"b\" \\ c"},
	{"line\nbreak\t\x1b[2J\x7f", "line\nbreak\t\x1b[2J\x7f"},
	{"\xc3\xb6\xe4\xb8\xad\xf0\x9f\x90\xa7", "\xc3\xb6\xe4\xb8\xad\xf0\x9f\x90\xa7"},
	{"\xff", LOST},
	{"a\xffz", "a" LOST "z"},
	{"\xe4\xb8", LOST LOST},
	{"\xed\xa0\x80", LOST LOST LOST},
	{"\xc0\xaf", LOST LOST},
	{"\xf4\x90\x80\x80", LOST LOST LOST LOST},
};

/* Any bytes make a JSON document that reads back as what is left of them. */
START_TEST(text)
{
	json_t *value = json_text(rows[_i].text), *back;
	char *written;

	ck_assert_ptr_nonnull(value);
	ck_assert_str_eq(json_string_value(value), rows[_i].value);
	written = json_dumps(value, JSON_ENCODE_ANY);
	ck_assert_ptr_nonnull(written);
	back = json_loads(written, JSON_DECODE_ANY, NULL);
	ck_assert_ptr_nonnull(back);
	ck_assert(json_equal(value, back));
	json_decref(back);
	free(written);
	json_decref(value);
}
END_TEST

START_TEST(bytes)
{
	json_t *zero = json_bytes(0), *most = json_bytes(INT64_MAX),
	       *unknown = json_bytes(UINT64_MAX);

	ck_assert(json_is_integer(zero));
	ck_assert_int_eq(json_integer_value(zero), 0);
	ck_assert_int_eq(json_integer_value(most), INT64_MAX);
	ck_assert(json_is_null(unknown)); /* never a number */
	json_decref(zero);
	json_decref(most);
	json_decref(unknown);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("json");

	unit_add_rows(suite, text, NR(rows));
	unit_add(suite, bytes);
	return suite;
}
