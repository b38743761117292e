// SPDX-License-Identifier: MIT
/*
 * Expected values are from elsewhere: scipy 1.10 (stats.binom, stats.t, brute force over all Walsh
 * averages with numpy), tables, or by hand where it says so.
 */
#include "unit.h"

#include "../../cli/compare/stats.h"

#include <math.h>
#include <string.h>

#define NEAR 1e-12

/*
 * Nine patients' depression scores before minus after treatment (Hollander and Wolfe 1973, p. 29);
 * R's wilcox.test(conf.int = TRUE) prints 0.46 and 0.010 to 0.786.
 */
static const double depression[] = {0.952, -0.147, 1.022,  0.430, 0.620,
				    0.590, 0.490,  -0.080, 0.010};

START_TEST(median)
{
	static const double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, holes[] = {NAN, 5, NAN, 7};

	ck_assert_double_eq(stats_median(odd, 3), 2);
	ck_assert_double_eq(stats_median(even, 4), 2.5);
	ck_assert_double_eq(stats_median(holes, 4), 6);
	ck_assert_double_nan(stats_median(odd, 0));
	ck_assert_double_nan(stats_median(holes, 1));
}
END_TEST

/* Ends are the order statistics that the binomial distribution names: scipy.stats.binom.cdf. */
START_TEST(median_interval)
{
	static const struct {
		size_t nr;
		size_t cut; /* ends are the cut-th value from either side; 0: none */
	} rows[] = {{5, 0}, {6, 1}, {9, 2}, {10, 2}, {20, 6}, {30, 10}, {50, 18}, {1000, 469}};
	double values[1000];

	for (size_t i = 0; i < NR(rows); i++) {
		struct interval got;

		/* 1 to nr, backwards: the k-th smallest value is k. */
		for (size_t v = 0; v < rows[i].nr; v++)
			values[v] = (double)(rows[i].nr - v);
		got = stats_median_interval(values, rows[i].nr);
		ck_assert_double_eq(got.value, ((double)rows[i].nr + 1) / 2);
		if (rows[i].cut == 0) {
			ck_assert_double_infinite(got.low);
			ck_assert_double_infinite(got.high);
		} else {
			ck_assert_double_eq(got.low, (double)rows[i].cut);
			ck_assert_double_eq(got.high, (double)(rows[i].nr + 1 - rows[i].cut));
		}
	}
}
END_TEST

/* Brute force: numpy.sort over all pairs. */
START_TEST(walsh)
{
	static const double first[] = {-0.147, -0.1135, -0.08,  -0.0685,
				       -0.035, 0.01,    0.1415, 0.1715};
	double sorted[NR(depression)];
	static const double ties[] = {1, 1, 1, 2};

	memcpy(sorted, depression, sizeof(sorted));
	stats_sort(sorted, NR(sorted));
	for (size_t k = 0; k < NR(first); k++)
		ck_assert_double_eq_tol(stats_walsh(sorted, NR(sorted), k + 1), first[k], NEAR);
	ck_assert_double_eq_tol(stats_walsh(sorted, NR(sorted), 45), 1.022, NEAR);
	/* By hand: 1 six times, 1.5 three times, 2 once. */
	ck_assert_double_eq_tol(stats_walsh(ties, 4, 6), 1, NEAR);
	ck_assert_double_eq_tol(stats_walsh(ties, 4, 7), 1.5, NEAR);
	ck_assert_double_eq_tol(stats_walsh(ties, 4, 9), 1.5, NEAR);
	ck_assert_double_eq_tol(stats_walsh(ties, 4, 10), 2, NEAR);
}
END_TEST

START_TEST(hodges_lehmann)
{
	double sorted[NR(depression)];
	static const double one[] = {7}, two[] = {1, 2}, wild[] = {1, 2, 3, 4, 1e9};

	memcpy(sorted, depression, sizeof(sorted));
	stats_sort(sorted, NR(sorted));
	ck_assert_double_eq_tol(stats_hodges_lehmann(sorted, NR(sorted)), 0.46, NEAR);
	ck_assert_double_eq_tol(stats_hodges_lehmann(one, 1), 7, NEAR);
	ck_assert_double_eq_tol(stats_hodges_lehmann(two, 2), 1.5, NEAR);
	/* By hand: of 15 averages the eighth is 3 (1 1.5 2 2 2.5 2.5 3 3 ...). */
	ck_assert_double_eq_tol(stats_hodges_lehmann(wild, 5), 3, NEAR);
}
END_TEST

/*
 * One more than the largest sum of ranks with a probability of at most 0.016, counted exactly with
 * Python's fractions; below 0.025 the same script gives the tables of every textbook (n = 10: 8).
 */
START_TEST(signed_rank)
{
	static const struct {
		size_t nr;
		uint64_t k;
	} rows[] = {{0, 0},    {5, 0},    {6, 1},    {7, 2},     {8, 3},   {9, 5},
		    {10, 7},   {12, 12},  {15, 23},  {16, 27},   {20, 48}, {25, 84},
		    {30, 129}, {40, 251}, {50, 416}, {100, 1903}};

	for (size_t i = 0; i < NR(rows); i++)
		ck_assert_uint_eq(stats_signed_rank(rows[i].nr), rows[i].k);
	/* Normal from here; exact are 1944 and 8295: never narrower, hardly wider. */
	ck_assert(stats_signed_rank(101) <= 1944 && stats_signed_rank(101) >= 1938);
	ck_assert(stats_signed_rank(200) <= 8295 && stats_signed_rank(200) >= 8278);
}
END_TEST

START_TEST(paired)
{
	/* By scipy and numpy: centre 0.01; signed-rank 0.0035 to 0.018; bootstrap of 20,000 draws,
	 * percentiles 0.518 and 99.482: 0.0035 to 0.01825. */
	static const double ratios[] = {0.012, -0.004, 0.021, 0.008, 0.015, -0.001,
					0.03,  0.007,  0.011, 0.018, 0.002, 0.009};
	struct interval got, again;

	ck_assert_int_eq(stats_paired(ratios, NR(ratios), 1, &got), 0);
	ck_assert_double_eq_tol(got.value, 0.01, NEAR);
	ck_assert_double_eq_tol(got.low, 0.0035, 0.0006);
	ck_assert_double_eq_tol(got.high, 0.01825, 0.0006);
	ck_assert_double_ge(got.high, 0.018 - NEAR);
	ck_assert_double_le(got.low, 0.0035 + NEAR);
	ck_assert_int_eq(stats_paired(ratios, NR(ratios), 1, &again), 0);
	ck_assert_mem_eq(&got, &again, sizeof(got));

	/* R's interval of the depression scores is exact: ours covers it. */
	ck_assert_int_eq(stats_paired(depression, NR(depression), 1, &got), 0);
	ck_assert_double_eq_tol(got.value, 0.46, NEAR);
	ck_assert_double_le(got.low, 0.010 + NEAR);
	ck_assert_double_ge(got.high, 0.786 - NEAR);
	ck_assert_double_ge(got.low, -0.147);
	ck_assert_double_le(got.high, 1.022);
}
END_TEST

/* Five pairs have no 95 % interval: even all on one side happen by chance in 6 % of cases. */
START_TEST(paired_few)
{
	struct interval got;

	ck_assert_int_eq(stats_paired(depression, 5, 1, &got), 0);
	ck_assert_double_infinite(got.low);
	ck_assert_double_infinite(got.high);
	ck_assert_int_eq(stats_paired(depression, 0, 1, &got), 0);
	ck_assert_double_nan(got.value);
}
END_TEST

/* Without noise there is no interval to speak of, and equal values are no trouble. */
START_TEST(paired_equal)
{
	static const double equal[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
	struct interval got;

	ck_assert_int_eq(stats_paired(equal, NR(equal), 1, &got), 0);
	ck_assert_double_eq_tol(got.value, 0.5, NEAR);
	ck_assert_double_eq_tol(got.low, 0.5, NEAR);
	ck_assert_double_eq_tol(got.high, 0.5, NEAR);
}
END_TEST

/* By hand: centres 1 and 3, half widths 3 and 4 below, 6 and 8 above: 5 / 2 and 10 / 2. */
START_TEST(mean)
{
	static const struct interval of[] = {{1, -2, 7}, {3, -1, 11}};
	struct interval got = stats_mean(of, 2);

	ck_assert_double_eq_tol(got.value, 2, NEAR);
	ck_assert_double_eq_tol(got.low, 2 - 2.5, NEAR);
	ck_assert_double_eq_tol(got.high, 2 + 5, NEAR);
}
END_TEST

/* numpy: median 10.075, MAD 0.1; modified z-scores 26.5 of 14.0, 7.25 of 9.0, others below 1.2. */
START_TEST(outliers)
{
	static const double values[] = {10.1, 10.2, 9.9, 10.0, 10.05, 10.15, 9.95, 14.0, 10.1, 9.0};
	static const double equal[] = {1, 1, 1, 1, 2};
	bool marks[NR(values)];

	ck_assert_uint_eq(stats_outliers(values, NR(values), marks), 2);
	for (size_t i = 0; i < NR(values); i++)
		ck_assert(marks[i] == (i == 7 || i == 9));
	ck_assert_uint_eq(stats_outliers(equal, NR(equal), marks), 0);
}
END_TEST

START_TEST(judge)
{
	static const struct {
		struct interval interval;
		size_t nr;
		enum verdict verdict;
		uint64_t more;
	} rows[] = {
		{{0.02, 0.01, 0.03}, 10, VERDICT_FASTER, 0},
		{{-0.02, -0.03, -0.0001}, 10, VERDICT_SLOWER, 0},
		{{0.001, -0.005, 0.006}, 10, VERDICT_SAME, 0},
		{{0, 0, 0}, 10, VERDICT_SAME, 0},
		/* By hand: half width 0.04 is to become 0.01: 16 times the pairs, 150 more. */
		{{0, -0.04, 0.03}, 10, VERDICT_UNRESOLVED, 150},
		/* By hand: it excludes 0 once the half width is 0.02: 4 times the pairs. */
		{{0.02, -0.02, 0.06}, 10, VERDICT_UNRESOLVED, 30},
		/* Too few for an interval. */
		{{0.02, -INFINITY, INFINITY}, 2, VERDICT_UNRESOLVED, 4},
	};

	for (size_t i = 0; i < NR(rows); i++) {
		uint64_t more = 7;

		ck_assert_msg(stats_judge(&rows[i].interval, rows[i].nr, 0.01, &more) ==
				      rows[i].verdict,
			      "row %zu", i);
		ck_assert_uint_eq(more, rows[i].more);
	}
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("compare-stats");

	unit_add(suite, median);
	unit_add(suite, median_interval);
	unit_add(suite, walsh);
	unit_add(suite, hodges_lehmann);
	unit_add(suite, signed_rank);
	unit_add(suite, paired);
	unit_add(suite, paired_few);
	unit_add(suite, paired_equal);
	unit_add(suite, mean);
	unit_add(suite, outliers);
	unit_add(suite, judge);
	return suite;
}
