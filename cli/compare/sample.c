// SPDX-License-Identifier: MIT
#include "sample.h"

#include "../../common/clock.h"
#include "numa.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A look walks the page tables of the run and takes a CPU from it: 0.3 ms where 8 GiB are huge, 60
 * ms where they are small (Linux 6.18). So much of a run's time may be spent on looking, however
 * large the run; what one run is too short for is saved up for the next.
 */
#define BUDGET         0.0025
#define BUDGET_UNTIMED 0.1
#define LOOKS_MOST     20    /* in a run */
#define PAUSE_FIRST    0.004 /* of a run of unknown length; */
#define PAUSE_GROWTH   0.1   /* then such a part of its age: the last look is never long ago */
#define LAST           0.8   /* a look before that part of a run does not tell how it ended */

/* A time within the next part: at random, so that many runs together show all of it alike. */
static double next_part(struct sampler *sampler)
{
	double part = (double)(random_next(&sampler->learnt->random) >> 11) * 0x1p-53;

	if (sampler->samples >= sampler->parts)
		return INFINITY;
	return ((double)sampler->samples + part) * sampler->width;
}

/* The runs before told how long this one takes: the looks are spread over it. */
static void spread(struct sampler *sampler)
{
	struct sampling *learnt = sampler->learnt;
	double looks;

	/* What is not used up is worth a run's looks, not a burst of them. */
	learnt->credit =
		fmin(learnt->credit + BUDGET * learnt->expected, (LOOKS_MOST + 1) * learnt->cost);
	looks = fmin(fmax(floor(learnt->credit / learnt->cost), 0), LOOKS_MOST);
	sampler->parts = (unsigned)looks;
	sampler->width = learnt->expected / fmax(looks, 1);
	sampler->next = next_part(sampler);
}

void sampler_start(struct sampler *sampler, struct thp_ctx *ctx, unsigned nodes,
		   const struct pids *strangers, struct sampling *learnt)
{
	memset(sampler, 0, sizeof(*sampler));
	sampler->ctx = ctx;
	sampler->strangers = strangers;
	sampler->learnt = learnt;
	sampler->nodes = nodes > 1;
	sampler->next = PAUSE_FIRST;
	sampler->share_last = NAN;
	if (learnt->expected > 0 && !learnt->untimed)
		spread(sampler);
}

static void look(struct sampler *sampler, double now, const struct pids *pids)
{
	double resident = 0, huge = 0, share, weight = now - sampler->last;

	for (size_t i = 0; i < pids->nr; i++) {
		struct thp_process process = {.size = sizeof(process)};

		if (thp_process_read(sampler->ctx, pids->list[i], THP_READ_HUGE, &process) < 0 ||
		    process.resident == THP_BYTES_UNKNOWN ||
		    thp_process_huge(&process) == THP_BYTES_UNKNOWN)
			continue; /* gone, a zombie, or setuid: not ours to see */
		resident += (double)process.resident;
		huge += (double)thp_process_huge(&process);
	}
	if (resident <= 0)
		return;
	share = fmin(1, huge / resident);
	sampler->resident = fmax(sampler->resident, resident);
	sampler->huge = fmax(sampler->huge, huge);
	sampler->share = fmax(sampler->share, share);
	sampler->weighted += share * weight;
	sampler->weight += weight;
	sampler->share_last = share;
	sampler->last = now;
	sampler->seen++;
}

/* A mean: the first look may come before there are threads. */
static void look_at_nodes(struct sampler *sampler, double now, const struct pids *pids)
{
	struct numa *numa = calloc(1, sizeof(*numa));
	double remote, weight = now - sampler->last_nodes;

	if (!numa)
		return;
	for (size_t i = 0; i < pids->nr; i++)
		numa_add_process(numa, pids->list[i]);
	remote = numa_remote(numa);
	free(numa);
	if (isnan(remote))
		return;
	sampler->remote += remote * weight;
	sampler->remote_weight += weight;
	sampler->last_nodes = now;
}

void sampler_take(struct sampler *sampler, double now)
{
	struct sampling *learnt = sampler->learnt;
	double begin = clock_now(), cost;
	struct pids pids;

	if (descendants_list(getpid(), sampler->strangers, &pids) == 0) {
		look(sampler, now, &pids);
		if (sampler->nodes)
			look_at_nodes(sampler, now, &pids);
		pids_free(&pids);
	}
	sampler->samples++;
	cost = clock_now() - begin;
	learnt->cost = learnt->cost > 0 ? (learnt->cost + cost) / 2 : cost;
	if (sampler->width > 0) {
		learnt->credit -= cost;
		sampler->next = next_part(sampler);
	} else {
		sampler->next = now + fmax(fmax(PAUSE_FIRST, PAUSE_GROWTH * now),
					   cost / (learnt->untimed ? BUDGET_UNTIMED : BUDGET));
	}
}

void sampler_end(const struct sampler *sampler, double values[NR_MEASURES])
{
	struct sampling *learnt = sampler->learnt;
	bool seen = sampler->seen > 0;

	/* A run that no look was possible in is too short for one: a guess, to be learnt better. */
	learnt->cost = learnt->cost > 0 ? learnt->cost : 1e-4;
	learnt->expected = values[MEASURE_WALL];
	values[MEASURE_HUGE_PEAK] = seen ? sampler->huge : NAN;
	values[MEASURE_SHARE_PEAK] = seen ? sampler->share : NAN;
	values[MEASURE_SHARE_MEAN] = seen ? sampler->weighted / sampler->weight : NAN;
	values[MEASURE_SHARE_LAST] =
		sampler->last > LAST * values[MEASURE_WALL] ? sampler->share_last : NAN;
	values[MEASURE_REMOTE_SHARE] =
		sampler->remote_weight > 0 ? sampler->remote / sampler->remote_weight : NAN;
	values[MEASURE_PEAK_RSS] = fmax(values[MEASURE_PEAK_RSS], sampler->resident);
}
