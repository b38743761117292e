// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../lib/parse.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

struct golden {
	const char *line;
	struct parse_maps maps;
};

static const struct golden headers[] = {
	{"55d0c0a00000-55d0c0a02000 r--p 00000000 fe:00 248056                     /usr/bin/sleep",
	 {0x55d0c0a00000, 0x55d0c0a02000, 0, 248056, 0xfe, 0, THP_MAP_READ, "/usr/bin/sleep"}},
	{"7f0000000000-7f0000200000 rw-p 00000000 00:00 0 ",
	 {0x7f0000000000, 0x7f0000200000, 0, 0, 0, 0, THP_MAP_READ | THP_MAP_WRITE, ""}},
	{"7f0000000000-7f0000200000 rw-p 00000000 00:00 0",
	 {0x7f0000000000, 0x7f0000200000, 0, 0, 0, 0, THP_MAP_READ | THP_MAP_WRITE, ""}},
	{"7f00-7f01 rwxs 1ff000 103:2a 4294967296 /a b  c ",
	 {0x7f00, 0x7f01, 0x1ff000, 4294967296, 0x103, 0x2a,
	  THP_MAP_READ | THP_MAP_WRITE | THP_MAP_EXEC | THP_MAP_SHARED, "/a b  c "}},
	{"7f00-7f01 ---p 00000000 00:01 7 /memfd:two\\012lines (deleted)",
	 {0x7f00, 0x7f01, 0, 7, 0, 1, 0, "/memfd:two\nlines (deleted)"}},
	/* Only a newline is escaped: other backslashes are the name's own. */
	{"7f00-7f01 ---p 00000000 00:01 7 /a\\040b\\\\012\\012",
	 {0x7f00, 0x7f01, 0, 7, 0, 1, 0, "/a\\040b\\\n\n"}},
	{"7f00-7f01 ---p 00000000 00:01 7 /end\\01", {0x7f00, 0x7f01, 0, 7, 0, 1, 0, "/end\\01"}},
	{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]",
	 {0xffffffffff600000, 0xffffffffff601000, 0, 0, 0, 0, THP_MAP_EXEC, "[vsyscall]"}},
	/* Linux 2.6 on 32 bits */
	{"08048000-0804c000 r-xp 00000000 08:01 12345      /bin/cat",
	 {0x8048000, 0x804c000, 0, 12345, 8, 1, THP_MAP_READ | THP_MAP_EXEC, "/bin/cat"}},
};

START_TEST(header)
{
	const struct golden *golden = &headers[_i];
	struct parse_maps maps;
	char line[256];

	strcpy(line, golden->line);
	ck_assert_int_eq(parse_maps_line(line, &maps), 1);
	ck_assert_uint_eq(maps.start, golden->maps.start);
	ck_assert_uint_eq(maps.end, golden->maps.end);
	ck_assert_uint_eq(maps.offset, golden->maps.offset);
	ck_assert_uint_eq(maps.inode, golden->maps.inode);
	ck_assert_uint_eq(maps.major, golden->maps.major);
	ck_assert_uint_eq(maps.minor, golden->maps.minor);
	ck_assert_uint_eq(maps.flags, golden->maps.flags);
	ck_assert_str_eq(maps.name, golden->maps.name);
}
END_TEST

START_TEST(field_of_smaps)
{
	char line[] = "Rss:                   4 kB";
	struct parse_maps maps;

	ck_assert_int_eq(parse_maps_line(line, &maps), 0);
}
END_TEST

static const char *const wrong[] = {
	"",
	" 7f00-7f01 rw-p 0 00:00 0",
	"7f00 7f01 rw-p 0 00:00 0",
	"-7f01 rw-p 0 00:00 0",
	"7f00-7f01",
	"7f00-7f01 rw-p",
	"7f00-7f01 rw-q 0 00:00 0",
	"7f00-7f01 wr-p 0 00:00 0",
	"7f00-7f01 rw-pp 0 00:00 0",
	"7f00-7f01 rw-p 0 0000 0",
	"7f00-7f01 rw-p 0 00:00 x",
	"7f00-7f01 rw-p 0 00:00 0x",
	"7f00-7f01 rw-p 0 00:00 99999999999999999999",
	"7f00-7f01 rw-p 0 100000000:00 0",
	"7f01-7f01 rw-p 0 00:00 0",
	"7f02-7f01 rw-p 0 00:00 0",
	"10000000000000000-10000000000000001 rw-p 0 00:00 0",
	"7F00-7F01 rw-p 0 00:00 0",
};

START_TEST(no_header)
{
	struct parse_maps maps = {.start = 42};
	char line[128];

	strcpy(line, wrong[_i]);
	ck_assert_msg(parse_maps_line(line, &maps) == -EBADMSG, "\"%s\"", wrong[_i]);
	ck_assert_uint_eq(maps.start, 42);
}
END_TEST

static const struct {
	const char *line;
	struct parse_vma vma;
} traits[] = {
	{"VmFlags: rd wr mr mw me ac sd hg ", {.advice = THP_ADVICE_HUGE}},
	{"VmFlags: rd wr mr mw me nr nh", {.advice = THP_ADVICE_NOHUGE}},
	{"VmFlags: rd ex mr mw me ", {.advice = THP_ADVICE_NONE}},
	{"VmFlags:", {.advice = THP_ADVICE_NONE}},
	{"VmFlags: rd wr de ht ", {.advice = THP_ADVICE_NONE, .hugetlb = true}},
	{"VmFlags: rd wr io pf ", {.advice = THP_ADVICE_NONE, .device = true}},
	{"VmFlags: rd wr um ", {.advice = THP_ADVICE_NONE, .watched = true}},
	/* What a later kernel may add: longer words, and such that contain ours. */
	{"VmFlags: rd hgx xhg hg1 ", {.advice = THP_ADVICE_NONE}},
	{"THPeligible:           1", {.eligible = THP_YES}},
	{"THPeligible:    0", {.eligible = THP_NO}},
	{"Rss:  4 kB", {0}},
};

START_TEST(trait)
{
	struct parse_vma vma = {0};

	ck_assert_int_eq(parse_vma_line(traits[_i].line, &vma), 0);
	ck_assert_int_eq(vma.advice, traits[_i].vma.advice);
	ck_assert_int_eq(vma.eligible, traits[_i].vma.eligible);
	ck_assert_int_eq(vma.hugetlb, traits[_i].vma.hugetlb);
	ck_assert_int_eq(vma.device, traits[_i].vma.device);
	ck_assert_int_eq(vma.watched, traits[_i].vma.watched);
}
END_TEST

START_TEST(wrong_trait)
{
	struct parse_vma vma = {0};

	ck_assert_int_eq(parse_vma_line("THPeligible: yes", &vma), -EBADMSG);
	ck_assert_int_eq(parse_vma_line("THPeligible: 2", &vma), -EBADMSG);
	ck_assert_int_eq(parse_vma_line("THPeligible:", &vma), -EBADMSG);
	ck_assert_int_eq(vma.eligible, THP_UNKNOWN);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("parse-maps");

	unit_add_rows(suite, header, NR(headers));
	unit_add(suite, field_of_smaps);
	unit_add_rows(suite, no_header, NR(wrong));
	unit_add_rows(suite, trait, NR(traits));
	unit_add(suite, wrong_trait);
	return suite;
}
