// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../cli/compare/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a text as a suite file. */
static int read_text(const char *text, struct program **ret_programs, size_t *ret_nr)
{
	char path[] = "/tmp/thpctl-suite-XXXXXX";
	int fd = mkstemp(path), r;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	r = suite_read(path, ret_programs, ret_nr);
	unlink(path);
	return r;
}

static void refuse(const char *text)
{
	struct program *programs = (void *)7;
	size_t nr = 7;

	ck_assert_msg(read_text(text, &programs, &nr) == -EINVAL, "%s", text);
	ck_assert_uint_eq(nr, 7);
	ck_assert_ptr_eq(programs, (void *)7);
}

START_TEST(all_keys)
{
	static const char text[] = "; comment\n"
				   "[defaults]\nthreads = 3\nenv = A=1\nenv = B=2\n"
				   "metric = x=([0-9]+)\n"
				   "[one]\ncommand = ./one --flag 'a b'\nname = first\n"
				   "env = B=x=y\nbetter = less\nstatus = 4\n"
				   "# another comment\n"
				   "[two]\ncommand = exec ./two\ndirectory = /tmp\nthreads = 5\n"
				   "metric = y\nprepare = sync\nexpect = ok [0-9]+\n"
				   "mail_rows = OMP2012:swim=1.4\n";
	struct program *programs;
	size_t nr;

	ck_assert_int_eq(read_text(text, &programs, &nr), 0);
	ck_assert_uint_eq(nr, 2);
	ck_assert_str_eq(programs[0].name, "one");
	ck_assert_str_eq(programs[0].title, "first");
	ck_assert_str_eq(programs[0].argv[2], "./one --flag 'a b'");
	ck_assert_str_eq(programs[0].environment[0], "OMP_NUM_THREADS=3");
	ck_assert_str_eq(programs[0].environment[1], "A=1");
	ck_assert_str_eq(programs[0].environment[2], "B=x=y");
	ck_assert_ptr_null(programs[0].environment[3]);
	ck_assert_str_eq(programs[0].metric, "x=([0-9]+)");
	ck_assert(programs[0].less_is_better);
	ck_assert_int_eq(programs[0].expect_status, 4);
	ck_assert_ptr_null(programs[0].directory);
	ck_assert_str_eq(programs[1].environment[0], "OMP_NUM_THREADS=5");
	ck_assert_str_eq(programs[1].metric, "y");
	ck_assert_str_eq(programs[1].directory, "/tmp");
	ck_assert_str_eq(programs[1].prepare, "sync");
	ck_assert_str_eq(programs[1].expect, "ok [0-9]+");
	ck_assert_str_eq(programs[1].published, "OMP2012:swim=1.4");
	ck_assert(!programs[1].less_is_better);
	ck_assert_int_eq(programs[1].expect_status, 0);
	for (size_t i = 0; i < nr; i++)
		program_free(&programs[i]);
	free(programs);
}
END_TEST

START_TEST(refused)
{
	char text[1024] = "[a]\ncommand = ";

	refuse("");
	refuse("[a]\n");                           /* no program at all */
	refuse("[a]\nthreads = 2\n");              /* no command */
	refuse("command = x\n");                   /* no section */
	refuse("[a]\ncommand = x\ncomand = y\n");  /* unknown key */
	refuse("[a]\ncommand = x\ncommand = y\n"); /* twice */
	refuse("[a]\ncommand =\n");                /* empty */
	refuse("[a]\ncommand = x\n[b]\ncommand = y\n[a]\nname = z\n");
	refuse("[defaults]\ncommand = x\n[a]\ncommand = y\n");
	refuse("[a]\ncommand = x\nthreads = many\n");
	refuse("[a]\ncommand = x\nthreads = -1\n");
	refuse("[a]\ncommand = x\nenv = A\n");
	refuse("[a]\ncommand = x\nbetter = high\n");
	refuse("[a]\ncommand = x\nstatus = 256\n");
	refuse("[a]\ncommand = x\nmetric = (\n");
	refuse("[a]\ncommand = x\nexpect = [\n[b]\ncommand = x\nmetric = y\n");
	refuse("[a\ncommand = x\n");
	/* A line that the parser would cut is refused, not run half. */
	memset(text + strlen(text), 'x', 600);
	strcpy(text + 600, "\n");
	refuse(text);
}
END_TEST

START_TEST(missing)
{
	struct program *programs;
	size_t nr;

	ck_assert_int_eq(suite_read("/nonexistent/suite", &programs, &nr), -ENOENT);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("compare-suite");

	unit_add(suite, all_keys);
	unit_add(suite, refused);
	unit_add(suite, missing);
	return suite;
}
