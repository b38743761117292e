// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../lib/parse.h"

#include <errno.h>
#include <stdint.h>

static const struct {
	const char *text;
	enum thp_setting setting;
} settings[] = {
	/* The word in brackets counts, wherever it stands. */
	{"[always] madvise never\n", THP_SETTING_ALWAYS},
	{"always [madvise] never\n", THP_SETTING_MADVISE},
	{"always madvise [never]\n", THP_SETTING_NEVER},
	{"always madvise [never]", THP_SETTING_NEVER},
	/* defrag */
	{"[always] defer defer+madvise madvise never\n", THP_SETTING_ALWAYS},
	{"always [defer] defer+madvise madvise never\n", THP_SETTING_DEFER},
	{"always defer [defer+madvise] madvise never\n", THP_SETTING_DEFER_MADVISE},
	{"always defer defer+madvise [madvise] never\n", THP_SETTING_MADVISE},
	{"always defer defer+madvise madvise [never]\n", THP_SETTING_NEVER},
	/* shmem_enabled */
	{"always [within_size] advise never deny force\n", THP_SETTING_WITHIN_SIZE},
	{"always within_size [advise] never deny force\n", THP_SETTING_ADVISE},
	{"always within_size advise never [deny] force\n", THP_SETTING_DENY},
	{"always within_size advise never deny [force]\n", THP_SETTING_FORCE},
	/* hugepages-N/enabled */
	{"always [inherit] madvise never\n", THP_SETTING_INHERIT},
	/* What this version does not know is no guess. */
	{"always [sometimes] never\n", THP_SETTING_UNKNOWN},
	{"[alway] madvise never\n", THP_SETTING_UNKNOWN},
	{"[alwayss] madvise never\n", THP_SETTING_UNKNOWN},
	{"[Always]\n", THP_SETTING_UNKNOWN},
	{"[ always ]\n", THP_SETTING_UNKNOWN},
	{"[none]\n", THP_SETTING_UNKNOWN},    /* a word of ours, never the kernel's */
	{"[unknown]\n", THP_SETTING_UNKNOWN}, /* likewise */
	{"[]\n", THP_SETTING_UNKNOWN},
	{"always madvise never\n", THP_SETTING_UNKNOWN},
	{"always [madvise never\n", THP_SETTING_UNKNOWN},
	{"always madvise] never\n", THP_SETTING_UNKNOWN},
	{"]always[\n", THP_SETTING_UNKNOWN},
	{"[[always]]\n", THP_SETTING_UNKNOWN},
	{"[", THP_SETTING_UNKNOWN},
	{"", THP_SETTING_UNKNOWN},
	{"\xff\xfe[\x80]\x01", THP_SETTING_UNKNOWN},
};

START_TEST(setting)
{
	ck_assert_msg(parse_setting(settings[_i].text) == settings[_i].setting, "\"%s\" gave %s",
		      settings[_i].text, thp_setting_name(parse_setting(settings[_i].text)));
}
END_TEST

START_TEST(names)
{
	static const char *const words[] = {"unknown", "never", "madvise",       "always",
					    "inherit", "defer", "defer+madvise", "within_size",
					    "advise",  "deny",  "force",         "none"};

	for (unsigned i = 0; i < NR(words); i++)
		ck_assert_str_eq(thp_setting_name((enum thp_setting)i), words[i]);
	ck_assert_str_eq(thp_setting_name((enum thp_setting)NR(words)), "unknown");
	ck_assert_str_eq(thp_setting_name((enum thp_setting) - 1), "unknown");
}
END_TEST

START_TEST(size_dir)
{
	static const struct {
		const char *name;
		uint64_t bytes; /* 0: refused */
	} rows[] = {
		{"hugepages-8kB", 8192},
		{"hugepages-2048kB", 2u << 20},
		{"hugepages-32768kB", 32u << 20},
		{"hugepages-18014398509481983kB", 18014398509481983u * 1024},
		{"hugepages-18014398509481984kB", 0}, /* 2^64 bytes */
		{"hugepages-99999999999999999999kB", 0},
		{"hugepages-0kB", 0},
		{"hugepages-kB", 0},
		{"hugepages- 8kB", 0},
		{"hugepages--8kB", 0},
		{"hugepages-8", 0},
		{"hugepages-8KB", 0},
		{"hugepages-8kBx", 0},
		{"hugepages-8 kB", 0},
		{"xhugepages-8kB", 0},
		{"hugepages", 0},
		{"khugepaged", 0},
		{".", 0},
		{"", 0},
	};

	for (size_t i = 0; i < NR(rows); i++) {
		uint64_t bytes = 99;
		int r = parse_size_dir(rows[i].name, &bytes);

		ck_assert_msg(r == (rows[i].bytes ? 0 : -EBADMSG), "\"%s\"", rows[i].name);
		ck_assert_uint_eq(bytes, rows[i].bytes ? rows[i].bytes : 99);
	}
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("parse-setting");

	unit_add_rows(suite, setting, NR(settings));
	unit_add(suite, names);
	unit_add(suite, size_dir);
	return suite;
}
