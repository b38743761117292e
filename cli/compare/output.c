// SPDX-License-Identifier: MIT
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_MAX ((size_t)1 << 30) /* who prints more prints its result last */
#define SAID_MAX   400               /* bytes of standard error that a report shows */

int output_file(void)
{
	int fd = memfd_create("thpctl-output", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* The last most bytes of a file, NUL-terminated; the caller frees them. NULL: none. */
static char *read_end(int fd, size_t most)
{
	struct stat st;
	size_t size;
	char *text;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
		return NULL;
	size = (size_t)st.st_size < most ? (size_t)st.st_size : most;
	text = malloc(size + 1);
	if (!text)
		return NULL;
	n = pread(fd, text, size, st.st_size - (off_t)size);
	text[n > 0 ? n : 0] = '\0';
	/* A NUL would hide what is behind it. */
	for (ssize_t i = 0; i < n; i++)
		text[i] = (char)(text[i] ? text[i] : ' ');
	return text;
}

static void take_metric(const struct program *program, const char *text, struct run *run)
{
	regmatch_t match[2];
	const char *number;
	char *end;

	run->outcome = OUTCOME_NO_METRIC;
	if (regexec(&program->metric_regex, text, 2, match, 0) != 0)
		return;
	number = text + (match[1].rm_so >= 0 ? match[1].rm_so : match[0].rm_so);
	run->values[MEASURE_METRIC] = strtod(number, &end);
	/* The comparison is one of ratios: zero, negative and infinite have none. */
	if (end != number && isfinite(run->values[MEASURE_METRIC]) &&
	    run->values[MEASURE_METRIC] > 0)
		run->outcome = OUTCOME_OK;
	else
		run->values[MEASURE_METRIC] = NAN;
}

static void take_expected(const struct program *program, const char *text, struct run *run)
{
	regmatch_t match;

	if (regexec(&program->expect_regex, text, 1, &match, 0) == 0)
		run->matched = strndup(text + match.rm_so, (size_t)(match.rm_eo - match.rm_so));
	else
		run->outcome = OUTCOME_NO_MATCH;
}

void output_judge(const struct program *program, int out, int err, struct run *run)
{
	char *text;

	if (run->outcome == OUTCOME_OK && (program->metric || program->expect)) {
		text = read_end(out, OUTPUT_MAX);
		if (program->metric)
			take_metric(program, text ? text : "", run);
		if (program->expect && run->outcome == OUTCOME_OK)
			take_expected(program, text ? text : "", run);
		free(text);
	}
	if (run->outcome != OUTCOME_OK)
		run->said = read_end(err, SAID_MAX);
}
