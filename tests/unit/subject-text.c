// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../daemon/subject-text.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *head;
	const char *program; /* NULL: no script */
	const char *argument;
	const char *env;
} shebangs[] = {
	{"#!/bin/sh\n", "/bin/sh", "", ""},
	{"#! \t/bin/sh \t\necho", "/bin/sh", "", ""},
	{"#!/bin/sh", "/bin/sh", "", ""},
	{"#!/usr/bin/awk -v a=1 -f  \n", "/usr/bin/awk", "-v a=1 -f", ""},
	{"#!/usr/bin/env python3\n", "/usr/bin/env", "python3", "python3"},
	{"#!/usr/bin/env -S python3 -u\n", "/usr/bin/env", "-S python3 -u", "python3"},
	{"#!/usr/bin/env -Spython3\n", "/usr/bin/env", "-Spython3", "python3"},
	{"#!/usr/bin/env -i A=b perl\n", "/usr/bin/env", "-i A=b perl", "perl"},
	{"#!/usr/bin/env\n", "/usr/bin/env", "", ""},
	{"#!/usr/bin/environment python\n", "/usr/bin/environment", "python", ""},
	{"#!\n/bin/sh", NULL, NULL, NULL},
	{"#!   ", NULL, NULL, NULL},
	{"#", NULL, NULL, NULL},
	{"#!", NULL, NULL, NULL},
	{"", NULL, NULL, NULL},
	{"\x7f"
	 "ELF",
	 NULL, NULL, NULL},
	{" #!/bin/sh", NULL, NULL, NULL},
};

START_TEST(script)
{
	char name[SHEBANG_READ];
	struct shebang shebang;
	const char *head = shebangs[_i].head;

	ck_assert_int_eq(shebang_parse(head, strlen(head), &shebang), shebangs[_i].program != NULL);
	if (!shebangs[_i].program)
		return;
	ck_assert_str_eq(shebang.program, shebangs[_i].program);
	ck_assert_str_eq(shebang.argument, shebangs[_i].argument);
	shebang_env(&shebang, name);
	ck_assert_str_eq(name, shebangs[_i].env);
}
END_TEST

/* What the kernel does not read is no part of it, and what follows in memory neither. */
START_TEST(long_line)
{
	char head[SHEBANG_READ];
	struct shebang shebang;

	memset(head, 'a', sizeof(head));
	memcpy(head, "#!/", 3);
	ck_assert(shebang_parse(head, sizeof(head), &shebang));
	ck_assert_uint_eq(strlen(shebang.program), SHEBANG_READ - 2);
}
END_TEST

START_TEST(groups)
{
	static const char text[] = "12:cpu,cpuacct:/a:b\n"
				   "no colons\n"
				   "11:name=systemd:/user.slice\n"
				   "4:cpuset:/batch:a b\n"
				   "0::/../other";
	const char *at = text;
	struct cgroup_line line;

	ck_assert(cgroup_next(&at, &line));
	ck_assert_str_eq(line.path, "/a:b");
	ck_assert(cgroup_has(&line, "cpu", 3));
	ck_assert(cgroup_has(&line, "cpuacct", 7));
	ck_assert(!cgroup_has(&line, "cpuset", 6));
	ck_assert(!cgroup_has(&line, "cp", 2));
	ck_assert(!cgroup_has(&line, "v2", 2));
	ck_assert(cgroup_next(&at, &line));
	ck_assert_str_eq(line.path, "/user.slice");
	ck_assert(cgroup_has(&line, "name=systemd", 12));
	ck_assert(cgroup_next(&at, &line));
	ck_assert_str_eq(line.path, "/batch:a b");
	ck_assert(cgroup_next(&at, &line));
	ck_assert_str_eq(line.path, "/../other");
	ck_assert(cgroup_has(&line, "v2", 2));
	ck_assert(!cgroup_has(&line, "", 0));
	ck_assert(!cgroup_next(&at, &line));
}
END_TEST

START_TEST(numbers)
{
	ck_assert(numbers_have("4 24 1000", 24, 24));
	ck_assert(numbers_have("4 24 1000 ", 1000, 2000));
	ck_assert(!numbers_have("4 24 1000", 5, 23));
	ck_assert(!numbers_have("4 24 1000", 100, 100));
	ck_assert(!numbers_have("", 0, 10));
	ck_assert(!numbers_have("x", 0, 10));
}
END_TEST

START_TEST(format_magic)
{
	static const char text[] = "enabled\ninterpreter /usr/bin/qemu-arm\nflags: OC\noffset 1\n"
				   "magic 454c4601\nmask ffffff00\n";
	struct binfmt binfmt;

	ck_assert(binfmt_parse(text, &binfmt));
	ck_assert_str_eq(binfmt.interpreter, "/usr/bin/qemu-arm");
	ck_assert(binfmt_is(&binfmt, "/x",
			    "\x7f"
			    "ELF\x02",
			    5));
	ck_assert(!binfmt_is(&binfmt, "/x",
			     "\x7f"
			     "ELX\x02",
			     5));
	ck_assert(!binfmt_is(&binfmt, "/x",
			     "\x7f"
			     "ELF",
			     4));
	ck_assert(!binfmt_is(&binfmt, "/x", "", 0));
}
END_TEST

START_TEST(format_extension)
{
	struct binfmt binfmt;

	ck_assert(binfmt_parse("enabled\ninterpreter /usr/bin/java\nextension .jar\n", &binfmt));
	ck_assert(binfmt_is(&binfmt, "/a.b/c.jar", "PK", 2));
	ck_assert(!binfmt_is(&binfmt, "/a.jar/c", "PK", 2));
	ck_assert(!binfmt_is(&binfmt, "/jar", "PK", 2));
	ck_assert(binfmt_parse("disabled\ninterpreter /usr/bin/java\nextension .jar\n", &binfmt));
	ck_assert(!binfmt_is(&binfmt, "/c.jar", "PK", 2));
	ck_assert(!binfmt_parse("enabled\n", &binfmt)); /* the file "status" */
	ck_assert(!binfmt_parse("enabled\ninterpreter /x\nmagic zz\n", &binfmt));
}
END_TEST

START_TEST(base)
{
	ck_assert_str_eq(base_name("/a/b"), "b");
	ck_assert_str_eq(base_name("b"), "b");
	ck_assert_str_eq(base_name(""), "");
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("subject-text");

	unit_add_rows(suite, script, NR(shebangs));
	unit_add(suite, long_line);
	unit_add(suite, groups);
	unit_add(suite, numbers);
	unit_add(suite, format_magic);
	unit_add(suite, format_extension);
	unit_add(suite, base);
	return suite;
}
