// SPDX-License-Identifier: MIT
/*
 * One line for each run (RFC 4180), for spreadsheets and R. What is the same for all stands in each
 * line, so that files of several machines can be put together.
 */
#include "export.h"

#include <inttypes.h>
#include <math.h>

/* A quoted field; no spreadsheet takes it for a formula where it starts with a quote. */
static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_machine(const struct machine *machine, FILE *out)
{
	const char *const texts[] = {machine->host, machine->kernel, machine->arch, machine->cpu};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		fputc(',', out);
		put_text(out, texts[i]);
	}
	fprintf(out, ",%ld,%u,%" PRIu64 ",%s,%s", machine->cpus, machine->nodes, machine->memory,
		thp_setting_name(machine->thp.enabled), thp_setting_name(machine->thp.defrag));
}

int export_csv(const struct report *report, FILE *out)
{
	const struct compare *compare = report->compare;
	char what[128], command[REPORT_TEXT_MAX];

	fprintf(out, "program,arm,mode,warmup,round,position,start_s,outcome,samples");
	for (enum measure m = 0; m < NR_MEASURES; m++)
		fprintf(out, ",%s", measures[m].key);
	fprintf(out, ",command,seed,host,kernel,arch,cpu,cpus,nodes,memory_bytes,thp_enabled,"
		     "thp_defrag,version\r\n");
	for (size_t i = 0; i < compare->nr_runs; i++) {
		const struct run *run = &compare->runs[i];
		const struct arm *arm = &compare->settings->arms[run->arm];

		put_text(out, compare->programs[run->program].name);
		fprintf(out, ",%s,%s,%d,%zu,%zu,%.6f,", arm->label, thp_mode_name(arm->mode),
			run->warmup, run->round, run->position, run->start);
		put_text(out, outcome_text(what, sizeof(what), run));
		fprintf(out, ",%u", run->samples);
		for (enum measure m = 0; m < NR_MEASURES; m++) {
			if (isnan(run->values[m]))
				fputc(',', out); /* not measured: empty, never 0 */
			else
				fprintf(out, ",%.15g", run->values[m]);
		}
		fputc(',', out);
		put_text(out, report_command(command, &compare->programs[run->program]));
		fprintf(out, ",%" PRIu64, compare->settings->seed);
		put_machine(report->machine, out);
		fprintf(out, "," THP_VERSION "\r\n");
	}
	return 0;
}
