// SPDX-License-Identifier: MIT
/* All there is, down to the raw runs; the schema is in thpctl-compare(1). */
#include "export.h"

#include "../../common/json.h"
#include "reason.h"
#include "record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SCHEMA 1

static json_t *interval_json(const struct interval *interval)
{
	return json_pack("{s:o, s:o, s:o}", "value", record_number(interval->value), "low",
			 record_number(interval->low), "high", record_number(interval->high));
}

/* A ratio, from its logarithm. */
static json_t *ratio_json(const struct interval *log_ratio)
{
	return json_pack("{s:o, s:o, s:o}", "value", record_number(exp(log_ratio->value)), "low",
			 isfinite(log_ratio->low) ? record_number(exp(log_ratio->low))
						  : json_null(),
			 "high", record_number(exp(log_ratio->high)));
}

static const char *const verdicts[] = {
	[VERDICT_INVALID] = "invalid", [VERDICT_UNRESOLVED] = "unresolved", [VERDICT_SAME] = "same",
	[VERDICT_FASTER] = "faster",   [VERDICT_SLOWER] = "slower",
};

static const char *const achievements[] = {
	[ACHIEVED_NOT_ASKED] = "not_asked",
	[ACHIEVED_UNKNOWN] = "unknown",
	[ACHIEVED_NONE] = "none",
	[ACHIEVED_SOME] = "some",
};

static json_t *arm_json(const struct report *report, size_t program, size_t arm)
{
	const struct arm_result *result = &report->result->programs[program].arms[arm];
	json_t *medians = json_object(), *notes = json_array();
	char text[REPORT_TEXT_MAX];

	for (enum measure m = 0; m < NR_MEASURES; m++)
		json_object_set_new(medians, measures[m].key, interval_json(&result->values[m]));
	for (unsigned i = 0; report_warning(text, report, program, arm, i); i++)
		json_array_append_new(notes, json_text(text));
	return json_pack("{s:s, s:b, s:I, s:I, s:s, s:o, s:o}", "arm",
			 report->compare->settings->arms[arm].label, "valid",
			 result->failed == NULL, "runs", (json_int_t)result->runs, "outliers",
			 (json_int_t)result->outliers, "huge", achievements[result->achieved],
			 "medians", medians, "notes", notes);
}

static json_t *comparison_json(const struct report *report, size_t program, size_t c)
{
	const struct program_result *result = &report->result->programs[program];
	const struct comparison *comparison = &result->comparisons[c];
	char words[REPORT_TEXT_MAX], direction[REPORT_TEXT_MAX], why[REASON_MAX];

	return json_pack("{s:s, s:s, s:I, s:o, s:s, s:o, s:I, s:o}", "arm",
			 report->compare->settings->arms[comparison->arm].label, "direction",
			 report_direction(direction, report, comparison), "pairs",
			 (json_int_t)comparison->pairs, "ratio", ratio_json(&comparison->ratio),
			 "verdict", verdicts[comparison->verdict], "words",
			 json_text(report_verdict(words, report, comparison)), "more_runs",
			 (json_int_t)comparison->more, "reason",
			 json_text(reason_text(why, report->compare, result, comparison)));
}

static json_t *list_json(char **list)
{
	json_t *array = json_array();

	for (; list && *list; list++)
		json_array_append_new(array, json_text(*list));
	return array;
}

static json_t *text_or_null(const char *text)
{
	return text ? json_text(text) : json_null();
}

static json_t *program_json(const struct report *report, size_t program)
{
	const struct program *of = &report->compare->programs[program];
	json_t *arms = json_array(), *comparisons = json_array();

	for (size_t a = 0; a < report->compare->settings->nr_arms; a++)
		json_array_append_new(arms, arm_json(report, program, a));
	for (size_t c = 0; c < report->result->nr_comparisons; c++)
		json_array_append_new(comparisons, comparison_json(report, program, c));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:i, s:o, s:o, s:o}",
			 "name", json_text(of->name), "title", text_or_null(of->title), "command",
			 list_json(of->argv), "directory", text_or_null(of->directory),
			 "environment", list_json(of->environment), "prepare",
			 text_or_null(of->prepare), "metric", text_or_null(of->metric),
			 "less_is_better", !of->metric || of->less_is_better, "expect_output",
			 text_or_null(of->expect), "expect_status", of->expect_status, "published",
			 text_or_null(of->published), "arms", arms, "comparisons", comparisons);
}

static json_t *settings_json(const struct settings *settings)
{
	json_t *arms = json_array();

	for (size_t a = 0; a < settings->nr_arms; a++)
		json_array_append_new(
			arms, json_pack("{s:s, s:s, s:o}", "arm", settings->arms[a].label, "mode",
					thp_mode_name(settings->arms[a].mode), "not_in_force",
					settings->arms[a].missing[0]
						? json_text(settings->arms[a].missing)
						: json_null()));
	return json_pack("{s:o, s:s, s:b, s:I, s:f, s:f, s:f, s:I, s:I}", "arms", arms, "base",
			 settings->arms[settings->base].label, "invert", settings->invert, "runs",
			 (json_int_t)settings->runs, "time_s", settings->seconds, "until_ci",
			 settings->until_ci, "matters", settings->matters, "warmup",
			 (json_int_t)settings->warmup, "seed", (json_int_t)settings->seed);
}

/* The raw runs, each with a mark whether it stands out in its arm. */
static json_t *runs_json(const struct compare *compare)
{
	bool *marks = malloc(compare->nr_runs + 1);
	json_t *runs = json_array();

	for (size_t i = 0; marks && i < compare->nr_runs; i++) {
		const struct run *run = &compare->runs[i];
		json_t *value = record_run(compare, run);

		result_outliers(compare, run->program, run->arm, marks);
		json_object_set_new(value, "outlier", json_boolean(marks[i]));
		json_array_append_new(runs, value);
	}
	free(marks);
	return runs;
}

int export_json(const struct report *report, FILE *out)
{
	json_t *programs = json_array(), *runs = runs_json(report->compare), *means = json_array();
	json_t *top;
	int r;

	for (size_t p = 0; p < report->result->nr_programs; p++)
		json_array_append_new(programs, program_json(report, p));
	for (size_t c = 0; c < report->result->nr_comparisons; c++)
		json_array_append_new(means, report->result->nr_means[c]
						     ? ratio_json(&report->result->means[c])
						     : json_null());
	top = json_pack("{s:i, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "schema", SCHEMA, "version",
			THP_VERSION, "interrupted", report->compare->signal != 0, "machine",
			record_machine(report->machine), "settings",
			settings_json(report->compare->settings), "programs", programs,
			"geometric_means", means, "runs", runs);
	if (!top)
		return -ENOMEM;
	r = json_dumpf(top, out, JSON_INDENT(2)) < 0 || fputc('\n', out) == EOF ? -EIO : 0;
	json_decref(top);
	return r;
}

int export_json_text(const struct report *report, char **ret_text)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);
	int r = memory ? export_json(report, memory) : -errno;

	if (memory && fclose(memory) != 0 && r == 0)
		r = -errno;
	if (r == 0)
		*ret_text = text;
	else
		free(text);
	return r;
}
