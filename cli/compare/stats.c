// SPDX-License-Identifier: MIT
#include "stats.h"

#include "random.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAIL_95 0.025
/*
 * Ratios are to cover with at least 95 %, and a verdict rests on it: at the limit itself every
 * third series of 200 comparisons of a mode with itself would see more than 10 differences. So they
 * aim at 96.8 %, which is the most that 6 pairs can give.
 */
#define TAIL_RATIO (STATS_CHANCE / 2)
#define Z_RATIO    2.1444106209118403 /* 98.4 % quantile of the normal distribution */
#define RESAMPLES  2000
#define Z_975      1.959963984540054 /* 97.5 % quantile of the normal distribution */

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

void stats_sort(double *values, size_t nr)
{
	if (nr > 1)
		qsort(values, nr, sizeof(*values), by_value);
}

static double sorted_median(const double *sorted, size_t nr)
{
	if (nr == 0)
		return NAN;
	return nr % 2 ? sorted[nr / 2] : (sorted[nr / 2 - 1] + sorted[nr / 2]) / 2;
}

/* A sorted copy of the values that are numbers; the caller frees it. NULL: no memory. */
static double *sorted_copy(const double *values, size_t nr, size_t *ret_nr)
{
	double *copy = malloc((nr + 1) * sizeof(*copy));
	size_t kept = 0;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		if (!isnan(values[i]))
			copy[kept++] = values[i];
	}
	stats_sort(copy, kept);
	*ret_nr = kept;
	return copy;
}

double stats_median(const double *values, size_t nr)
{
	size_t kept;
	double *sorted = sorted_copy(values, nr, &kept), median;

	if (!sorted)
		return NAN;
	median = sorted_median(sorted, kept);
	free(sorted);
	return median;
}

/*
 * How many values to cut from either end so that the rest still spans the median with 95 %; 0: not
 * even all of them do. Counts of values below the median are binomial with one half.
 */
static size_t median_cut(size_t nr)
{
	double p = exp2(-(double)nr), below = 0;
	size_t cut = 0;

	if (nr > 1000) /* 2^-nr would vanish; by then the normal distribution is exact enough */
		return (size_t)((double)nr / 2 - Z_975 * sqrt((double)nr) / 2);
	while (cut < nr / 2) {
		below += p;
		if (below > TAIL_95)
			break;
		p = p * (double)(nr - cut) / (double)(cut + 1);
		cut++;
	}
	return cut;
}

struct interval stats_median_interval(const double *values, size_t nr)
{
	struct interval result = {.value = NAN, .low = -INFINITY, .high = INFINITY};
	size_t kept, cut;
	double *sorted = sorted_copy(values, nr, &kept);

	if (!sorted)
		return result;
	result.value = sorted_median(sorted, kept);
	cut = median_cut(kept);
	if (cut > 0) {
		result.low = sorted[cut - 1];
		result.high = sorted[kept - cut];
	}
	free(sorted);
	return result;
}

/* How many Walsh averages are at most limit: for each value its partners end further left. */
static uint64_t walsh_at_most(const double *sorted, size_t nr, double limit)
{
	uint64_t count = 0;
	size_t end = nr; /* partners of i are sorted[i] to sorted[end - 1] */

	for (size_t i = 0; i < nr; i++) {
		while (end > i && (sorted[i] + sorted[end - 1]) / 2 > limit)
			end--;
		if (end <= i)
			break;
		count += end - i;
	}
	return count;
}

double stats_walsh(const double *sorted, size_t nr, uint64_t k)
{
	double low = nr ? sorted[0] : NAN, high = nr ? sorted[nr - 1] : NAN;

	/* Halving the range ends at neighbouring numbers: no list of nr^2 / 2 averages is made. */
	if (nr == 0 || walsh_at_most(sorted, nr, low) >= k)
		return low;
	for (;;) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return high;
		if (walsh_at_most(sorted, nr, middle) >= k)
			high = middle;
		else
			low = middle;
	}
}

double stats_hodges_lehmann(const double *sorted, size_t nr)
{
	uint64_t averages = (uint64_t)nr * (nr + 1) / 2, half = averages / 2;

	if (nr == 0)
		return NAN;
	if (averages % 2)
		return stats_walsh(sorted, nr, half + 1);
	return (stats_walsh(sorted, nr, half) + stats_walsh(sorted, nr, half + 1)) / 2;
}

/* Above this the normal distribution serves: two ranks in 1000 wider than the exact one. */
#define SIGNED_RANK_EXACT 100

uint64_t stats_signed_rank(size_t nr)
{
	double probability[SIGNED_RANK_EXACT * (SIGNED_RANK_EXACT + 1) / 2 + 1] = {1.0};
	double below = 0, n = (double)nr;
	size_t top = nr * (nr + 1) / 2;
	uint64_t k = 0;

	if (nr > SIGNED_RANK_EXACT)
		return (uint64_t)(n * (n + 1) / 4 - Z_RATIO * sqrt(n * (n + 1) * (2 * n + 1) / 24));
	/* Each rank counts, or does not, with one half: the sum's distribution, rank by rank. */
	for (size_t rank = 1; rank <= nr; rank++) {
		for (size_t sum = top + 1; sum-- > 0;)
			probability[sum] =
				(probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) /
				2;
	}
	while (k < top / 2) {
		below += probability[k];
		if (below > TAIL_RATIO)
			break;
		k++;
	}
	return k;
}

/* The same quantile of Student's t, by the expansion of Abramowitz and Stegun 26.7.5. */
static double student(size_t freedom)
{
	const double z = Z_RATIO, v = (double)freedom, z3 = z * z * z, z5 = z3 * z * z,
		     z7 = z5 * z * z;

	return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

/* Draws as many of the ascending values as there are, with repetition; ascending again. */
static void resample(const double *sorted, size_t nr, uint32_t *counts, uint64_t *state,
		     double *ret_drawn)
{
	size_t out = 0;

	memset(counts, 0, nr * sizeof(*counts));
	for (size_t i = 0; i < nr; i++)
		counts[random_below(state, (uint32_t)nr)]++;
	for (size_t i = 0; i < nr; i++) {
		for (uint32_t c = 0; c < counts[i]; c++)
			ret_drawn[out++] = sorted[i];
	}
}

static int bootstrap(const double *sorted, size_t nr, uint64_t seed, struct interval *interval)
{
	double n = (double)nr;
	double tail = erfc(sqrt(n / (n - 1)) * student(nr - 1) / M_SQRT2) / 2;
	size_t cut = (size_t)(tail * RESAMPLES);
	double *centres = malloc(RESAMPLES * sizeof(*centres));
	double *drawn = malloc((nr + 1) * sizeof(*drawn));
	uint32_t *counts = malloc((nr + 1) * sizeof(*counts));
	int r = centres && drawn && counts ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < RESAMPLES; i++) {
		resample(sorted, nr, counts, &seed, drawn);
		centres[i] = stats_hodges_lehmann(drawn, nr);
	}
	if (r == 0) {
		stats_sort(centres, RESAMPLES);
		interval->low = centres[cut];
		interval->high = centres[RESAMPLES - 1 - cut];
	}
	free(centres);
	free(drawn);
	free(counts);
	return r;
}

/* Of ascending values. */
static struct interval signed_rank(const double *sorted, size_t nr)
{
	uint64_t averages = (uint64_t)nr * (nr + 1) / 2, k = stats_signed_rank(nr);
	struct interval result = {.low = -INFINITY, .high = INFINITY};

	result.value = stats_hodges_lehmann(sorted, nr);
	if (k > 0) {
		result.low = stats_walsh(sorted, nr, k);
		result.high = stats_walsh(sorted, nr, averages + 1 - k);
	}
	return result;
}

int stats_paired_quick(const double *log_ratios, size_t nr, struct interval *ret_interval)
{
	size_t kept;
	double *sorted = sorted_copy(log_ratios, nr, &kept);

	if (!sorted)
		return -ENOMEM;
	*ret_interval = signed_rank(sorted, kept);
	free(sorted);
	return 0;
}

int stats_paired(const double *log_ratios, size_t nr, uint64_t seed, struct interval *ret_interval)
{
	struct interval wide, other;
	size_t kept;
	double *sorted = sorted_copy(log_ratios, nr, &kept);
	int r = 0;

	if (!sorted)
		return -ENOMEM;
	wide = signed_rank(sorted, kept);
	if (isfinite(wide.low)) {
		r = bootstrap(sorted, kept, seed, &other);
		if (r == 0) {
			wide.low = fmin(wide.low, other.low);
			wide.high = fmax(wide.high, other.high);
		}
	}
	free(sorted);
	if (r == 0)
		*ret_interval = wide;
	return r;
}

struct interval stats_mean(const struct interval *intervals, size_t nr)
{
	struct interval mean = {0};
	double below = 0, above = 0, n = (double)nr;

	for (size_t i = 0; i < nr; i++) {
		double l = intervals[i].value - intervals[i].low;
		double h = intervals[i].high - intervals[i].value;

		mean.value += intervals[i].value / n;
		below += l * l;
		above += h * h;
	}
	mean.low = mean.value - sqrt(below) / n;
	mean.high = mean.value + sqrt(above) / n;
	return mean;
}

size_t stats_outliers(const double *values, size_t nr, bool *ret_marks)
{
	double median = stats_median(values, nr), spread;
	double *distances = calloc(nr + 1, sizeof(*distances));
	size_t found = 0;

	memset(ret_marks, 0, nr * sizeof(*ret_marks));
	if (!distances)
		return 0;
	for (size_t i = 0; i < nr; i++)
		distances[i] = fabs(values[i] - median);
	spread = stats_median(distances, nr);
	for (size_t i = 0; spread > 0 && i < nr; i++) {
		ret_marks[i] = 0.6745 * distances[i] / spread > 3.5;
		found += ret_marks[i];
	}
	free(distances);
	return found;
}

enum verdict stats_judge(const struct interval *interval, size_t nr, double matters,
			 uint64_t *ret_more)
{
	const uint64_t least = 6; /* below, no interval has 95 % */
	double size = fabs(interval->value), half, target, pairs;

	*ret_more = 0;
	if (interval->low > 0)
		return VERDICT_FASTER;
	if (interval->high < 0)
		return VERDICT_SLOWER;
	if (interval->low >= -matters && interval->high <= matters)
		return VERDICT_SAME;
	half = stats_half(interval);
	if (!isfinite(half)) {
		*ret_more = nr < least ? least - nr : 1;
		return VERDICT_UNRESOLVED;
	}
	/*
	 * The interval shrinks with the square root of the runs. It is resolved once it excludes 0,
	 * or once it fits between what does not matter, whichever comes first.
	 */
	target = fmax(size, matters - size);
	pairs = (double)nr * (half / target) * (half / target);
	*ret_more = pairs > 1e9 ? 1000000000 : (uint64_t)fmax(1, ceil(pairs - (double)nr));
	return VERDICT_UNRESOLVED;
}
