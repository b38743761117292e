// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../lib/parse.h"

#include <errno.h>
#include <stdint.h>

START_TEST(sums)
{
	static const char *const lines[] = {
		"55d0c0a00000-7ffd1c9ff000 ---p 00000000 00:00 0    [rollup]",
		"Rss:               12288 kB",
		"Pss:                1234 kB",
		"Pss_Anon:           9999 kB",
		"AnonHugePages:      2048 kB",
		"ShmemPmdMapped:     8192 kB",
		"FilePmdMapped:      4096 kB",
		"Shared_Hugetlb:     2048 kB",
		"Private_Hugetlb:    4096 kB",
		"Swap:                 12 kB",
		"SwapPss:            9999 kB",
		"VmFlags: rd wr mr mw me ac sd hg",
		"",
		"7f0000000000-7f0000200000 rw-p 00000000 00:00 0 ",
		"Rss:                   4 kB",
		"AnonHugePages:         0 kB",
	};
	struct parse_smaps smaps = {0};

	for (size_t i = 0; i < NR(lines); i++)
		ck_assert_int_eq(parse_smaps_line(lines[i], &smaps), 0);
	ck_assert_uint_eq(smaps.rss, 12292 * 1024ull);
	ck_assert_uint_eq(smaps.huge_anon, 2048 * 1024ull);
	ck_assert_uint_eq(smaps.huge_shmem, 8192 * 1024ull);
	ck_assert_uint_eq(smaps.huge_file, 4096 * 1024ull);
	ck_assert_uint_eq(smaps.pss, 1234 * 1024ull);
	ck_assert_uint_eq(smaps.hugetlb, 6144 * 1024ull);
	ck_assert_uint_eq(smaps.swap, 12 * 1024ull);
	ck_assert_uint_eq(smaps.seen, 10);
}
END_TEST

/* A mapping's name can be anything; it stands on the line of addresses and is no counter. */
START_TEST(other_lines)
{
	static const char *const lines[] = {
		"7f0000000000-7f0000200000 rw-p 0 00:00 0 Rss: 5 kB",
		"RssX:  5 kB",
		"rss: 5 kB",
		" Rss:  5 kB",
		"Rss",
		"",
		"\xff\xfe",
	};
	struct parse_smaps smaps = {0};

	for (size_t i = 0; i < NR(lines); i++)
		ck_assert_int_eq(parse_smaps_line(lines[i], &smaps), 0);
	ck_assert_uint_eq(smaps.seen, 0);
	ck_assert_uint_eq(smaps.rss, 0);
}
END_TEST

START_TEST(wrong)
{
	static const char *const lines[] = {
		"Rss:",
		"Rss: kB",
		"Rss: -1 kB",
		"Rss: 4",
		"Rss: 4 KB",
		"Rss: 4 kBx",
		"Rss: 4 MB",
		"AnonHugePages: much kB",
		"ShmemPmdMapped: 0x10 kB",
		"FilePmdMapped: 18014398509481984 kB", /* 2^64 bytes */
		"FilePmdMapped: 99999999999999999999 kB",
	};
	struct parse_smaps smaps = {0};

	for (size_t i = 0; i < NR(lines); i++)
		ck_assert_msg(parse_smaps_line(lines[i], &smaps) == -EBADMSG, "\"%s\"", lines[i]);
	ck_assert_uint_eq(smaps.seen, 0);
}
END_TEST

START_TEST(sum_overflows)
{
	struct parse_smaps smaps = {0};

	ck_assert_int_eq(parse_smaps_line("Rss: 18014398509481983 kB", &smaps), 0);
	ck_assert_int_eq(parse_smaps_line("Rss: 1 kB", &smaps), -EBADMSG);
	ck_assert_uint_eq(smaps.rss, 18014398509481983ull * 1024ull);
	ck_assert_int_eq(parse_smaps_line("Rss: 0 kB", &smaps), 0);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("parse-smaps");

	unit_add(suite, sums);
	unit_add(suite, other_lines);
	unit_add(suite, wrong);
	unit_add(suite, sum_overflows);
	return suite;
}
