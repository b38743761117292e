/* SPDX-License-Identifier: MIT */
/*
 * Statistics of paired runs. Pure: no files, no clock, no global state; the same input and seed
 * give the same result.
 */
#ifndef CLI_COMPARE_STATS_H
#define CLI_COMPARE_STATS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An estimate and its 95 % confidence interval; infinite ends where the runs are too few. */
struct interval {
	double value;
	double low;
	double high;
};

/* Half the width of an interval, on its wider side. */
static inline double stats_half(const struct interval *interval)
{
	return fmax(interval->high - interval->value, interval->value - interval->low);
}

/* Sorts in place, ascending. */
void stats_sort(double *values, size_t nr);

/* Median; NAN of nothing. Values that are NAN (not measured) are left out. -ENOMEM gives NAN. */
double stats_median(const double *values, size_t nr);

/* Median with an exact interval between order statistics (by the binomial distribution). */
struct interval stats_median_interval(const double *values, size_t nr);

/*
 * Hodges-Lehmann estimate of the centre of nr ascending values: the median of all averages of two
 * (Walsh averages, each value with itself too). Nearly as sharp as the mean where noise is normal,
 * and a few wild runs cannot move it.
 */
double stats_hodges_lehmann(const double *sorted, size_t nr);

/* The k-th smallest (from 1) of the nr (nr + 1) / 2 Walsh averages of ascending values. */
double stats_walsh(const double *sorted, size_t nr, uint64_t k);

/*
 * Wilcoxon's signed-rank distribution for nr values: the largest rank k so that an interval from
 * the k-th smallest to the k-th largest Walsh average covers the centre with 96.8 % or more;
 * 0: there is none (nr below 6).
 */
uint64_t stats_signed_rank(size_t nr);

/*
 * Centre of paired log ratios with a 95 % interval: the wider, on each side, of two. The bootstrap
 * follows the shape of the noise but is too narrow for few runs, even with its percentiles widened
 * by Student's t (Hesterberg 2015, "expanded percentile"); the signed-rank interval is exact for
 * any symmetric noise, and random order makes it symmetric where the arms do not differ. -ENOMEM.
 */
int stats_paired(const double *log_ratios, size_t nr, uint64_t seed, struct interval *ret_interval);

/* The latter of the two alone, which takes no time; stats_paired()'s is at least as wide. -ENOMEM.
 */
int stats_paired_quick(const double *log_ratios, size_t nr, struct interval *ret_interval);

/*
 * Mean of independent estimates with its interval, from their own intervals by the squares of the
 * distances (MOVER, Zou and Donner 2008). Of log ratios: the geometric mean over a suite.
 */
struct interval stats_mean(const struct interval *intervals, size_t nr);

/*
 * Marks values that stand out: a modified z-score above 3.5 (Iglewicz and Hoaglin 1993). Returns
 * how many. Where more than half are equal nothing stands out by this measure.
 */
size_t stats_outliers(const double *values, size_t nr, bool *ret_marks);

/* So often an interval of a ratio excludes 1 where there is no difference. */
#define STATS_CHANCE 0.032

/* What can be said of a difference. */
enum verdict {
	VERDICT_INVALID,    /* an arm failed: nothing */
	VERDICT_UNRESOLVED, /* the interval holds both no difference and one that matters */
	VERDICT_SAME,       /* no clear difference: the interval holds 0 and nothing that matters */
	VERDICT_FASTER,     /* above 0 throughout */
	VERDICT_SLOWER,     /* below 0 throughout */
};

/*
 * Judges the interval of a log ratio from nr pairs. matters is the smallest difference of interest,
 * as a log ratio. *ret_more becomes an estimate of how many more pairs would resolve it, or 0.
 */
enum verdict stats_judge(const struct interval *interval, size_t nr, double matters,
			 uint64_t *ret_more);

#endif /* CLI_COMPARE_STATS_H */
