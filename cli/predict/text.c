// SPDX-License-Identifier: MIT
/* A forecast for people. */
#include "predict.h"

#include "../../common/escape.h"
#include "../cli.h"

#include <stdio.h>
#include <string.h>

#define RANGE_MAX 40
#define WIDTH     100

static const char *const verdicts[] = {
	[OFF_FASTER] = "off is faster",
	[ON_FASTER] = "on is faster",
	[OPEN] = "open",
};

static const char *range_text(struct range range, char buf[RANGE_MAX])
{
	snprintf(buf, RANGE_MAX, "%.2f to %.2f", range.low, range.high);
	return buf;
}

/* A text in lines of at most WIDTH columns, each indented. */
static void print_wrapped(const char *text, const char *indent)
{
	size_t column = 0;

	for (size_t len; *text; text += len + strspn(text + len, " ")) {
		len = strcspn(text, " ");
		if (column && column + 1 + len > WIDTH)
			column = 0;
		if (column == 0)
			column = (size_t)printf("\n%s", indent) - 1;
		else
			column += (size_t)printf(" ");
		column += (size_t)printf("%.*s", (int)len, text);
	}
}

/* Parameters of one section have their source in common: it stands behind the last of them. */
static void print_parameters(const struct host *host)
{
	size_t nr = HOP + host->nr_hops;
	char name[16], shown[2048];

	for (size_t i = 0; i < nr; i++) {
		const struct range *value = &host->parameters[i];
		const char *source = host->sources[i],
			   *next = i + 1 < nr ? host->sources[i + 1] : "";

		printf("  %-12s %g to %g %s", host_parameter(host, i, name), value->low,
		       value->high, host_unit(i));
		if (!source)
			printf(" (nobody told where from)");
		else if (!next || strcmp(source, next) != 0)
			print_wrapped(escape_text(shown, sizeof(shown), source), "      ");
		putchar('\n');
	}
}

static void print_head(const struct forecast *forecast)
{
	const struct host *host = &forecast->host;
	const struct counted *counted = &forecast->counted;
	char name[CLI_SHOWN_MAX], origin[CLI_SHOWN_MAX];

	printf("machine  %s: %u nodes of %u threads\n", escape_text(name, sizeof(name), host->name),
	       host->nodes, host->threads_per_node);
	printf("counts   %s, %u threads on each node\n\n",
	       escape_text(origin, sizeof(origin), counted->origin), counted->threads_per_node);
	fputs(model_formula, stdout);
	printf("\nEach of these may have any value in its range:\n");
	print_parameters(host);
}

static void print_programs(const struct forecast *forecast)
{
	const struct counted *counted = &forecast->counted;

	printf("\n%-14s %-16s %-14s %13s %13s  %-13s %s\n", "program", "ratio off/on", "so",
	       "remote off, %", "remote on, %", "most time off", "most time on");
	for (size_t i = 0; i < counted->nr_programs; i++) {
		const struct program *program = &counted->programs[i];
		const struct prediction *prediction = &forecast->predictions[i];
		char name[CLI_SHOWN_MAX], range[RANGE_MAX];

		printf("%-14s %-16s %-14s %13.1f %13.1f  %-13s %s\n",
		       escape_text(name, sizeof(name), program->name),
		       range_text(prediction->ratio, range),
		       verdicts[forecast_verdict(prediction->ratio)],
		       counts_remote_percent(&program->off), counts_remote_percent(&program->on),
		       model_term(prediction->most_off), model_term(prediction->most_on));
	}
}

static void print_measured(const struct forecast *forecast)
{
	const struct host *host = &forecast->host;
	char shown[1024];

	if (host->nr_measured == 0)
		return;
	print_wrapped(host->measured_title ? escape_text(shown, sizeof(shown), host->measured_title)
					   : "Measured on such a machine:",
		      "");
	putchar('\n');
	printf("%-22s %8s  %-14s %-16s %s\n", "program there", "measured", "stand-in", "predicted",
	       "in it");
	for (size_t i = 0; i < host->nr_measured; i++) {
		const struct measured *measured = &host->measured[i];
		const struct prediction *prediction = forecast_of(forecast, measured->stand_in);
		char row[CLI_SHOWN_MAX], stand_in[CLI_SHOWN_MAX], range[RANGE_MAX];
		bool inside;

		printf("%-22s %8.1f  %-14s ", escape_text(row, sizeof(row), measured->row),
		       measured->ratio,
		       escape_text(stand_in, sizeof(stand_in), measured->stand_in));
		if (!prediction) {
			printf("%-16s %s\n", "not counted", "-");
			continue;
		}
		inside = measured->ratio >= prediction->ratio.low &&
			 measured->ratio <= prediction->ratio.high;
		printf("%-16s %s\n", range_text(prediction->ratio, range), inside ? "yes" : "no");
	}
}

void forecast_print(const struct forecast *forecast)
{
	const char *note;
	char buf[256];

	print_head(forecast);
	print_programs(forecast);
	print_measured(forecast);
	for (size_t i = 0; (note = forecast_note(forecast, i, buf)); i++) {
		if (*note)
			print_wrapped(note, "");
	}
	putchar('\n');
}
