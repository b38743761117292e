/* SPDX-License-Identifier: MIT */
/*
 * Pattern: none: arithmetic in registers, as much as asked and exactly known. It stands for no
 * mail row; it is the ruler that compare is measured with: a run with --extra 1 does 1 % more
 * units of work than one without, up to rounding to one unit.
 *
 * THP can neither help nor hurt, so --when thp-off gives an effect of known size to one arm of
 * compare alone: the extra work is done only where the process flag (PR_SET_THP_DISABLE) is set.
 * Start-up and exit are not part of the work (about 1 ms); use --size so that they do not count.
 */
#include "wl.h"

#include <math.h>
#include <stdint.h>
#include <sys/prctl.h>

#ifndef PR_GET_THP_DISABLE
#define PR_GET_THP_DISABLE 42
#endif

enum { ANY, THP_OFF, THP_ON };
enum { STEPS_PER_UNIT = 1000 };

static const uint64_t multiplier = 6364136223846793005U, increment = 1442695040888963407U;

static double extra_percent;
static int when = ANY;
static const char *const when_words[] = {"any", "thp-off", "thp-on", NULL};

static const struct wl_option options[] = {
	{"extra", "percent of extra work, e.g. 1 or 0.25; may be negative", WL_REAL, &extra_percent,
	 NULL},
	{"when", "any|thp-off|thp-on: do it only in a process with THP disabled (not disabled)",
	 WL_WORD, &when, when_words},
	{0},
};

static const struct wl_program program = {
	.name = "extrawork",
	.help = "a known amount of arithmetic, and a known percentage more",
	.size_unit = "units of work for each thread (1000 dependent steps each)",
	.metric_unit = "Munits/s",
	.size = {2000, 100000, 1000000, 10000000},
	.iterations = {1, 5, 5, 5},
	.options = options,
};

/* x -> a x + b, modulo 2^64. */
struct affine {
	uint64_t a, b;
};

static uint64_t step(uint64_t x, uint64_t steps)
{
	for (uint64_t i = 0; i < steps; i++)
		x = x * multiplier + increment;
	return x;
}

/* The same by repeated squaring: what step() must return. */
static uint64_t step_at_once(uint64_t x, uint64_t steps)
{
	struct affine power = {multiplier, increment}, total = {1, 0};

	for (; steps; steps >>= 1) {
		if (steps & 1)
			total = (struct affine){power.a * total.a, power.a * total.b + power.b};
		power = (struct affine){power.a * power.a, power.a * power.b + power.b};
	}
	return total.a * x + total.b;
}

static bool extra_applies(void)
{
	/* Negative before Linux 3.15, which has no such flag: THP is on as far as it is concerned.
	 */
	bool disabled = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) > 0;

	return when == ANY || disabled == (when == THP_OFF);
}

int main(int argc, char **argv)
{
	struct wl_run run = wl_start(&program, argc, argv);
	double base = (double)run.size * (double)run.iterations, units, wrong = 0;
	uint64_t steps, hash = 0;

	units = extra_applies() ? round(base * (1 + extra_percent / 100)) : base;
	if (units < 1)
		wl_usage("no work is left");
	steps = (uint64_t)units * STEPS_PER_UNIT;

	wl_begin();
#pragma omp parallel for schedule(static, 1) reduction(+ : wrong, hash)
	for (int t = 0; t < run.threads; t++) {
		uint64_t first = wl_random(run.seed, (uint64_t)t);
		uint64_t last = step(first, steps);

		if (t == 0) {
			last += wl_corrupt_wanted();
			hash = last;
		}
		wrong += last != step_at_once(first, steps);
	}
	wl_end();

	wl_check("steps one by one and at once agree", wrong, 0);
	return wl_finish(units * run.threads * 1e-6, hash);
}
