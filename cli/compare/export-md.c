// SPDX-License-Identifier: MIT
/* Tables in Markdown, for an issue or a report. */
#include "export.h"

#include "reason.h"

#include <string.h>

/* Text in a cell: what Markdown would take for its own is escaped. */
static void put(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|*_`<>[]\\", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void put_comparison(const struct report *report, size_t c, FILE *out)
{
	char text[REPORT_TEXT_MAX], why[REASON_MAX];

	fprintf(out, "\nRatio: ");
	put(out, report_direction(text, report, &report->result->programs[0].comparisons[c]));
	fprintf(out,
		"\n\n| program | ratio, 95 %% interval | pairs | huge | verdict | likely cause | "
		"published |\n|---|---|---|---|---|---|---|\n");
	for (size_t p = 0; p < report->result->nr_programs; p++) {
		const struct program_result *result = &report->result->programs[p];
		const struct comparison *comparison = &result->comparisons[c];
		const struct program *program = &report->compare->programs[p];

		fprintf(out, "| ");
		put(out, program->name);
		fprintf(out, " | ");
		put(out, report_ratio(text, &comparison->ratio));
		fprintf(out, " | %zu | %s | ", comparison->pairs, report_huge(text, report, p));
		put(out, report_verdict(text, report, comparison));
		fprintf(out, " | ");
		put(out, reason_text(why, report->compare, result, comparison));
		fprintf(out, " | ");
		put(out, program->published ? program->published : "");
		fprintf(out, " |\n");
	}
	if (report->result->nr_programs > 1) {
		fprintf(out, "\nGeometric mean: ");
		put(out, report_mean(text, report, c));
		fprintf(out, ".\n");
	}
	if (report_chance(text, report)) {
		put(out, text);
		fprintf(out, ".\n");
	}
}

/* Every run's value of what is compared, in the order of time: all that the ratio is made of. */
static void put_runs(const struct report *report, size_t p, FILE *out)
{
	const struct compare *compare = report->compare;
	bool less;
	enum measure m = result_measure(&compare->programs[p], &less);

	for (size_t a = 0; a < compare->settings->nr_arms; a++) {
		fprintf(out, "- %s of each run in %s:", measures[m].title,
			compare->settings->arms[a].label);
		for (size_t i = 0; i < compare->nr_runs; i++) {
			const struct run *run = &compare->runs[i];

			if (run_counts(run, p, a) && run->outcome == OUTCOME_OK)
				fprintf(out, " %.7g", run->values[m]);
		}
		fputc('\n', out);
	}
}

static void put_program(const struct report *report, size_t p, FILE *out)
{
	const struct settings *settings = report->compare->settings;
	char text[REPORT_TEXT_MAX];

	fprintf(out, "\n## ");
	put(out, report->compare->programs[p].name);
	fprintf(out, "\n\n    %s\n\n| median |",
		report_command(text, &report->compare->programs[p]));
	for (size_t a = 0; a < settings->nr_arms; a++)
		fprintf(out, " %s |", settings->arms[a].label);
	fprintf(out, "\n|---|");
	for (size_t a = 0; a < settings->nr_arms; a++)
		fprintf(out, "---|");
	fputc('\n', out);
	for (enum measure m = 0; m < NR_MEASURES; m++) {
		fprintf(out, "| %s |", measures[m].title);
		for (size_t a = 0; a < settings->nr_arms; a++) {
			const struct arm_result *arm = &report->result->programs[p].arms[a];
			char value[MEASURE_TEXT_MAX];

			fprintf(out, " %s |", measure_text(value, m, arm->values[m].value));
		}
		fputc('\n', out);
	}
	fputc('\n', out);
	put_runs(report, p, out);
	for (size_t a = 0; a < settings->nr_arms; a++) {
		for (unsigned i = 0; report_warning(text, report, p, a, i); i++) {
			fprintf(out, "- ");
			put(out, text);
			fputc('\n', out);
		}
	}
}

int export_md(const struct report *report, FILE *out)
{
	char text[REPORT_TEXT_MAX];

	fprintf(out, "# THP modes compared\n\n");
	put(out, report_machine(text, report));
	fprintf(out, "\n\nModes ");
	put(out, report_modes(text, report));
	fprintf(out, "\n");
	for (size_t c = 0; c < report->result->nr_comparisons; c++)
		put_comparison(report, c, out);
	for (size_t p = 0; p < report->result->nr_programs; p++)
		put_program(report, p, out);
	return 0;
}
