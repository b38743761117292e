// SPDX-License-Identifier: MIT
#include "progress.h"

#include "../../common/clock.h"
#include "../../common/escape.h"
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR 24

static size_t counted(const struct compare *compare)
{
	size_t nr = 0;

	for (size_t i = 0; i < compare->nr_runs; i++)
		nr += !compare->runs[i].warmup;
	return nr;
}

void progress_start(struct progress *progress, const struct compare *compare)
{
	progress->on = !compare->settings->quiet && isatty(STDERR_FILENO);
	progress->begin = clock_now();
	progress->before = counted(compare);
}

/* The running estimate; of few runs, its interval is no number and is left out. */
static void estimate(char *buf, size_t size, const struct compare *compare, size_t program)
{
	const struct comparison *comparison;
	struct program_result result;

	buf[0] = '\0';
	/* Thousands of runs take longer to judge than a short run takes to run. */
	if (compare->nr_runs > 2000 || result_program(compare, program, &result) < 0)
		return;
	comparison = &result.comparisons[0];
	if (comparison->pairs < 2 || comparison->verdict == VERDICT_INVALID)
		return;
	if (isfinite(comparison->ratio.low))
		snprintf(buf, size, "%.4f [%.4f, %.4f]", exp(comparison->ratio.value),
			 exp(comparison->ratio.low), exp(comparison->ratio.high));
	else
		snprintf(buf, size, "%.4f", exp(comparison->ratio.value));
}

/* How far, from 0 to 1; NAN where nobody can tell: until a precision is reached. */
static double fraction(const struct progress *progress, const struct compare *compare)
{
	const struct settings *settings = compare->settings;
	double by_runs = NAN, by_time = NAN;

	if (settings->runs)
		by_runs = (double)counted(compare) /
			  (double)(settings->runs * settings->nr_arms * compare->nr_programs);
	if (settings->seconds > 0)
		by_time = (clock_now() - progress->begin) / settings->seconds;
	return fmin(1, fmax(by_runs, by_time));
}

/* Time left at the pace so far. */
static double left(const struct progress *progress, const struct compare *compare, double part)
{
	double took = clock_now() - progress->begin;
	double fresh = (double)(counted(compare) - progress->before);

	if (compare->settings->runs == 0 || part >= 1 || fresh == 0)
		return took / part * (1 - part);
	return took / fresh * (double)counted(compare) * (1 / part - 1);
}

void progress_show(const struct progress *progress, const struct compare *compare, size_t program)
{
	char bar[BAR + 1], ratio[64], name[32], time[32] = "";
	double part;

	if (!progress->on)
		return;
	part = fraction(progress, compare);
	for (int i = 0; i < BAR; i++)
		bar[i] = !isnan(part) && i < (int)(part * BAR) ? '#' : '.';
	bar[BAR] = '\0';
	estimate(ratio, sizeof(ratio), compare, program);
	if (!isnan(part) && part > 0) {
		double seconds = left(progress, compare, part);

		snprintf(time, sizeof(time), "%.0f:%02.0f left", floor(seconds / 60),
			 floor(fmod(seconds, 60)));
	}
	fprintf(stderr, "\r\033[K[%s] %zu runs  %s  %s  %s", bar, counted(compare),
		escape_text(name, sizeof(name), compare->programs[program].name), ratio, time);
	fflush(stderr);
}

void progress_end(const struct progress *progress)
{
	if (!progress->on)
		return;
	fprintf(stderr, "\r\033[K");
	fflush(stderr);
}
