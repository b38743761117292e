// SPDX-License-Identifier: MIT
#include "campaign.h"

#include "../../common/clock.h"
#include "../../common/say.h"
#include "plan.h"
#include "progress.h"
#include "result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PAIRS 6     /* below, no interval has 95 % */
#define MOST_PAIRS  10000 /* of a precision that cannot be reached */
#define JUDGE_EACH  50    /* after so many pairs, the next is judged after 2 % more */

struct campaign {
	struct compare *compare;
	struct runner *runner;
	struct checkpoint *checkpoint;
	struct progress progress;
	bool *done; /* of each program: enough, or failed */
	bool *warmed;
	size_t *judge_at; /* of each program: the round after which its precision is looked at */
	struct sampling *learnt; /* of each arm of each program */
};

int campaign_add(struct compare *compare, const struct run *run)
{
	if (compare->nr_runs == compare->room) {
		size_t room = compare->room ? 2 * compare->room : 64;
		struct run *grown = realloc(compare->runs, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		compare->runs = grown;
		compare->room = room;
	}
	compare->runs[compare->nr_runs++] = *run;
	return 0;
}

static bool recorded(const struct compare *compare, size_t program, size_t arm, size_t round)
{
	for (size_t i = 0; i < compare->nr_runs; i++) {
		if (run_counts(&compare->runs[i], program, arm) && compare->runs[i].round == round)
			return true;
	}
	return false;
}

static bool failed(const struct compare *compare, size_t program)
{
	for (size_t i = 0; i < compare->nr_runs; i++) {
		if (compare->runs[i].program == program && compare->runs[i].outcome != OUTCOME_OK)
			return true;
	}
	return false;
}

/* All runs of a program must give the result that its first one gave. */
static void check_result(const struct compare *compare, struct run *run)
{
	for (size_t i = 0; run->matched && i < compare->nr_runs; i++) {
		const struct run *first = &compare->runs[i];

		if (first->program != run->program || !first->matched)
			continue;
		if (strcmp(first->matched, run->matched) != 0)
			run->outcome = OUTCOME_DIFFERS;
		return;
	}
}

static struct sampling *learnt(const struct campaign *campaign, size_t program, size_t arm)
{
	return &campaign->learnt[program * COMPARE_ARMS_MAX + arm];
}

/* One run, recorded. */
static int measure(struct campaign *campaign, struct run *run)
{
	struct compare *compare = campaign->compare;
	struct sampling *of_arm = learnt(campaign, run->program, run->arm);
	int r;

	of_arm->untimed = run->warmup;
	r = runner_run(campaign->runner, &compare->programs[run->program],
		       &compare->settings->arms[run->arm], of_arm, run);
	if (r < 0)
		return r;
	check_result(compare, run);
	r = campaign_add(compare, run);
	if (r == 0)
		r = checkpoint_add(campaign->checkpoint, compare, run);
	return r;
}

/* Runs that are not timed. One that fails counts: it would fail again. */
static int warm_up(struct campaign *campaign, size_t program, const size_t *order)
{
	const struct settings *settings = campaign->compare->settings;
	int r = 0;

	for (size_t i = 0; r == 0 && i < settings->warmup * settings->nr_arms; i++) {
		struct run run = {.program = program,
				  .arm = order[i % settings->nr_arms],
				  .round = i / settings->nr_arms,
				  .position = i % settings->nr_arms,
				  .warmup = true};

		if (!failed(campaign->compare, program))
			r = measure(campaign, &run);
	}
	return r;
}

static int round_of(struct campaign *campaign, size_t program, size_t round)
{
	struct compare *compare = campaign->compare;
	const struct settings *settings = compare->settings;
	size_t order[COMPARE_ARMS_MAX];
	int r = 0;

	plan_order(settings->seed, program, round, settings->nr_arms, order);
	for (size_t i = 0; r == 0 && i < settings->nr_arms; i++) {
		if (recorded(compare, program, order[i], round))
			continue;
		if (!campaign->warmed[program]) {
			campaign->warmed[program] = true;
			r = warm_up(campaign, program, order);
		}
		if (r == 0 && !failed(compare, program)) {
			struct run run = {
				.program = program, .arm = order[i], .round = round, .position = i};

			r = measure(campaign, &run);
		}
		progress_show(&campaign->progress, compare, program);
		if (failed(compare, program))
			break;
	}
	return r;
}

/* Whether the precision is reached. Of many pairs one more changes nothing: not each is judged. */
static bool sharp(struct campaign *campaign, size_t program, size_t rounds)
{
	double half = log1p(campaign->compare->settings->until_ci);

	if (rounds < LEAST_PAIRS || rounds < campaign->judge_at[program])
		return false;
	campaign->judge_at[program] = rounds + rounds / JUDGE_EACH;
	return result_sharp(campaign->compare, program, half);
}

static bool enough(struct campaign *campaign, size_t program, size_t rounds)
{
	const struct compare *compare = campaign->compare;
	const struct settings *settings = compare->settings;

	if (failed(compare, program) || (settings->runs && rounds >= settings->runs) ||
	    rounds >= MOST_PAIRS)
		return true;
	return settings->until_ci > 0 && sharp(campaign, program, rounds);
}

static int carry_through(struct campaign *campaign)
{
	struct compare *compare = campaign->compare;
	const struct settings *settings = compare->settings;
	double begin = clock_now();
	size_t left = compare->nr_programs;

	/* Programs take turns round by round: an interrupt leaves something of each. */
	for (size_t round = 0; left > 0; round++) {
		for (size_t p = 0; p < compare->nr_programs; p++) {
			int r;

			/* A round of a suite can take days: each program's is the last if need be.
			 */
			if (settings->seconds > 0 && round + p > 0 &&
			    clock_now() - begin >= settings->seconds)
				return 0;
			r = campaign->done[p] ? 0 : round_of(campaign, p, round);
			if (r < 0)
				return r;
			if (!campaign->done[p] && enough(campaign, p, round + 1)) {
				campaign->done[p] = true;
				left--;
			}
		}
	}
	return 0;
}

int campaign_run(struct compare *compare, struct runner *runner, struct checkpoint *checkpoint)
{
	struct campaign campaign = {.compare = compare,
				    .runner = runner,
				    .checkpoint = checkpoint,
				    .done = calloc(compare->nr_programs + 1, sizeof(bool)),
				    .warmed = calloc(compare->nr_programs + 1, sizeof(bool)),
				    .judge_at = calloc(compare->nr_programs + 1, sizeof(size_t)),
				    .learnt = calloc((compare->nr_programs + 1) * COMPARE_ARMS_MAX,
						     sizeof(struct sampling))};
	int r = -ENOMEM;

	if (campaign.done && campaign.warmed && campaign.judge_at && campaign.learnt) {
		progress_start(&campaign.progress, compare);
		r = carry_through(&campaign);
		progress_end(&campaign.progress);
	}
	if (r == -EINTR) {
		compare->signal = runner->signal;
		r = 0;
	} else if (r < 0) {
		say("compare: cannot go on: %s", strerror(-r));
	}
	free(campaign.done);
	free(campaign.warmed);
	free(campaign.judge_at);
	free(campaign.learnt);
	return r;
}
