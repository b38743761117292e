/* SPDX-License-Identifier: MIT */
/* The results in words: sentences that the terminal, Markdown and HTML share, and the first's page.
 */
#ifndef CLI_COMPARE_REPORT_H
#define CLI_COMPARE_REPORT_H

#include "compare.h"
#include "machine.h"
#include "result.h"

#define REPORT_TEXT_MAX 1024

/* All that a report is made of. */
struct report {
	const struct compare *compare;
	const struct machine *machine;
	const struct result *result;
};

/* "performance never / always (THP off / on): above 1.0 never is faster" */
char *report_direction(char buf[REPORT_TEXT_MAX], const struct report *report,
		       const struct comparison *comparison);

/* "1.012 [1.004, 1.021]"; a dash where there is none. */
char *report_ratio(char buf[REPORT_TEXT_MAX], const struct interval *log_ratio);

/* How much of a program's memory was huge in the mode that the others are compared with: "98 %". */
char *report_huge(char buf[REPORT_TEXT_MAX], const struct report *report, size_t program);

/* How many of so many verdicts chance alone would give; false: too few to mention. */
bool report_chance(char buf[REPORT_TEXT_MAX], const struct report *report);

/* "never is faster by 1.2 %". */
char *report_verdict(char buf[REPORT_TEXT_MAX], const struct report *report,
		     const struct comparison *comparison);

/* The geometric mean's line. */
char *report_mean(char buf[REPORT_TEXT_MAX], const struct report *report, size_t comparison);

/* "never, always; interleaved in random order (seed 5), 1 warm-up run of each". */
char *report_modes(char buf[REPORT_TEXT_MAX], const struct report *report);

/* The machine and its setting, in a line. */
char *report_machine(char buf[REPORT_TEXT_MAX], const struct report *report);

/*
 * What the reader must know before believing the numbers of an arm: it failed, its mode was not in
 * force, it was not huge, it has outliers. i counts from 0; false: no more.
 */
bool report_warning(char buf[REPORT_TEXT_MAX], const struct report *report, size_t program,
		    size_t arm, unsigned i);

/* The command, escaped; a suite's line without the shell that runs it. */
char *report_command(char buf[REPORT_TEXT_MAX], const struct program *program);

/* Whether any arm of any program has a value of a measure. */
bool report_measured(const struct report *report, enum measure measure);

/* Writes the page for a terminal to standard output. */
void report_print(const struct report *report);

#endif /* CLI_COMPARE_REPORT_H */
