// SPDX-License-Identifier: MIT
#include "openmetrics.h"

#include "escape.h"

#include <string.h>

#define PIECE 256 /* bytes of a label that are escaped at a time: longer ones are cut */

void openmetrics_family(FILE *file, const char *name, const char *type, const char *help)
{
	static const char *const units[] = {"bytes", "seconds"};

	fprintf(file, "# TYPE %s %s\n", name, type);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const char *unit = strrchr(name, '_');

		if (unit && strcmp(unit + 1, units[i]) == 0)
			fprintf(file, "# UNIT %s %s\n", name, units[i]);
	}
	fprintf(file, "# HELP %s %s\n", name, help);
}

void openmetrics_label(FILE *file, const char *text)
{
	char shown[ESCAPED_MAX(PIECE)];

	for (const char *p = escape_text(shown, sizeof(shown), text); *p; p++) {
		if (*p == '\\' || *p == '"')
			putc('\\', file);
		putc(*p, file);
	}
}

void openmetrics_end(FILE *file)
{
	fputs("# EOF\n", file);
}
