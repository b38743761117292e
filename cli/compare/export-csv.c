// SPDX-License-Identifier: MIT
/* One line for each run (RFC 4180), for spreadsheets and R. */
#include "export.h"

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

int export_csv(const struct report *report, FILE *out)
{
	const struct compare *compare = report->compare;
	char what[128];

	fprintf(out, "program,arm,mode,warmup,round,position,start_s,outcome,samples");
	for (enum measure m = 0; m < NR_MEASURES; m++)
		fprintf(out, ",%s", measures[m].key);
	fprintf(out, "\r\n");
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
		fprintf(out, "\r\n");
	}
	return 0;
}
