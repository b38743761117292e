// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../daemon/glob.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *pattern;
	const char *path;
	bool match;
	bool within;
} paths[] = {
	{"/usr/bin/a", "/usr/bin/a", true, true},
	{"/usr/bin/a", "/usr/bin/ab", false, false},
	{"/usr/bin/a", "/usr/bin", false, false},
	{"/usr/bin", "/usr/bin/a", false, true},
	{"/usr/bin/", "/usr/bin", true, true},
	{"/batch:a b", "/batch:a b", true, true},
	{"/batch:a b", "/batch:a b2", false, false},
	{"/batch:a b", "/batch:a b/2", false, true},
	{"/", "/", true, true},
	{"/", "/a", false, true},
	/* One part */
	{"/opt/*/bin/x", "/opt/a/bin/x", true, true},
	{"/opt/*/bin/x", "/opt/a/b/bin/x", false, false},
	{"/opt/*/bin/x", "/opt/bin/x", false, false},
	{"/opt/*", "/opt/a/b", false, true},
	{"/opt/*", "/opt/.hidden", true, true},
	{"/opt/*", "/opt", false, false},
	{"/opt/a?c", "/opt/abc", true, true},
	{"/opt/a?c", "/opt/a/c", false, false},
	{"/opt/[ab]*", "/opt/bc", true, true},
	{"/opt/[!ab]*", "/opt/bc", false, false},
	{"/opt/\\*", "/opt/*", true, true},
	{"/opt/\\*", "/opt/a", false, false},
	{"/opt/a\\[1]", "/opt/a[1]", true, true},
	/* Any number of parts */
	{"/**", "/", true, true},
	{"/**", "/a/b/c", true, true},
	{"/**/x", "/x", true, true},
	{"/**/x", "/a/b/x", true, true},
	{"/**/x", "/a/b/xy", false, false},
	{"/**/x", "/a/x/b", false, true},
	{"/opt/**/bin/*", "/opt/bin/x", true, true},
	{"/opt/**/bin/*", "/opt/a/bin/b/bin/x", true, true},
	{"/opt/**/bin/*", "/opt/a/bin", false, false},
	{"/opt/**/a/**/b", "/opt/a/b/a/c/b", true, true},
	{"/opt/**/a/**/b", "/opt/b/a", false, false},
	{"/opt/**", "/opt", true, true},
	{"/opt/**", "/optical", false, false},
};

START_TEST(path)
{
	ck_assert_msg(glob_path(paths[_i].pattern, paths[_i].path) == paths[_i].match, "%s %s",
		      paths[_i].pattern, paths[_i].path);
	ck_assert_msg(glob_within(paths[_i].pattern, paths[_i].path) == paths[_i].within,
		      "within %s %s", paths[_i].pattern, paths[_i].path);
}
END_TEST

static const struct {
	const char *pattern;
	const char *fault; /* a part of it, NULL: none */
} faults[] = {
	{"/a/**/b", NULL},        {"/a/b**", "alone"},    {"/a**/b", "alone"}, {"/a/***", "alone"},
	{"/a/[b", "no ']'"},      {"/a/[b/c]", "no ']'"}, {"/a/[]b]", NULL},   {"/a/[]", "no ']'"},
	{"/a/[!]]", NULL},        {"/a/[\\]]", NULL},     {"/a/\\[b", NULL},   {"/a/b\\", "'\\'"},
	{"/a\\/b", "'\\'"},       {"/a/\\**", NULL},      {"", NULL},          {"/", NULL},
	{"/a/[[:digit:]]", NULL},
};

START_TEST(fault)
{
	const char *found = glob_fault(faults[_i].pattern);

	if (faults[_i].fault)
		ck_assert_msg(found && strstr(found, faults[_i].fault), "%s: %s",
			      faults[_i].pattern, found);
	else
		ck_assert_msg(!found, "%s: %s", faults[_i].pattern, found);
}
END_TEST

START_TEST(too_long)
{
	char pattern[1024] = "/";

	memset(pattern + 1, 'a', 1000);
	ck_assert_ptr_nonnull(glob_fault(pattern));
	ck_assert(!glob_path("/*", pattern));
}
END_TEST

/* Many stars do not take for ever: the time limit is a minute. */
START_TEST(many_stars)
{
	char deep[4096] = "";

	for (int i = 0; i < 500; i++)
		strcat(deep, "/a");
	ck_assert(!glob_path("/**/a/**/a/**/a/**/a/**/a/**/a/**/b", deep));
	memset(deep, 'a', 250);
	deep[250] = '\0';
	ck_assert(!glob_name("*a*a*a*a*a*a*a*a*a*a*a*b", deep));
}
END_TEST

START_TEST(literal)
{
	char buf[64];

	ck_assert(glob_is_literal("/a b/c:d"));
	ck_assert(glob_is_literal("/a\\*"));
	ck_assert(!glob_is_literal("/a*"));
	ck_assert(!glob_is_literal("/a\\\\[b]"));
	glob_unescape(buf, sizeof(buf), "/a\\*\\\\b");
	ck_assert_str_eq(buf, "/a*\\b");
	glob_escape(buf, sizeof(buf), "/a*[b]\\c?");
	ck_assert_str_eq(buf, "/a\\*\\[b]\\\\c\\?");
	ck_assert(glob_path(buf, "/a*[b]\\c?"));
	glob_escape(buf, 4, "/a*b");
	ck_assert_str_eq(buf, "/a");
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("glob");

	unit_add_rows(suite, path, NR(paths));
	unit_add_rows(suite, fault, NR(faults));
	unit_add(suite, too_long);
	unit_add(suite, many_stars);
	unit_add(suite, literal);
	return suite;
}
