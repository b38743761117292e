// SPDX-License-Identifier: MIT
/* From runs to verdict and reason, with runs whose answer is known. */
#include "unit.h"

#include "../../cli/compare/reason.h"
#include "../../cli/compare/report.h"
#include "../../cli/compare/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS 12

static struct run runs[2 * PAIRS];
static struct settings settings;
static struct program program;
static struct compare compare;

/* never takes factor times as long as always; +-1 % of noise that both share, so pairs cancel it.
 */
static void set_up(double factor)
{
	memset(&settings, 0, sizeof(settings));
	memset(&program, 0, sizeof(program));
	settings.nr_arms = 2;
	settings.base = 1;
	settings.matters = 0.01;
	settings.arms[0] = (struct arm){.mode = THP_MODE_NEVER, .label = "never"};
	settings.arms[1] = (struct arm){.mode = THP_MODE_ALWAYS, .label = "always"};
	for (size_t i = 0; i < NR(runs); i++) {
		double base = 1 + (double)(i / 2 % 3) * 0.01;

		memset(&runs[i], 0, sizeof(runs[i]));
		for (size_t m = 0; m < NR_MEASURES; m++)
			runs[i].values[m] = NAN;
		runs[i].arm = i % 2;
		runs[i].round = i / 2;
		runs[i].values[MEASURE_WALL] = i % 2 ? base : base * factor;
		runs[i].values[MEASURE_PEAK_RSS] = 256 << 20;
		runs[i].values[MEASURE_SHARE_PEAK] = i % 2 ? 0.9 : 0;
		runs[i].values[MEASURE_THP_FAULT] = i % 2 ? 128 : 0;
		runs[i].values[MEASURE_COLLAPSE] = 0;
	}
	compare = (struct compare){.settings = &settings,
				   .pmd_bytes = 2 << 20,
				   .programs = &program,
				   .nr_programs = 1,
				   .runs = runs,
				   .nr_runs = NR(runs)};
}

static struct program_result judge(void)
{
	struct program_result result;

	ck_assert_int_eq(result_program(&compare, 0, &result), 0);
	ck_assert_uint_eq(result.nr_comparisons, 1);
	return result;
}

START_TEST(direction)
{
	struct program_result result;

	set_up(0.8); /* off takes 0.8 of the time: its performance is 1.25 times as high */
	result = judge();
	ck_assert_uint_eq(result.comparisons[0].verdict, VERDICT_FASTER);
	ck_assert_double_eq_tol(exp(result.comparisons[0].ratio.value), 1.25, 1e-9);
	settings.invert = true;
	result = judge();
	ck_assert_uint_eq(result.comparisons[0].verdict, VERDICT_SLOWER);
	ck_assert_double_eq_tol(exp(result.comparisons[0].ratio.value), 0.8, 1e-9);
}
END_TEST

/* More of a metric is better, unless less is. */
START_TEST(metric)
{
	char pattern[] = "x";

	set_up(1);
	program.metric = pattern;
	for (size_t i = 0; i < NR(runs); i++)
		runs[i].values[MEASURE_METRIC] = i % 2 ? 10 : 20;
	ck_assert_double_eq_tol(exp(judge().comparisons[0].ratio.value), 2, 1e-9);
	program.less_is_better = true;
	ck_assert_double_eq_tol(exp(judge().comparisons[0].ratio.value), 0.5, 1e-9);
}
END_TEST

START_TEST(same)
{
	set_up(1);
	ck_assert_uint_eq(judge().comparisons[0].verdict, VERDICT_SAME);
}
END_TEST

/* One failed run takes its arm out, whatever the others say. */
START_TEST(failed)
{
	struct program_result result;

	set_up(0.8);
	runs[7].outcome = OUTCOME_STATUS;
	runs[7].detail = 3;
	result = judge();
	ck_assert_uint_eq(result.comparisons[0].verdict, VERDICT_INVALID);
	ck_assert_ptr_eq(result.arms[1].failed, &runs[7]);
	ck_assert_ptr_null(result.arms[0].failed);
}
END_TEST

static enum achieved achieved_with(double share, double faults)
{
	set_up(1);
	for (size_t i = 1; i < NR(runs); i += 2) {
		runs[i].values[MEASURE_SHARE_PEAK] = share;
		runs[i].values[MEASURE_THP_FAULT] = faults;
	}
	return judge().arms[1].achieved;
}

START_TEST(achieved)
{
	ck_assert_uint_eq(achieved_with(0.9, 128), ACHIEVED_SOME);
	ck_assert_uint_eq(achieved_with(0, 0), ACHIEVED_NONE);
	ck_assert_uint_eq(achieved_with(NAN, 0), ACHIEVED_NONE);
	/* The look came too early, or another process's faults were counted: nobody knows. */
	ck_assert_uint_eq(achieved_with(0, 128), ACHIEVED_UNKNOWN);
	ck_assert_uint_eq(achieved_with(NAN, 128), ACHIEVED_UNKNOWN);
	ck_assert_uint_eq(achieved_with(NAN, NAN), ACHIEVED_UNKNOWN);
	achieved_with(0, 128);
	for (size_t i = 1; i < NR(runs); i += 2)
		runs[i].samples = 2;
	ck_assert_uint_eq(judge().arms[1].achieved, ACHIEVED_NONE);
	ck_assert_uint_eq(judge().arms[0].achieved, ACHIEVED_NOT_ASKED);
}
END_TEST

/* The slow arm's values of a measure, the fast arm's, and a word of the reason. */
static void set_measure(enum measure measure, double never, double always)
{
	for (size_t i = 0; i < NR(runs); i++)
		runs[i].values[measure] = i % 2 ? always : never;
}

static char *reason(char buf[REASON_MAX])
{
	struct program_result result = judge();

	return reason_text(buf, &compare, &result, &result.comparisons[0]);
}

START_TEST(reasons)
{
	char text[REASON_MAX];

	set_up(1);
	ck_assert_str_eq(reason(text), ""); /* nothing to explain */

	set_up(1.25); /* never is slower */
	ck_assert_msg(strstr(reason(text), "cause not measured"), "%s", text);
	ck_assert_msg(strstr(text, "no hardware counters"), "%s", text);

	set_measure(MEASURE_USER, 0.9, 0.9);
	set_measure(MEASURE_SYSTEM, 0.3, 0.05);
	set_measure(MEASURE_MINOR_FAULTS, 65536, 128);
	ck_assert_msg(strstr(reason(text), "fewer page faults (minor faults 65536 -> 128)"), "%s",
		      text);
	ck_assert_msg(!strstr(text, "not measured"), "%s", text);

	/* The same faults where system time does not differ are no cause. */
	set_measure(MEASURE_SYSTEM, 0.05, 0.05);
	set_measure(MEASURE_USER, 1.15, 0.9);
	ck_assert_msg(!strstr(reason(text), "fewer page faults"), "%s", text);
	ck_assert_msg(strstr(text, "cause not measured"), "%s", text);

	set_measure(MEASURE_CYCLES, 4e9, 3e9);
	set_measure(MEASURE_DTLB_MISSES, 5e7, 1e6);
	ck_assert_msg(strstr(reason(text), "fewer page table walks"), "%s", text);

	/* The other way round: always is slower, it waits for compaction and takes more memory. */
	set_up(0.8);
	set_measure(MEASURE_USER, 0.5, 0.5);
	set_measure(MEASURE_SYSTEM, 0.1, 0.35);
	set_measure(MEASURE_COMPACT_STALL, 0, 40);
	set_measure(MEASURE_PEAK_RSS, 2 << 20, 257 << 20);
	ck_assert_msg(strstr(reason(text), "no waiting for compaction"), "%s", text);
	ck_assert_msg(strstr(text, "less memory touched (peak RSS 257 MiB -> 2 MiB)"), "%s", text);

	set_measure(MEASURE_REMOTE_SHARE, 0.02, 0.9);
	ck_assert_msg(strstr(reason(text), "memory nearer to its users"), "%s", text);

	set_measure(MEASURE_REMOTE_SHARE, NAN, NAN);
	set_measure(MEASURE_REMOTE_HINTS, 0.1, 0.75);
	ck_assert_msg(strstr(reason(text),
			     "nearer to its users (accesses to remote nodes 75.0 % -> "
			     "10.0 %)"),
		      "%s", text);

	/* Inverting the ratio does not swap who was fast. */
	settings.invert = true;
	ck_assert_msg(strstr(reason(text), "peak RSS 257 MiB -> 2 MiB"), "%s", text);
}
END_TEST

/* All notes of an arm, a line each. */
static char *notes(char *buf, size_t size, size_t arm)
{
	struct program_result results = judge();
	struct result result = {.programs = &results, .nr_programs = 1, .nr_comparisons = 1};
	struct report report = {.compare = &compare, .result = &result};
	char text[REPORT_TEXT_MAX];
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned i = 0; report_warning(text, &report, 0, arm, i) && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s\n", text);
	return buf;
}

START_TEST(warnings)
{
	static char policy[] = "OMP_WAIT_POLICY=passive";
	char *environment[] = {policy, NULL}, text[4096];

	set_up(1);
	ck_assert_str_eq(notes(text, sizeof(text), 0), "");
	ck_assert_str_eq(notes(text, sizeof(text), 1), "");

	/* Two CPUs busy, and others want them: the threads may spin. */
	unsetenv("OMP_WAIT_POLICY");
	set_measure(MEASURE_USER, 1.9, 1);
	set_measure(MEASURE_SYSTEM, 0.05, 0);
	set_measure(MEASURE_PREEMPTED, 500, 500);
	ck_assert_msg(strstr(notes(text, sizeof(text), 0), "OMP_WAIT_POLICY=passive"), "%s", text);
	ck_assert_str_eq(notes(text, sizeof(text), 1), ""); /* one thread never waits */
	program.environment = environment;
	ck_assert_str_eq(notes(text, sizeof(text), 0), "");
	program.environment = NULL;
	set_measure(MEASURE_PREEMPTED, 10, 10);
	ck_assert_str_eq(notes(text, sizeof(text), 0), "");

	/* A setting that somebody changed meanwhile. */
	runs[5].changed = true;
	ck_assert_str_eq(notes(text, sizeof(text), 0), "");
	ck_assert_msg(strstr(notes(text, sizeof(text), 1), "settings during 1 of its runs"), "%s",
		      text);

	/* Outliers are counted, and so many named as a person reads. */
	set_up(1);
	for (size_t i = 0; i < 12; i += 2)
		runs[i].values[MEASURE_WALL] = 3;
	ck_assert_str_eq(notes(text, sizeof(text), 0), "");
	runs[10].values[MEASURE_WALL] = 1;
	runs[12].values[MEASURE_WALL] = 1.01;
	ck_assert_str_eq(
		notes(text, sizeof(text), 0),
		"never: 5 outliers of 12 runs, counted and not dropped: run 1, 2, 3, 4, 5\n");
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("compare-result");

	unit_add(suite, direction);
	unit_add(suite, metric);
	unit_add(suite, same);
	unit_add(suite, failed);
	unit_add(suite, achieved);
	unit_add(suite, reasons);
	unit_add(suite, warnings);
	return suite;
}
