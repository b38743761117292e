// SPDX-License-Identifier: MIT
/* The page for a terminal. */
#include "report.h"

#include "reason.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL 27 /* columns of a measure's title */
#define CELL  30 /* of a value, at least */

static void print_header(const struct report *report)
{
	const struct settings *settings = report->compare->settings;
	char text[REPORT_TEXT_MAX];

	printf("%-10s%s\n", "modes", report_modes(text, report));
	printf("%-10s%s\n", "machine", report_machine(text, report));
	/* A suite's tables say it at their heads. */
	for (size_t c = 0; !settings->suite && c < report->result->nr_comparisons; c++)
		printf("%-10s%s\n", "ratio",
		       report_direction(text, report, &report->result->programs[0].comparisons[c]));
}

#define CELL_MAX 128

static char *cell(char buf[CELL_MAX], const struct arm_result *arm, enum measure measure)
{
	const struct interval *value = &arm->values[measure];
	char middle[MEASURE_TEXT_MAX], low[MEASURE_TEXT_MAX], high[MEASURE_TEXT_MAX];

	measure_text(middle, measure, value->value);
	/* A counter that stands still has no interval worth a place. */
	if (!isfinite(value->low) || value->low == value->high)
		snprintf(buf, CELL_MAX, "%s", middle);
	else
		snprintf(buf, CELL_MAX, "%s [%s, %s]", middle,
			 measure_text(low, measure, value->low),
			 measure_text(high, measure, value->high));
	return buf;
}

/* Hardware counters say n/a; a metric that nobody asked for, or NUMA on one node, says nothing. */
static bool worth_a_line(const struct report *report, enum measure measure)
{
	if (measure >= MEASURE_NUMA_MISS && measure <= MEASURE_HINTS_LOCAL &&
	    report->machine->nodes == 1)
		return false;
	return report_measured(report, measure < MEASURE_PERF ? measure : MEASURE_WALL);
}

static void print_measures(const struct report *report, size_t program)
{
	const struct settings *settings = report->compare->settings;
	const struct arm_result *arms = report->result->programs[program].arms;
	char text[CELL_MAX];
	int width = CELL;

	for (enum measure m = 0; m < NR_MEASURES; m++) {
		for (size_t a = 0; worth_a_line(report, m) && a < settings->nr_arms; a++) {
			int len = (int)strlen(cell(text, &arms[a], m));

			width = len > width ? len : width;
		}
	}
	printf("\n%-*s", LABEL, "median [95 % interval]");
	for (size_t a = 0; a < settings->nr_arms; a++)
		printf("  %-*s", a + 1 < settings->nr_arms ? width : 0, settings->arms[a].label);
	putchar('\n');
	for (enum measure m = 0; m < NR_MEASURES; m++) {
		if (!worth_a_line(report, m))
			continue;
		printf("%-*s", LABEL, measures[m].title);
		for (size_t a = 0; a < settings->nr_arms; a++)
			printf("  %-*s", a + 1 < settings->nr_arms ? width : 0,
			       cell(text, &arms[a], m));
		putchar('\n');
	}
}

static void print_warnings(const struct report *report, size_t program)
{
	char text[REPORT_TEXT_MAX];

	for (size_t a = 0; a < report->compare->settings->nr_arms; a++) {
		for (unsigned i = 0; report_warning(text, report, program, a, i); i++)
			printf("%-10s%s\n", "note", text);
	}
}

static void print_program(const struct report *report, size_t program)
{
	const struct program_result *result = &report->result->programs[program];
	char text[REPORT_TEXT_MAX], why[REASON_MAX];

	print_measures(report, program);
	putchar('\n');
	print_warnings(report, program);
	for (size_t c = 0; c < result->nr_comparisons; c++) {
		const struct comparison *comparison = &result->comparisons[c];

		printf("%-10s%s from %zu pair%s\n", "ratio", report_ratio(text, &comparison->ratio),
		       comparison->pairs, comparison->pairs == 1 ? "" : "s");
		printf("%-10s%s\n", "verdict", report_verdict(text, report, comparison));
		if (reason_text(why, report->compare, result, comparison)[0])
			printf("%-10s%s\n", "reason", why);
	}
}

static void print_row(const struct report *report, size_t program, size_t c, int width)
{
	const struct program *of = &report->compare->programs[program];
	const struct program_result *result = &report->result->programs[program];
	const struct comparison *comparison = &result->comparisons[c];
	char ratio[REPORT_TEXT_MAX], verdict[REPORT_TEXT_MAX], huge[REPORT_TEXT_MAX];
	char why[REASON_MAX];

	printf("%-*s %-26s %-5s %s\n", width, of->name, report_ratio(ratio, &comparison->ratio),
	       report_huge(huge, report, program), report_verdict(verdict, report, comparison));
	if (reason_text(why, report->compare, result, comparison)[0])
		printf("%-*s   %s\n", width, "", why);
	if (of->published)
		printf("%-*s   published: %s\n", width, "", of->published);
}

static void print_suite(const struct report *report)
{
	char text[REPORT_TEXT_MAX];
	int width = (int)strlen("geometric mean");

	for (size_t p = 0; p < report->result->nr_programs; p++) {
		int len = (int)strlen(report->compare->programs[p].name);

		width = len > width ? len : width;
	}

	for (size_t c = 0; c < report->result->nr_comparisons; c++) {
		const struct comparison *first = &report->result->programs[0].comparisons[c];

		printf("\nratio: %s\n%-*s %-26s %-5s %s\n", report_direction(text, report, first),
		       width, "program", "ratio [95 % interval]", "huge", "verdict");
		for (size_t p = 0; p < report->result->nr_programs; p++)
			print_row(report, p, c, width);
		printf("%-*s %s\n", width, "geometric mean", report_mean(text, report, c));
	}
	if (report_chance(text, report))
		printf("%-*s %s\n", width, "", text);
	putchar('\n');
	for (size_t p = 0; p < report->result->nr_programs; p++) {
		for (size_t a = 0; a < report->compare->settings->nr_arms; a++) {
			for (unsigned i = 0; report_warning(text, report, p, a, i); i++)
				printf("note: %s: %s\n", report->compare->programs[p].name, text);
		}
	}
}

void report_print(const struct report *report)
{
	const struct compare *compare = report->compare;
	const char *kept = compare->settings->resume ? compare->settings->resume
						     : compare->settings->checkpoint;
	char text[REPORT_TEXT_MAX];

	if (!compare->settings->suite)
		printf("%-10s%s\n", "command", report_command(text, &compare->programs[0]));
	else
		printf("%-10s%s, %zu programs\n", "suite", compare->settings->suite,
		       compare->nr_programs);
	print_header(report);
	if (compare->signal)
		printf("%-10s%zu runs were finished when signal %d (%s) came%s%s\n", "partial",
		       compare->nr_runs, compare->signal, strsignal(compare->signal),
		       kept ? "; go on with --resume " : "", kept ? kept : "");
	if (compare->settings->suite)
		print_suite(report);
	else
		print_program(report, 0);
}
