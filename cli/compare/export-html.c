// SPDX-License-Identifier: MIT
/* One file that needs no other: tables, pictures, and the raw data in JSON. */
#include "export.h"

#include "reason.h"

#include <stdlib.h>
#include <string.h>

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<title>THP modes compared</title>\n<style>\n"
	"body { font: 15px/1.45 sans-serif; color: #222; max-width: 75em; margin: 2em auto; "
	"padding: 0 1em }\n"
	"table { border-collapse: collapse; margin: 1em 0 }\n"
	"th, td { text-align: left; padding: .25em .8em; border-bottom: 1px solid #ddd; "
	"vertical-align: top }\n"
	"td.number { font-variant-numeric: tabular-nums; white-space: nowrap }\n"
	"th { border-bottom: 2px solid #888 }\n"
	".faster { color: #06652e } .slower, .invalid { color: #a3170f } "
	".unresolved { color: #8a5a00 }\n"
	".note { background: #fff4d6; padding: .4em .8em; margin: .4em 0 }\n"
	"td:first-child { min-width: 14em }\n"
	"summary { font-size: 1.2em; font-weight: bold; margin: .6em 0 .2em }\n"
	"svg { max-width: 100%; height: auto }\n"
	"code { background: #f3f3f3; padding: .1em .3em; overflow-wrap: anywhere }\n"
	"</style></head><body>\n<h1>THP modes compared</h1>\n";

static void put(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

static const char *verdict_class(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_INVALID:
		return "invalid";
	case VERDICT_FASTER:
		return "faster";
	case VERDICT_SLOWER:
		return "slower";
	case VERDICT_UNRESOLVED:
		return "unresolved";
	default:
		return "same";
	}
}

static void put_row(const struct report *report, size_t p, size_t c, FILE *out)
{
	const struct program_result *result = &report->result->programs[p];
	const struct program *program = &report->compare->programs[p];
	const struct comparison *comparison = &result->comparisons[c];
	char text[REPORT_TEXT_MAX], huge[REPORT_TEXT_MAX], why[REASON_MAX];

	fprintf(out, "<tr><td>");
	put(out, program->name);
	if (program->title) {
		fprintf(out, "<br><small>");
		put(out, program->title);
		fprintf(out, "</small>");
	}
	fprintf(out,
		"</td><td class=\"number\">%s</td><td class=\"number\">%zu</td>"
		"<td class=\"number\">%s</td><td class=\"%s\">",
		report_ratio(text, &comparison->ratio), comparison->pairs,
		report_huge(huge, report, p), verdict_class(comparison->verdict));
	put(out, report_verdict(text, report, comparison));
	fprintf(out, "</td><td>");
	put(out, reason_text(why, report->compare, result, comparison));
	fprintf(out, "</td><td>");
	put(out, program->published ? program->published : "");
	fprintf(out, "</td></tr>\n");
}

static void put_comparisons(const struct report *report, FILE *out)
{
	char text[REPORT_TEXT_MAX];

	for (size_t c = 0; c < report->result->nr_comparisons; c++) {
		fprintf(out, "<h2>Ratio: ");
		put(out,
		    report_direction(text, report, &report->result->programs[0].comparisons[c]));
		fprintf(out, "</h2>\n<table><tr><th>program</th><th>ratio, 95 %% interval</th>"
			     "<th>pairs</th><th>huge</th><th>verdict</th><th>likely cause</th>"
			     "<th>published</th></tr>\n");
		for (size_t p = 0; p < report->result->nr_programs; p++)
			put_row(report, p, c, out);
		if (report->result->nr_programs > 1)
			fprintf(out, "<tr><th>geometric mean</th><td colspan=\"6\">%s</td></tr>\n",
				report_mean(text, report, c));
		fprintf(out, "</table>\n");
	}
	if (report_chance(text, report))
		fprintf(out, "<p>%s.</p>\n", text);
}

static void put_program(const struct report *report, size_t p, FILE *out)
{
	const struct settings *settings = report->compare->settings;
	char text[REPORT_TEXT_MAX];

	fprintf(out, "<details%s><summary>", report->result->nr_programs == 1 ? " open" : "");
	put(out, report->compare->programs[p].name);
	fprintf(out, "</summary>\n<p><code>");
	put(out, report_command(text, &report->compare->programs[p]));
	fprintf(out, "</code></p>\n");
	for (size_t a = 0; a < settings->nr_arms; a++) {
		for (unsigned i = 0; report_warning(text, report, p, a, i); i++) {
			fprintf(out, "<p class=\"note\">");
			put(out, text);
			fprintf(out, "</p>\n");
		}
	}
	fprintf(out, "<table><tr><th>median</th>");
	for (size_t a = 0; a < settings->nr_arms; a++)
		fprintf(out, "<th>%s</th>", settings->arms[a].label);
	fprintf(out, "</tr>\n");
	for (enum measure m = 0; m < NR_MEASURES; m++) {
		fprintf(out, "<tr><td>%s</td>", measures[m].title);
		for (size_t a = 0; a < settings->nr_arms; a++) {
			const struct arm_result *arm = &report->result->programs[p].arms[a];
			char value[MEASURE_TEXT_MAX];

			fprintf(out, "<td class=\"number\">%s</td>",
				measure_text(value, m, arm->values[m].value));
		}
		fprintf(out, "</tr>\n");
	}
	fprintf(out, "</table></details>\n");
}

/* Inline, without the XML prologue, which is no HTML. */
static void put_picture(const struct report *report, FILE *out)
{
	char *text = NULL, *svg;

	svg = export_drawing(report, &text) == 0 ? strstr(text, "<svg") : NULL;
	if (svg)
		fprintf(out, "%s\n", svg);
	else
		fprintf(out, "<p class=\"note\">no picture: gnuplot could not draw it</p>\n");
	free(text);
}

/* "<" cannot stand in a script element as it is: a name might hold its end tag. */
static int put_data(const struct report *report, FILE *out)
{
	char *text;
	int r = export_json_text(report, &text);

	if (r < 0)
		return r;
	fprintf(out, "<script type=\"application/json\" id=\"data\">\n");
	for (const char *at = text; *at; at++)
		*at == '<' ? fputs("\\u003c", out) : fputc(*at, out);
	fprintf(out, "</script>\n");
	free(text);
	return 0;
}

int export_html(const struct report *report, FILE *out)
{
	char text[REPORT_TEXT_MAX];
	int r;

	fputs(head, out);
	fprintf(out, "<p>");
	put(out, report_machine(text, report));
	fprintf(out, "<br>Modes ");
	put(out, report_modes(text, report));
	fprintf(out, "</p>\n");
	if (report->compare->signal)
		fprintf(out, "<p class=\"note\">Partial: it was interrupted.</p>\n");
	put_picture(report, out);
	put_comparisons(report, out);
	for (size_t p = 0; p < report->result->nr_programs; p++)
		put_program(report, p, out);
	fprintf(out, "<p>All raw runs are in this file, in the element with id \"data\".</p>\n");
	r = put_data(report, out);
	fprintf(out, "</body></html>\n");
	return r;
}
