// SPDX-License-Identifier: MIT
/* Readers of kernel text: /proc/vmstat and /proc/PID/numa_maps. */
#include "unit.h"

#include "../../cli/compare/counters.h"
#include "../../cli/compare/numa.h"

#include <math.h>
#include <string.h>

START_TEST(vmstat)
{
	/* thp_split_pmd is told from thp_split_page and its relatives; what is absent is NAN. */
	static const char before[] = "nr_free_pages 5\nthp_fault_alloc 10\nthp_fault_alloc_x 99\n"
				     "thp_split_pmd 3\ncompact_stall 18446744073709551615\n";
	static const char after[] = "thp_fault_alloc 74\nthp_split_page_failed 8\nthp_split_pmd 3";
	double values[NR_MEASURES];
	struct counters a, b;

	counters_parse(before, &a);
	counters_parse(after, &b);
	counters_since(&a, &b, values);
	ck_assert_double_eq(values[MEASURE_THP_FAULT], 64);
	ck_assert_double_eq(values[MEASURE_SPLIT_PMD], 0);
	ck_assert_double_nan(values[MEASURE_SPLIT_PAGE]);
	ck_assert_double_nan(values[MEASURE_COMPACT_STALL]);
	counters_parse("", &a);
	ck_assert_double_nan(a.values[0]);
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

	unit_add(suite, vmstat);
	unit_add(suite, numa_maps);
	return suite;
}
