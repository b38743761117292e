// SPDX-License-Identifier: MIT
#include "counters.h"

#include "proc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take(const char *line, size_t len, struct counters *counters)
{
	for (size_t i = 0; i < NR_VMSTAT; i++) {
		const char *name = measures[MEASURE_VMSTAT + i].vmstat;
		size_t name_len = strlen(name);

		if (len > name_len && line[name_len] == ' ' && memcmp(line, name, name_len) == 0)
			counters->values[i] = strtod(line + name_len + 1, NULL);
	}
}

void counters_parse(const char *text, struct counters *ret_counters)
{
	for (size_t i = 0; i < NR_VMSTAT; i++)
		ret_counters->values[i] = NAN;
	while (*text) {
		size_t len = strcspn(text, "\n");

		take(text, len, ret_counters);
		text += len + (text[len] == '\n');
	}
}

void counters_read(struct counters *ret_counters)
{
	char *text = NULL;

	if (proc_read("/proc/vmstat", &text) < 0)
		text = NULL;
	counters_parse(text ? text : "", ret_counters);
	free(text);
}

void counters_since(const struct counters *before, const struct counters *after,
		    double values[NR_MEASURES])
{
	for (size_t i = 0; i < NR_VMSTAT; i++)
		values[MEASURE_VMSTAT + i] = after->values[i] - before->values[i];
}
