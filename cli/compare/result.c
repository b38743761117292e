// SPDX-License-Identifier: MIT
#include "result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An arm whose memory was huge to less than this share tells nothing about huge pages. */
#define HARDLY       0.05
#define LOOKS_ENOUGH 10

enum measure result_measure(const struct program *program, bool *ret_less_is_better)
{
	*ret_less_is_better = !program->metric || program->less_is_better;
	return program->metric ? MEASURE_METRIC : MEASURE_WALL;
}

static double log_performance(const struct program *program, const struct run *run)
{
	bool less;
	double value = run->values[result_measure(program, &less)];

	return less ? -log(value) : log(value);
}

/* What looks from outside tell: it is not disturbed by what they cost. */
static bool looked_at(enum measure measure)
{
	return measure >= MEASURE_HUGE_PEAK && measure <= MEASURE_REMOTE_SHARE;
}

/* The values of one measure in the valid runs of an arm. Returns how many. */
static size_t gather(const struct compare *compare, size_t program, size_t arm,
		     enum measure measure, double *values)
{
	size_t nr = 0;

	for (size_t i = 0; i < compare->nr_runs; i++) {
		const struct run *run = &compare->runs[i];

		if (run->program == program && run->arm == arm && run->outcome == OUTCOME_OK &&
		    (!run->warmup || looked_at(measure)))
			values[nr++] = run->values[measure];
	}
	return nr;
}

/*
 * The run of an arm in the round of another run. Those of a round are neighbours, but for a resumed
 * one: the search goes outwards from it.
 */
static const struct run *find_partner(const struct compare *compare, size_t of, size_t arm)
{
	const struct run *run = &compare->runs[of];

	for (size_t d = 1; d <= of || of + d < compare->nr_runs; d++) {
		const struct run *before = d <= of ? run - d : run;
		const struct run *behind = of + d < compare->nr_runs ? run + d : run;

		if (run_counts(before, run->program, arm) && before->round == run->round)
			return before;
		if (run_counts(behind, run->program, arm) && behind->round == run->round)
			return behind;
	}
	return NULL;
}

/* The log ratios of an arm's pairs with the base. Returns how many. */
static size_t log_ratios(const struct compare *compare, size_t program, size_t arm, double *values)
{
	const struct settings *settings = compare->settings;
	const struct program *of = &compare->programs[program];
	size_t pairs = 0;

	for (size_t i = 0; i < compare->nr_runs; i++) {
		const struct run *on, *off = &compare->runs[i];

		if (!run_counts(off, program, arm) || off->outcome != OUTCOME_OK)
			continue;
		on = find_partner(compare, i, settings->base);
		if (on && on->outcome == OUTCOME_OK)
			values[pairs++] = (log_performance(of, off) - log_performance(of, on)) *
					  (settings->invert ? -1 : 1);
	}
	return pairs;
}

size_t result_outliers(const struct compare *compare, size_t program, size_t arm, bool *marks)
{
	double *values = malloc((compare->nr_runs + 1) * sizeof(*values));
	bool *found = malloc(compare->nr_runs + 1), less;
	size_t nr = 0, outliers = 0;

	memset(marks, 0, compare->nr_runs);
	if (values && found) {
		nr = gather(compare, program, arm,
			    result_measure(&compare->programs[program], &less), values);
		outliers = stats_outliers(values, nr, found);
		nr = 0;
		for (size_t i = 0; i < compare->nr_runs; i++) {
			if (run_counts(&compare->runs[i], program, arm) &&
			    compare->runs[i].outcome == OUTCOME_OK)
				marks[i] = found[nr++];
		}
	}
	free(values);
	free(found);
	return outliers;
}

/*
 * Looks from outside may come too early, and huge pages counted machine-wide may be another's. But
 * where none were counted the arm had none.
 */
static enum achieved achieved(const struct arm *arm, const struct arm_result *result,
			      uint64_t pmd_bytes)
{
	double share = result->values[MEASURE_SHARE_PEAK].value;
	double counted =
		result->values[MEASURE_THP_FAULT].value + result->values[MEASURE_COLLAPSE].value;
	double at_most = counted * (double)pmd_bytes / result->values[MEASURE_PEAK_RSS].value;

	if (arm->mode == THP_MODE_NEVER)
		return ACHIEVED_NOT_ASKED;
	if (share >= HARDLY)
		return ACHIEVED_SOME;
	/* Looked at so often without a huge page, it had none: what was counted is another's. */
	return at_most < HARDLY || result->looks >= LOOKS_ENOUGH ? ACHIEVED_NONE : ACHIEVED_UNKNOWN;
}

/* Few looks at each run: the peak of an arm is the highest that any of them saw. */
static struct interval highest(const double *values, size_t nr)
{
	double most = NAN;

	for (size_t i = 0; i < nr; i++)
		most = fmax(most, values[i]); /* of NAN and a number, the number */
	return (struct interval){most, most, most};
}

static void judge_arm(const struct compare *compare, size_t program, size_t arm, double *values,
		      struct arm_result *result)
{
	bool *marks = malloc(compare->nr_runs + 1);

	for (size_t i = 0; i < compare->nr_runs && !result->failed; i++) {
		const struct run *run = &compare->runs[i];

		if (run->program != program || run->arm != arm)
			continue;
		result->looks += run->samples;
		result->changed += run->changed;
		if (run->outcome != OUTCOME_OK)
			result->failed = run;
	}
	for (enum measure m = 0; m < NR_MEASURES; m++) {
		size_t nr = gather(compare, program, arm, m, values);

		result->values[m] = stats_median_interval(values, nr);
		if (m == MEASURE_WALL)
			result->runs = nr;
		if (m == MEASURE_HUGE_PEAK || m == MEASURE_SHARE_PEAK)
			result->values[m] = highest(values, nr);
	}
	result->achieved = achieved(&compare->settings->arms[arm], result, compare->pmd_bytes);
	if (marks)
		result->outliers = result_outliers(compare, program, arm, marks);
	free(marks);
}

static int compare_arms(const struct compare *compare, size_t program, bool invalid, double *values,
			struct comparison *comparison)
{
	const struct settings *settings = compare->settings;
	struct interval *ratio = &comparison->ratio;
	int r;

	*ratio = (struct interval){NAN, -INFINITY, INFINITY};
	comparison->pairs = log_ratios(compare, program, comparison->arm, values);
	if (invalid) {
		comparison->verdict = VERDICT_INVALID;
		return 0;
	}
	r = stats_paired(values, comparison->pairs, settings->seed, ratio);
	if (r == 0)
		comparison->verdict = stats_judge(ratio, comparison->pairs,
						  log1p(settings->matters), &comparison->more);
	return r;
}

int result_program(const struct compare *compare, size_t program, struct program_result *ret_result)
{
	const struct settings *settings = compare->settings;
	double *values = malloc((compare->nr_runs + 1) * sizeof(*values));
	struct program_result result = {0};
	int r = values ? 0 : -ENOMEM;

	for (size_t arm = 0; r == 0 && arm < settings->nr_arms; arm++)
		judge_arm(compare, program, arm, values, &result.arms[arm]);
	for (size_t arm = 0; r == 0 && arm < settings->nr_arms; arm++) {
		struct comparison *comparison = &result.comparisons[result.nr_comparisons];

		if (arm == settings->base)
			continue;
		comparison->arm = arm;
		r = compare_arms(compare, program,
				 result.arms[arm].failed || result.arms[settings->base].failed,
				 values, comparison);
		result.nr_comparisons++;
	}
	free(values);
	if (r == 0)
		*ret_result = result;
	return r;
}

int result_quick(const struct compare *compare, size_t program, size_t arm,
		 struct interval *ret_ratio, size_t *ret_pairs)
{
	double *values = malloc((compare->nr_runs + 1) * sizeof(*values));
	int r = -ENOMEM;

	if (values) {
		*ret_pairs = log_ratios(compare, program, arm, values);
		r = stats_paired_quick(values, *ret_pairs, ret_ratio);
	}
	free(values);
	return r;
}

bool result_sharp(const struct compare *compare, size_t program, double half)
{
	const struct settings *settings = compare->settings;
	struct program_result result;

	/* First by what takes no time: mostly that says no. */
	for (size_t arm = 0; arm < settings->nr_arms; arm++) {
		struct interval ratio;
		size_t pairs;

		if (arm != settings->base &&
		    (result_quick(compare, program, arm, &ratio, &pairs) < 0 ||
		     !(stats_half(&ratio) <= half)))
			return false;
	}
	if (result_program(compare, program, &result) < 0)
		return false;
	for (size_t i = 0; i < result.nr_comparisons; i++) {
		if (!(stats_half(&result.comparisons[i].ratio) <= half))
			return false;
	}
	return true;
}

static void make_means(struct result *result)
{
	struct interval *intervals = calloc(result->nr_programs + 1, sizeof(*intervals));

	for (size_t c = 0; intervals && c < result->nr_comparisons; c++) {
		size_t nr = 0;

		for (size_t p = 0; p < result->nr_programs; p++) {
			const struct comparison *from = &result->programs[p].comparisons[c];

			if (from->verdict != VERDICT_INVALID && isfinite(from->ratio.low))
				intervals[nr++] = from->ratio;
		}
		result->means[c] = stats_mean(intervals, nr);
		result->nr_means[c] = nr;
	}
	free(intervals);
}

int result_make(const struct compare *compare, struct result *ret_result)
{
	struct result result = {.nr_programs = compare->nr_programs,
				.nr_comparisons = compare->settings->nr_arms - 1};
	int r = 0;

	result.programs = calloc(compare->nr_programs + 1, sizeof(*result.programs));
	if (!result.programs)
		return -ENOMEM;
	for (size_t p = 0; r == 0 && p < compare->nr_programs; p++) {
		r = result_program(compare, p, &result.programs[p]);
		for (size_t arm = 0; r == 0 && arm < compare->settings->nr_arms; arm++)
			result.invalid = result.invalid || result.programs[p].arms[arm].failed;
	}
	if (r < 0) {
		free(result.programs);
		return r;
	}
	make_means(&result);
	*ret_result = result;
	return 0;
}

void result_free(struct result *result)
{
	free(result->programs);
}
