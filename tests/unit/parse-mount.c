// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../lib/parse.h"

#include <errno.h>

static const struct {
	const char *line;
	struct parse_mount mount;
} mounts[] = {
	{"25 24 0:23 / /dev/shm rw,relatime - tmpfs tmpfs rw,size=24684096k",
	 {0, 23, PARSE_MOUNT_TMPFS, THP_SETTING_NEVER}},
	{"25 24 0:23 / /mnt rw shared:3 master:1 - tmpfs none rw,size=4k,huge=always,mode=755",
	 {0, 23, PARSE_MOUNT_TMPFS, THP_SETTING_ALWAYS}},
	{"25 24 0:23 / /mnt rw - tmpfs none rw,huge=within_size",
	 {0, 23, PARSE_MOUNT_TMPFS, THP_SETTING_WITHIN_SIZE}},
	{"25 24 0:23 / /mnt rw - tmpfs none rw,huge=advise,noswap",
	 {0, 23, PARSE_MOUNT_TMPFS, THP_SETTING_ADVISE}},
	{"25 24 0:23 / /mnt rw - tmpfs none rw,huge=sometimes",
	 {0, 23, PARSE_MOUNT_TMPFS, THP_SETTING_UNKNOWN}},
	/* An option that only ends or begins like it, and a source that looks like one. */
	{"25 24 0:23 / /mnt rw - tmpfs huge=always rw,nohuge=always,huge=advised",
	 {0, 23, PARSE_MOUNT_TMPFS, THP_SETTING_UNKNOWN}},
	{"30 24 0:40 / /dev/hugepages rw - hugetlbfs hugetlbfs rw,pagesize=2M",
	 {0, 40, PARSE_MOUNT_HUGETLB, THP_SETTING_UNKNOWN}},
	{"27 1 254:0 / / rw - ext4 /dev/vda rw", {254, 0, PARSE_MOUNT_OTHER, THP_SETTING_UNKNOWN}},
	{"27 1 8:1 / / rw - tmpfsx /dev/vda rw", {8, 1, PARSE_MOUNT_OTHER, THP_SETTING_UNKNOWN}},
	{"25 24 0:23 / /mnt rw - tmpfs", {0, 23, PARSE_MOUNT_TMPFS, THP_SETTING_NEVER}},
};

START_TEST(line)
{
	struct parse_mount mount;

	ck_assert_int_eq(parse_mount_line(mounts[_i].line, &mount), 0);
	ck_assert_uint_eq(mount.major, mounts[_i].mount.major);
	ck_assert_uint_eq(mount.minor, mounts[_i].mount.minor);
	ck_assert_int_eq(mount.type, mounts[_i].mount.type);
	ck_assert_int_eq(mount.huge, mounts[_i].mount.huge);
}
END_TEST

static const char *const wrong[] = {
	"",
	"25",
	"25 24",
	"25 24 0 / /mnt rw - tmpfs",
	"25 24 0:x / /mnt rw - tmpfs a rw",
	"25 24 0:23",
	"25 24 0:23 / /mnt rw tmpfs none rw",
	"25 24 0:99999999999 / / rw - tmpfs a rw",
};

START_TEST(wrong_line)
{
	struct parse_mount mount;

	ck_assert_msg(parse_mount_line(wrong[_i], &mount) == -EBADMSG, "\"%s\"", wrong[_i]);
}
END_TEST

START_TEST(list)
{
	static const uint64_t wanted[][2] = {{0, 3}, {7, 7}, {9, 9}};
	const char *text = "0-3,7,9\n";
	uint64_t first, last;

	for (size_t i = 0; i < NR(wanted); i++) {
		ck_assert_int_eq(parse_list_next(&text, &first, &last), 1);
		ck_assert_uint_eq(first, wanted[i][0]);
		ck_assert_uint_eq(last, wanted[i][1]);
	}
	ck_assert_int_eq(parse_list_next(&text, &first, &last), 0);
}
END_TEST

START_TEST(wrong_list)
{
	static const char *const lists[] = {"x", "3-", "3-1", "1 2", "1;2", "-1"};

	for (size_t i = 0; i < NR(lists); i++) {
		const char *text = lists[i];
		uint64_t first, last;

		ck_assert_msg(parse_list_next(&text, &first, &last) == -EBADMSG, "%s", lists[i]);
	}
}
END_TEST

START_TEST(cgroup)
{
	static const char member[] = "4:memory:/batch:x/a b";

	ck_assert(parse_cgroup_within(member, "/batch:x/a b"));
	ck_assert(parse_cgroup_within(member, "/batch:x/a b/"));
	ck_assert(parse_cgroup_within(member, "/batch:x"));
	ck_assert(parse_cgroup_within(member, "/"));
	ck_assert(parse_cgroup_within("0::/", "/"));
	ck_assert(!parse_cgroup_within(member, "/batch:x/a"));
	ck_assert(!parse_cgroup_within(member, "/batch"));
	ck_assert(!parse_cgroup_within(member, "/batch:x/a b/c"));
	ck_assert(!parse_cgroup_within(member, "batch:x"));
	ck_assert(!parse_cgroup_within("4:memory", "/"));
	ck_assert(!parse_cgroup_within("", "/"));
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("parse-mount");

	unit_add_rows(suite, line, NR(mounts));
	unit_add_rows(suite, wrong_line, NR(wrong));
	unit_add(suite, list);
	unit_add(suite, wrong_list);
	unit_add(suite, cgroup);
	return suite;
}
