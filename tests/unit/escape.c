// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../common/escape.h"

#include <string.h>

static const struct {
	const char *text, *shown;
} rows[] = {
	{"", ""},
	{"plain text (1) ~", "plain text (1) ~"},
	{"back\\slash", "back\\\\slash"},
	{"a\nb\tc", "a\\nb\\tc"},
	{"\r\v\x07\x08", "\\x0d\\x0b\\x07\\x08"},
	{"\x1b[2J", "\\x1b[2J"},
	{"\x7f", "\\x7f"},
	/* What is printable in UTF-8 stays: German, Greek, Chinese, an emoji. */
	{"gr\xc3\xb6\xc3\x9f"
	 "er",
	 "gr\xc3\xb6\xc3\x9f"
	 "er"},
	{"\xce\xb1\xe4\xb8\xad\xf0\x9f\x90\xa7", "\xce\xb1\xe4\xb8\xad\xf0\x9f\x90\xa7"},
	{"\xc2\xa0", "\xc2\xa0"},                 /* U+00A0, the first behind C1 */
	{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"}, /* U+10FFFF */
	/* C1 controls: U+009B is a CSI to some terminals. */
	{"\xc2\x9b"
	 "2J",
	 "\\xc2\\x9b2J"},
	{"\xc2\x80\xc2\x9f", "\\xc2\\x80\\xc2\\x9f"},
	{"\x9b", "\\x9b"},
	/* Bidirectional controls would show another order than there is. */
	// NOLINTNEXTLINE(misc-misleading-bidirectional)
	{"\xe2\x80\xae"
	 "gpj.exe",
	 "\\xe2\\x80\\xaegpj.exe"}, /* U+202E */
	{"\xe2\x80\x8e\xe2\x80\x8f", "\\xe2\\x80\\x8e\\xe2\\x80\\x8f"},
	{"\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9"},
	{"\xd8\x9c", "\\xd8\\x9c"},                                     /* U+061C */
	{"\xe2\x80\xa8\xe2\x80\xa9", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9"}, /* line separators */
	/* No UTF-8: overlong, surrogate, too large, cut, stray. */
	{"\xc0\xaf", "\\xc0\\xaf"},
	{"\xc1\xbf", "\\xc1\\xbf"},
	{"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
	{"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"},
	{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
	{"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
	{"\xc3", "\\xc3"},
	{"\xe4\xb8", "\\xe4\\xb8"},
	{"\xe4\xb8x", "\\xe4\\xb8x"},
	{"\xf0\x9f\x90", "\\xf0\\x9f\\x90"},
	{"\x80\xbf\xfe\xff", "\\x80\\xbf\\xfe\\xff"},
};

START_TEST(every_row)
{
	char buf[256];

	ck_assert_str_eq(escape_text(buf, sizeof(buf), rows[_i].text), rows[_i].shown);
}
END_TEST

/* In too little room whole pieces are left out, and the byte behind the buffer stays. */
START_TEST(cut)
{
	static const char text[] = "a\x1b\n\xc3\xb6z", whole_form[] = "a\\x1b\\n\xc3\xb6z";
	static const size_t ends[] = {0, 1, 5, 7, 9, 10}; /* lengths of whole pieces */

	for (size_t size = 1; size <= sizeof(whole_form); size++) {
		char buf[sizeof(whole_form) + 1];
		size_t len, whole = 0;

		memset(buf, '#', sizeof(buf));
		escape_text(buf, size, text);
		len = strlen(buf);
		ck_assert_uint_lt(len, size);
		ck_assert_mem_eq(buf, whole_form, len);
		ck_assert_int_eq(buf[size], '#');
		for (size_t i = 0; i < NR(ends); i++)
			whole = ends[i] < size ? ends[i] : whole;
		ck_assert_uint_eq(len, whole);
	}
}
END_TEST

/* Every single byte, alone, gives nothing that a terminal would act upon. */
START_TEST(every_byte)
{
	for (int c = 1; c < 256; c++) {
		const char one[] = {(char)c, '\0'};
		char buf[ESCAPED_MAX(1)];

		escape_text(buf, sizeof(buf), one);
		ck_assert_uint_gt(strlen(buf), 0);
		for (const char *p = buf; *p; p++)
			ck_assert(*p >= 0x20 && *p < 0x7f);
	}
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("escape");

	unit_add_rows(suite, every_row, NR(rows));
	unit_add(suite, cut);
	unit_add(suite, every_byte);
	return suite;
}
