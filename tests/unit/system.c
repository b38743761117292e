// SPDX-License-Identifier: MIT
/* thp_system_read() on captured trees; what they print is compared by tests/cli/show-roots.t. */
#include "unit.h"

#include "thp.h"

#include <errno.h>
#include <string.h>

static struct thp_system read_root(const char *root)
{
	struct thp_system system = {.size = sizeof(system)};
	struct thp_ctx *ctx;

	ck_assert_int_eq(thp_open(&ctx, root), 0);
	ck_assert_int_eq(thp_system_read(ctx, &system), 0);
	thp_close(ctx);
	return system;
}

START_TEST(linux_6_18)
{
	struct thp_system system = read_root(TESTS_ROOTS "/linux-6.18//");

	ck_assert_int_eq(system.presence, THP_PRESENT);
	ck_assert_int_eq(system.enabled, THP_SETTING_MADVISE);
	ck_assert_int_eq(system.defrag, THP_SETTING_MADVISE);
	ck_assert_int_eq(system.shmem_enabled, THP_SETTING_NEVER);
	ck_assert_uint_eq(system.pmd_bytes, 2097152);
	ck_assert_int_eq(system.use_zero_page, 1);
	ck_assert_int_eq(system.khugepaged.defrag, 1);
	ck_assert_int_eq(system.khugepaged.pages_to_scan, 4096);
	ck_assert_int_eq(system.khugepaged.scan_sleep_ms, 10000);
	ck_assert_int_eq(system.khugepaged.alloc_sleep_ms, 60000);
	ck_assert_int_eq(system.khugepaged.max_ptes_none, 511);
	ck_assert_int_eq(system.khugepaged.max_ptes_swap, 64);
	ck_assert_int_eq(system.khugepaged.max_ptes_shared, 256);
	ck_assert_int_eq(system.khugepaged.pages_collapsed, 17);
	ck_assert_int_eq(system.khugepaged.full_scans, 5);
	ck_assert_uint_eq(system.nr_sizes, 9);
	for (unsigned i = 0; i < 9; i++) /* 8 KiB to 2 MiB, smallest first */
		ck_assert_uint_eq(system.sizes[i].bytes, 8192u << i);
	ck_assert_int_eq(system.sizes[0].enabled, THP_SETTING_NONE); /* shared memory only */
	ck_assert_int_eq(system.sizes[0].shmem_enabled, THP_SETTING_NEVER);
	ck_assert_int_eq(system.sizes[1].enabled, THP_SETTING_NEVER);
	ck_assert_int_eq(system.sizes[8].enabled, THP_SETTING_INHERIT);
	ck_assert_int_eq(system.sizes[8].shmem_enabled, THP_SETTING_INHERIT);
}
END_TEST

/* What cannot be read or understood is unknown, never zero. */
START_TEST(strange)
{
	struct thp_system system = read_root(TESTS_ROOTS "/strange");

	ck_assert_int_eq(system.presence, THP_PRESENT);
	ck_assert_int_eq(system.enabled, THP_SETTING_UNKNOWN);
	ck_assert_int_eq(system.defrag, THP_SETTING_UNKNOWN);
	ck_assert_int_eq(system.shmem_enabled, THP_SETTING_UNKNOWN);
	ck_assert_uint_eq(system.pmd_bytes, 0);
	ck_assert_int_eq(system.use_zero_page, THP_COUNT_UNKNOWN);
	ck_assert_int_eq(system.khugepaged.defrag, 1);
	ck_assert_int_eq(system.khugepaged.pages_to_scan, THP_COUNT_UNKNOWN);
	ck_assert_int_eq(system.khugepaged.full_scans, THP_COUNT_UNKNOWN);
	ck_assert_int_eq(system.khugepaged.max_ptes_none, THP_COUNT_UNKNOWN);
	ck_assert_uint_eq(system.nr_sizes, 2); /* not hugepages-0kB, not hugepages-xkB */
	ck_assert_uint_eq(system.sizes[0].bytes, 65536);
	ck_assert_uint_eq(system.sizes[1].bytes, 131072);
	ck_assert_int_eq(system.sizes[1].enabled, THP_SETTING_NONE);
}
END_TEST

START_TEST(absent_or_hidden)
{
	ck_assert_int_eq(read_root(TESTS_ROOTS "/no-thp").presence, THP_ABSENT);
	ck_assert_int_eq(read_root(TESTS_ROOTS "/no-sysfs").presence, THP_HIDDEN);
}
END_TEST

/* Capabilities of a captured kernel: from its settings, and unknown where a call would tell. */
START_TEST(caps)
{
	static const struct {
		const char *root;
		enum thp_answer thp, sizes;
	} rows[] = {
		{TESTS_ROOTS "/linux-6.18", THP_YES, THP_YES},
		{TESTS_ROOTS "/linux-6.1", THP_YES, THP_NO},
		{TESTS_ROOTS "/no-thp", THP_NO, THP_NO},
		{TESTS_ROOTS "/no-sysfs", THP_UNKNOWN, THP_UNKNOWN},
	};

	for (size_t i = 0; i < NR(rows); i++) {
		struct thp_caps answers = {.size = sizeof(answers)};
		struct thp_ctx *ctx;

		ck_assert_int_eq(thp_open(&ctx, rows[i].root), 0);
		ck_assert_int_eq(thp_caps_read(ctx, &answers), 0);
		ck_assert_int_eq(answers.thp, rows[i].thp);
		ck_assert_int_eq(answers.sizes, rows[i].sizes);
		ck_assert_int_eq(answers.flag, THP_UNKNOWN);
		ck_assert_int_eq(answers.except_advised, THP_UNKNOWN);
		ck_assert_int_eq(answers.collapse, THP_UNKNOWN);
		thp_close(ctx);
	}
}
END_TEST

START_TEST(structure_size)
{
	struct thp_system system = {.size = sizeof(system) - 1, .pmd_bytes = 99};
	struct thp_ctx *ctx;

	ck_assert_int_eq(thp_open(&ctx, TESTS_ROOTS "/linux-6.18"), 0);
	ck_assert_int_eq(thp_system_read(ctx, &system), -EINVAL);
	ck_assert_uint_eq(system.pmd_bytes, 99);
	ck_assert_ptr_nonnull(strstr(thp_reason(ctx), "size"));
	thp_close(ctx);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("system");

	unit_add(suite, linux_6_18);
	unit_add(suite, strange);
	unit_add(suite, absent_or_hidden);
	unit_add(suite, caps);
	unit_add(suite, structure_size);
	return suite;
}
