// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../lib/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct parse_status parse(const char *const lines[], size_t nr)
{
	struct parse_status status = PARSE_STATUS_INIT;

	for (size_t i = 0; i < nr; i++)
		ck_assert_msg(parse_status_line(lines[i], &status) == 0, "\"%s\"", lines[i]);
	return status;
}

static struct parse_status parse_one(const char *line)
{
	return parse(&line, 1);
}

START_TEST(whole)
{
	static const char *const lines[] = {
		"Name:\tpostgres",     "Umask:\t0022",      "State:\tS (sleeping)",
		"Tgid:\t4194304",      "Ngid:\t0",          "Pid:\t4194305",
		"PPid:\t12",           "TracerPid:\t4242",  "Uid:\t1000\t1001\t1002\t1003",
		"Gid:\t5\t5\t5\t5",    "FDSize:\t64",       "Groups:\t4 24 27 ",
		"NStgid:\t7",          "Kthread:\t0",       "VmPeak:\t  999999 kB",
		"VmRSS:\t    5432 kB", "RssAnon:\t   1 kB", "VmData:\t     300 kB",
		"Threads:\t1",         "THP_enabled:\t0",   "untag_mask:\t0xffffffffffffffff",
	};
	struct parse_status status = parse(lines, NR(lines));

	ck_assert_str_eq(status.comm, "postgres");
	ck_assert_int_eq(status.state, 'S');
	ck_assert_int_eq(status.tgid, 4194304);
	ck_assert_int_eq(status.ppid, 12);
	ck_assert_int_eq(status.tracer, 4242);
	ck_assert_uint_eq(status.uid, 1000);
	ck_assert(status.has_vm);
	ck_assert_uint_eq(status.resident, 5432 * 1024ull);
	ck_assert_int_eq(status.thp_enabled, 0);
	ck_assert_int_eq(status.kthread, 0);
}
END_TEST

/* What is not there stays unknown: nothing is taken for zero or off. */
START_TEST(missing)
{
	static const char *const lines[] = {"Name:\tkworker/0:1", "State:\tI (idle)", "Tgid:\t9",
					    "Kthread:\t1"};
	struct parse_status status = parse(lines, NR(lines));

	ck_assert(!status.has_vm);
	ck_assert_int_eq(status.thp_enabled, -1);
	ck_assert_int_eq(status.kthread, 1);
	ck_assert_int_eq(status.tracer, 0);
}
END_TEST

START_TEST(comm)
{
	static const struct {
		const char *line, *comm;
	} rows[] = {
		{"Name:\ta b", "a b"},
		{"Name:\t  blanks  ", "  blanks  "},
		{"Name:\t\ttab", "\ttab"},
		{"Name:\t", ""},
		{"Name:\tline\\nbreak", "line\nbreak"},
		{"Name:\tback\\\\slash", "back\\slash"},
		{"Name:\tback\\\\nslash", "back\\nslash"}, /* an escaped backslash, then an n */
		{"Name:\tend\\", "end\\"},
		{"Name:\tother\\x", "other\\x"},
		{"Name:\t) R 1 (", ") R 1 ("},
		{"Name:\t\x1b[2J\xff", "\x1b[2J\xff"},
		{"Name:\tTgid:\t1", "Tgid:\t1"},
	};

	for (size_t i = 0; i < NR(rows); i++)
		ck_assert_str_eq(parse_one(rows[i].line).comm, rows[i].comm);
}
END_TEST

START_TEST(comm_too_long)
{
	char line[6 + 3 * THP_COMM_MAX] = "Name:\t";

	memset(line + 6, 'x', sizeof(line) - 7);
	line[sizeof(line) - 1] = '\0';
	ck_assert_uint_eq(strlen(parse_one(line).comm), THP_COMM_MAX);
	/* A name of exactly the room, ended by an escape. */
	snprintf(line + 6 + THP_COMM_MAX - 1, 3, "\\n");
	ck_assert_uint_eq(strlen(parse_one(line).comm), THP_COMM_MAX);
	ck_assert_int_eq(parse_one(line).comm[THP_COMM_MAX - 1], '\n');
}
END_TEST

/* Keys that only start alike are other keys. */
START_TEST(other_keys)
{
	static const char *const lines[] = {
		"",          "Tgid",     "TgidX:\t5",     "NSpid:\t5",        "NStgid:\t5",
		"PPids:\t5", "Uids:\t5", "VmRSSx:\t5 kB", "THP_enabled2:\t0", "Names:\tx",
		"Name: x",   "Stat:\tZ", "Kthreads:\t1",  "TracerPids:\t5",   "\xff\xff:\t1",
		"tgid:\t5",
	};
	struct parse_status status = parse(lines, NR(lines));
	struct parse_status init = PARSE_STATUS_INIT;

	ck_assert_mem_eq(&status, &init, sizeof(status));
}
END_TEST

START_TEST(limits)
{
	ck_assert_uint_eq(parse_one("Uid:\t4294967295\t0\t0\t0").uid, UINT32_MAX);
	ck_assert_int_eq(parse_one("Tgid:\t2147483647").tgid, INT_MAX);
	ck_assert_uint_eq(parse_one("VmRSS:\t18014398509481983 kB").resident,
			  18014398509481983ull * 1024ull);
	ck_assert_int_eq(parse_one("THP_enabled:\t1").thp_enabled, 1);
	ck_assert_int_eq(parse_one("THP_enabled:\t1").kthread, -1); /* before Linux 6.8 */
	ck_assert(parse_one("VmRSS:\t0 kB").has_vm);
}
END_TEST

START_TEST(wrong)
{
	static const char *const lines[] = {
		"Tgid:\t2147483648",
		"Tgid:\t-1",
		"Tgid:\t",
		"Tgid:\tx",
		"PPid:\t4294967296",
		"PPid:\t",
		"TracerPid:\t99999999999999999999",
		"Uid:\t4294967296\t0\t0\t0",
		"Uid:\t-1",
		"VmRSS:\t18014398509481984 kB",
		"VmRSS:\t99999999999999999999 kB",
		"VmRSS:\tmuch",
		"THP_enabled:\t2",
		"THP_enabled:\t",
		"THP_enabled:\t10",
		"THP_enabled:\t-1",
	};
	struct parse_status status = PARSE_STATUS_INIT, init = PARSE_STATUS_INIT;

	for (size_t i = 0; i < NR(lines); i++) {
		ck_assert_msg(parse_status_line(lines[i], &status) == -EBADMSG, "\"%s\"", lines[i]);
		ck_assert_mem_eq(&status, &init, sizeof(status));
	}
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("parse-status");

	unit_add(suite, whole);
	unit_add(suite, missing);
	unit_add(suite, comm);
	unit_add(suite, comm_too_long);
	unit_add(suite, other_keys);
	unit_add(suite, limits);
	unit_add(suite, wrong);
	return suite;
}
