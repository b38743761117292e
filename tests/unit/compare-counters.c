// SPDX-License-Identifier: MIT
/* Counters of the machine around a run; /proc/PID/numa_maps. */
#include "unit.h"

#include "../../cli/compare/counters.h"
#include "../../cli/compare/numa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The counters of a tree that holds one file. */
static void read_vmstat(const char *text, struct thp_activity *ret_counters)
{
	char root[] = "/tmp/thp-counters-XXXXXX", path[64];
	struct thp_ctx *ctx;
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/proc", root);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/proc/vmstat", root);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(thp_open(&ctx, root), 0);
	counters_read(ctx, ret_counters);
	thp_close(ctx);
	ck_assert_int_eq(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/proc", root);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(rmdir(root), 0);
}

START_TEST(activity)
{
	/* One name is the head of another; what is absent, or absurd, is unknown and never 0. */
	static const char first[] = "nr_free_pages 5\nthp_fault_alloc 10\nthp_fault_alloc_x 99\n"
				    "thp_split_pmd 3\ncompact_stall 18446744073709551615\n"
				    "compact_fail 1\nnuma_miss 7\n";
	static const char second[] =
		"thp_fault_alloc 74\nthp_split_page_failed 8\nthp_split_pmd 3\n"
		"compact_stall 5\ncompact_fail 4\nnuma_miss 7\n";
	double values[NR_MEASURES];
	struct thp_activity a, b;

	read_vmstat(first, &a);
	read_vmstat(second, &b);
	counters_since(&a, &b, values);
	ck_assert_double_eq(values[MEASURE_THP_FAULT], 64);
	ck_assert_double_eq(values[MEASURE_SPLIT_PMD], 0);
	ck_assert_double_eq(values[MEASURE_COMPACT_FAIL], 3);
	ck_assert_double_eq(values[MEASURE_NUMA_MISS], 0);
	ck_assert_double_nan(values[MEASURE_SPLIT_PAGE]);
	ck_assert_double_nan(values[MEASURE_COMPACT_STALL]);
	read_vmstat("", &a);
	counters_since(&a, &b, values);
	for (size_t m = MEASURE_ACTIVITY; m < MEASURE_PERF; m++)
		ck_assert_double_nan(values[m]);
}
END_TEST

/* Lines of Documentation/filesystems/proc.rst's form. */
START_TEST(numa_maps)
{
	static const char text[] =
		"7f0000000000 default anon=3 dirty=3 active=0 N0=2 N1=1 kernelpagesize_kB=4\n"
		"7f0000200000 interleave:0-1 file=/tmp/N7=9\\040x N3=5 kernelpagesize_kB=4\n"
		"7f0000400000 default anon=2 huge dirty=2 N3=2 kernelpagesize_kB=2048\n"
		"7f0000600000 default stack\n";
	struct numa numa;

	memset(&numa, 0, sizeof(numa));
	numa_add_maps(&numa, text);
	ck_assert_uint_eq(numa.bytes[0], 8192);
	ck_assert_uint_eq(numa.bytes[1], 4096);
	ck_assert_uint_eq(numa.bytes[3], 5 * 4096 + (4 << 20));
	ck_assert_uint_eq(numa.bytes[7], 0);

	/* No thread seen: nothing is known. */
	ck_assert_double_nan(numa_remote(&numa));
	numa.threads[3] = 1;
	ck_assert_double_eq_tol(numa_remote(&numa), 12288.0 / (12288 + 20480 + (4 << 20)), 1e-12);
	numa.threads[0] = numa.threads[1] = 2;
	ck_assert_double_eq(numa_remote(&numa), 0);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("compare-counters");

	unit_add(suite, activity);
	unit_add(suite, numa_maps);
	return suite;
}
