// SPDX-License-Identifier: MIT
#include "progress.h"

#include "../../common/clock.h"
#include "../../common/escape.h"
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR    24
#define REDRAW 0.1 /* seconds from one picture to the next, at least */

static size_t counted(const struct compare *compare)
{
	size_t nr = 0;

	for (size_t i = 0; i < compare->nr_runs; i++)
		nr += !compare->runs[i].warmup;
	return nr;
}

void progress_start(struct progress *progress, const struct compare *compare)
{
	memset(progress, 0, sizeof(*progress));
	progress->on = !compare->settings->quiet && isatty(STDERR_FILENO);
	progress->begin = clock_now();
	progress->before = counted(compare);
	progress->half = NAN;
}

/* The running estimate, of the first ratio; of few runs, its interval is no number and left out. */
static void estimate(struct progress *progress, const struct compare *compare, size_t program)
{
	size_t arm = compare->settings->base == 0 ? 1 : 0, pairs;
	struct interval ratio;

	progress->ratio[0] = '\0';
	progress->half = NAN;
	if (result_quick(compare, program, arm, &ratio, &pairs) < 0 || pairs < 2)
		return;
	if (isfinite(ratio.low))
		snprintf(progress->ratio, sizeof(progress->ratio), "%.4f [%.4f, %.4f]",
			 exp(ratio.value), exp(ratio.low), exp(ratio.high));
	else
		snprintf(progress->ratio, sizeof(progress->ratio), "%.4f", exp(ratio.value));
	progress->half = stats_half(&ratio);
}

/* How far, from 0 to 1; NAN where nobody can tell. */
static double fraction(const struct progress *progress, const struct compare *compare)
{
	const struct settings *settings = compare->settings;
	double by_runs = NAN, by_time = NAN, by_width = NAN;

	if (settings->runs)
		by_runs = (double)counted(compare) /
			  (double)(settings->runs * settings->nr_arms * compare->nr_programs);
	if (settings->seconds > 0)
		by_time = (clock_now() - progress->begin) / settings->seconds;
	/* Half the width takes four times the runs. */
	if (settings->until_ci > 0 && compare->nr_programs == 1)
		by_width = pow(log1p(settings->until_ci) / progress->half, 2);
	return fmin(1, fmax(fmax(by_runs, by_time), by_width));
}

/* Time left at the pace so far. */
static double left(const struct progress *progress, const struct compare *compare, double part)
{
	double took = clock_now() - progress->begin;
	double fresh = (double)(counted(compare) - progress->before);

	if ((compare->settings->runs == 0 && compare->settings->until_ci == 0) || part >= 1 ||
	    fresh == 0)
		return took / part * (1 - part);
	return took / fresh * (double)counted(compare) * (1 / part - 1);
}

static int columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void progress_show(struct progress *progress, const struct compare *compare, size_t program)
{
	char bar[BAR + 1], name[32], time[32] = "", line[256];
	double part, now = clock_now();

	if (!progress->on || now < progress->next_show)
		return;
	progress->next_show = now + REDRAW;
	estimate(progress, compare, program);
	part = fraction(progress, compare);
	for (int i = 0; i < BAR; i++)
		bar[i] = !isnan(part) && i < (int)(part * BAR) ? '#' : '.';
	bar[BAR] = '\0';
	if (!isnan(part) && part > 0) {
		double seconds = left(progress, compare, part);

		snprintf(time, sizeof(time), "%.0f:%02.0f left", floor(seconds / 60),
			 floor(fmod(seconds, 60)));
	}
	snprintf(line, sizeof(line), "[%s] %zu runs  %s  %s  %s", bar, counted(compare),
		 escape_text(name, sizeof(name), compare->programs[program].name), progress->ratio,
		 time);
	/* A line that wraps would not be overwritten by the next. */
	fprintf(stderr, "\r\033[K%.*s", columns() - 1, line);
	fflush(stderr);
}

void progress_end(const struct progress *progress)
{
	if (!progress->on)
		return;
	fprintf(stderr, "\r\033[K");
	fflush(stderr);
}
