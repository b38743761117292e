// SPDX-License-Identifier: MIT
#include "report.h"

#include "../../common/escape.h"
#include "../../common/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTLIERS_TOLD 8   /* all are in the exports */
#define THREADED      1.2 /* CPUs kept busy: by more than one thread */
#define OFTEN         20  /* preemptions in a second of CPU time; on an idle machine a few */

/* The labels of a ratio's two sides. */
static void sides(const struct report *report, const struct comparison *comparison,
		  const char **ret_above, const char **ret_below)
{
	const struct settings *settings = report->compare->settings;
	const char *arm = settings->arms[comparison->arm].label;
	const char *base = settings->arms[settings->base].label;

	*ret_above = settings->invert ? base : arm;
	*ret_below = settings->invert ? arm : base;
}

char *report_direction(char buf[REPORT_TEXT_MAX], const struct report *report,
		       const struct comparison *comparison)
{
	const struct settings *settings = report->compare->settings;
	enum thp_mode arm = settings->arms[comparison->arm].mode;
	enum thp_mode base = settings->arms[settings->base].mode;
	const char *above, *below, *words = "";

	sides(report, comparison, &above, &below);
	if (arm == THP_MODE_NEVER && base == THP_MODE_ALWAYS)
		words = settings->invert ? ", THP on / off" : ", THP off / on";
	else if (arm == base)
		words = ", the same mode twice: noise";
	snprintf(buf, REPORT_TEXT_MAX, "performance %s / %s%s; above 1.0 %s is faster", above,
		 below, words, above);
	return buf;
}

char *report_ratio(char buf[REPORT_TEXT_MAX], const struct interval *log_ratio)
{
	if (isnan(log_ratio->value))
		snprintf(buf, REPORT_TEXT_MAX, "-");
	else if (!isfinite(log_ratio->low))
		snprintf(buf, REPORT_TEXT_MAX, "%.4f [-, -]", exp(log_ratio->value));
	else
		snprintf(buf, REPORT_TEXT_MAX, "%.4f [%.4f, %.4f]", exp(log_ratio->value),
			 exp(log_ratio->low), exp(log_ratio->high));
	return buf;
}

/* Percent with two digits that mean something: 0.12, 1.2, 12, 120. */
static char *percent(char buf[32], double fraction)
{
	double value = fraction * 100;

	snprintf(buf, 32, "%.*f %%", value < 1 ? 2 : value < 10 ? 1 : 0, value);
	return buf;
}

char *report_verdict(char buf[REPORT_TEXT_MAX], const struct report *report,
		     const struct comparison *comparison)
{
	double ratio = exp(comparison->ratio.value), matters = report->compare->settings->matters;
	const char *above, *below;
	char number[32];

	sides(report, comparison, &above, &below);
	switch (comparison->verdict) {
	case VERDICT_INVALID:
		snprintf(buf, REPORT_TEXT_MAX, "invalid: a run failed");
		break;
	case VERDICT_FASTER:
		snprintf(buf, REPORT_TEXT_MAX, "%s is faster than %s by %s", above, below,
			 percent(number, ratio - 1));
		break;
	case VERDICT_SLOWER:
		snprintf(buf, REPORT_TEXT_MAX, "%s is slower than %s by %s", above, below,
			 percent(number, 1 - ratio));
		break;
	case VERDICT_SAME:
		snprintf(buf, REPORT_TEXT_MAX, "no clear difference: less than %g %% if any",
			 matters * 100);
		break;
	case VERDICT_UNRESOLVED:
		if (!isfinite(comparison->ratio.low)) {
			snprintf(buf, REPORT_TEXT_MAX,
				 "unresolved: an interval needs %" PRIu64 " more runs of each mode",
				 comparison->more);
			break;
		}
		snprintf(buf, REPORT_TEXT_MAX,
			 "unresolved: about %" PRIu64 " more runs of each mode would tell %g %% "
			 "from nothing",
			 comparison->more, matters * 100);
		break;
	}
	return buf;
}

char *report_huge(char buf[REPORT_TEXT_MAX], const struct report *report, size_t program)
{
	const struct program_result *result = &report->result->programs[program];
	double share =
		result->arms[report->compare->settings->base].values[MEASURE_SHARE_PEAK].value;

	if (isnan(share))
		snprintf(buf, REPORT_TEXT_MAX, "n/a");
	else
		snprintf(buf, REPORT_TEXT_MAX, "%.0f %%", share * 100);
	return buf;
}

bool report_chance(char buf[REPORT_TEXT_MAX], const struct report *report)
{
	size_t all = report->result->nr_programs * report->result->nr_comparisons;
	double expected = STATS_CHANCE * (double)all;

	if (expected < 0.5)
		return false;
	snprintf(buf, REPORT_TEXT_MAX,
		 "of %zu ratios chance alone makes about %.0f that exclude 1: one that matters is "
		 "worth a comparison of its own",
		 all, fmax(expected, 1));
	return true;
}

char *report_mean(char buf[REPORT_TEXT_MAX], const struct report *report, size_t comparison)
{
	char ratio[REPORT_TEXT_MAX];

	snprintf(buf, REPORT_TEXT_MAX, "%.100s over %zu of %zu programs",
		 report->result->nr_means[comparison]
			 ? report_ratio(ratio, &report->result->means[comparison])
			 : "-",
		 report->result->nr_means[comparison], report->result->nr_programs);
	return buf;
}

char *report_modes(char buf[REPORT_TEXT_MAX], const struct report *report)
{
	const struct settings *settings = report->compare->settings;
	size_t len = 0;

	for (size_t a = 0; a < settings->nr_arms; a++)
		len += (size_t)snprintf(buf + len, REPORT_TEXT_MAX - len, "%s%s", a ? ", " : "",
					settings->arms[a].label);
	snprintf(buf + len, REPORT_TEXT_MAX - len,
		 "; interleaved in random order (seed %" PRIu64 "), %zu warm-up run%s of each",
		 settings->seed, settings->warmup, settings->warmup == 1 ? "" : "s");
	return buf;
}

char *report_machine(char buf[REPORT_TEXT_MAX], const struct report *report)
{
	const struct machine *machine = report->machine;
	char memory[NUMBER_BYTES_MAX], host[256], cpu[512];

	snprintf(buf, REPORT_TEXT_MAX,
		 "%s, %s%s%ld CPUs, %u node%s, %s; %s %s; THP enabled=%s defrag=%s",
		 escape_text(host, sizeof(host), machine->host),
		 escape_text(cpu, sizeof(cpu), machine->cpu), machine->cpu[0] ? ", " : "",
		 machine->cpus, machine->nodes, machine->nodes == 1 ? "" : "s",
		 number_bytes(memory, machine->memory), machine->kernel, machine->arch,
		 thp_setting_name(machine->thp.enabled), thp_setting_name(machine->thp.defrag));
	return buf;
}

static void failed_warning(char buf[REPORT_TEXT_MAX], const char *label, const struct run *run)
{
	char what[128], said[512];

	snprintf(buf, REPORT_TEXT_MAX, "%s is invalid: %s %zu %s%s%s%s", label,
		 run->warmup ? "warm-up run" : "run", run->round + 1,
		 outcome_text(what, sizeof(what), run), run->said ? "; it said '" : "",
		 run->said ? escape_text(said, sizeof(said), run->said) : "", run->said ? "'" : "");
}

/* "never: 2 outliers of 20 runs, counted and not dropped: run 4, 17" */
static void outlier_warning(char buf[REPORT_TEXT_MAX], const struct compare *compare,
			    const struct arm_result *result, size_t program, size_t arm)
{
	bool *marks = malloc(compare->nr_runs + 1);
	size_t len, told = 0;

	len = (size_t)snprintf(buf, REPORT_TEXT_MAX,
			       "%s: %zu outlier%s of %zu runs, counted and not dropped: run",
			       compare->settings->arms[arm].label, result->outliers,
			       result->outliers == 1 ? "" : "s", result->runs);
	if (!marks)
		return;
	result_outliers(compare, program, arm, marks);
	for (size_t i = 0; i < compare->nr_runs && told < OUTLIERS_TOLD; i++) {
		if (marks[i])
			len += (size_t)snprintf(buf + len, REPORT_TEXT_MAX - len, "%s %zu",
						told++ ? "," : "", compare->runs[i].round + 1);
	}
	if (told < result->outliers)
		snprintf(buf + len, REPORT_TEXT_MAX - len, " ...");
	free(marks);
}

/*
 * Threads that spin while they wait take the CPU from whoever they wait for, if it is not there for
 * them alone: runs then differ by half.
 */
static bool spins(const struct program *program, const struct arm_result *arm)
{
	double wall = arm->values[MEASURE_WALL].value;
	double cpu = arm->values[MEASURE_USER].value + arm->values[MEASURE_SYSTEM].value;
	static const char policy[] = "OMP_WAIT_POLICY=";

	for (char **entry = program->environment; entry && *entry; entry++) {
		if (strncmp(*entry, policy, strlen(policy)) == 0)
			return false;
	}
	return !getenv("OMP_WAIT_POLICY") && cpu > THREADED * wall &&
	       arm->values[MEASURE_PREEMPTED].value > OFTEN * cpu;
}

bool report_warning(char buf[REPORT_TEXT_MAX], const struct report *report, size_t program,
		    size_t arm, unsigned i)
{
	const struct arm *of = &report->compare->settings->arms[arm];
	const struct arm_result *result = &report->result->programs[program].arms[arm];
	char share[MEASURE_TEXT_MAX];

	if (result->failed && i-- == 0) {
		failed_warning(buf, of->label, result->failed);
		return true;
	}
	if (result->changed > 0 && i-- == 0) {
		snprintf(buf, REPORT_TEXT_MAX,
			 "%s: somebody changed the system's THP settings during %zu of its runs, "
			 "warm-ups counted: this is no comparison under one setting",
			 of->label, result->changed);
		return true;
	}
	if (of->missing[0] && i-- == 0) {
		snprintf(buf, REPORT_TEXT_MAX, "%s was not in force: %s", of->label, of->missing);
		return true;
	}
	if (result->achieved == ACHIEVED_NONE && i-- == 0) {
		snprintf(buf, REPORT_TEXT_MAX,
			 "%s was not huge (peak share seen: %s): this is no test of huge pages",
			 of->label,
			 measure_text(share, MEASURE_SHARE_PEAK,
				      result->values[MEASURE_SHARE_PEAK].value));
		return true;
	}
	if (result->achieved == ACHIEVED_UNKNOWN && result->runs > 0 && i-- == 0) {
		snprintf(buf, REPORT_TEXT_MAX,
			 "%s: its memory was not seen huge, but hardly looked at, and huge pages "
			 "were "
			 "counted on the machine: too short to tell",
			 of->label);
		return true;
	}
	if (spins(&report->compare->programs[program], result) && i-- == 0) {
		snprintf(buf, REPORT_TEXT_MAX,
			 "%s: its threads were preempted %.0f times a second: others run on these "
			 "CPUs. If they spin while they wait, as OpenMP's do, "
			 "OMP_WAIT_POLICY=passive "
			 "makes runs alike",
			 of->label,
			 result->values[MEASURE_PREEMPTED].value /
				 result->values[MEASURE_WALL].value);
		return true;
	}
	if (result->outliers > 0 && i-- == 0) {
		outlier_warning(buf, report->compare, result, program, arm);
		return true;
	}
	return false;
}

char *report_command(char buf[REPORT_TEXT_MAX], const struct program *program)
{
	char **argv = program->argv;
	size_t len = 0;

	buf[0] = '\0';
	if (strcmp(argv[0], "/bin/sh") == 0 && argv[1] && strcmp(argv[1], "-c") == 0 && argv[2] &&
	    !argv[3])
		argv += 2;
	for (; *argv && len < REPORT_TEXT_MAX - 2; argv++) {
		if (len)
			buf[len++] = ' ';
		escape_text(buf + len, REPORT_TEXT_MAX - len, *argv);
		len += strlen(buf + len);
	}
	return buf;
}

bool report_measured(const struct report *report, enum measure measure)
{
	for (size_t p = 0; p < report->result->nr_programs; p++) {
		for (size_t a = 0; a < report->compare->settings->nr_arms; a++) {
			if (!isnan(report->result->programs[p].arms[a].values[measure].value))
				return true;
		}
	}
	return false;
}
