/* SPDX-License-Identifier: MIT */
/*
 * Pattern: pointer chase, one dependent load after the other at random places of a given size.
 * Mail rows: none; the purest price of a TLB miss and of a remote load.
 *
 * Why THP may help: every step misses the TLB once the size exceeds its reach (a few MiB with
 * 4 KiB pages, a few GiB with 2 MiB pages), and nothing hides the page walk.
 * Why it may hurt: on many nodes, only as far as placement becomes coarser; all threads walk all
 * of the memory here, so it hardly matters.
 */
#define _GNU_SOURCE
#include "wl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE = 64 }; /* one element per cache line */

struct element {
	struct element *next;
	char rest[LINE - sizeof(struct element *)];
};

static const struct wl_program program = {
	.name = "chase",
	.help = "dependent loads at random places",
	.size_unit = "bytes of the ring",
	.metric_unit = "Msteps/s",
	.size = {1L << 20, 256L << 20, 4L << 30, 64L << 30},
	.iterations = {20000, 5000000, 50000000, 200000000},
	.has_touch = true,
};

/*
 * The ring visits place(0), place(1), ...: place() is a random bijection that can be computed and
 * inverted at once, so each thread can build its part of memory in address order, and the end of
 * a walk is known without walking.
 */
static struct wl_run run;
static struct element *ring;
static uint64_t n_elements;
static pthread_barrier_t built, start;

static uint64_t place(uint64_t visit)
{
	return wl_permute(n_elements, run.seed, visit % n_elements);
}

static void build(uint64_t first, uint64_t end)
{
	for (uint64_t i = first; i < end; i++) {
		uint64_t visit = wl_unpermute(n_elements, run.seed, i);

		ring[i].next = &ring[place(visit + 1)];
	}
}

struct walker {
	pthread_t id;
	uint64_t first_built, end_built;
	uint64_t first_visit;
	struct element *end;
};

static void *walk(void *arg)
{
	struct walker *walker = arg;
	struct element *at = &ring[place(walker->first_visit)];

	if (run.touch_parallel)
		build(walker->first_built, walker->end_built);
	pthread_barrier_wait(&built);
	pthread_barrier_wait(&start);
	for (long i = 0; i < run.iterations; i++)
		at = at->next;
	walker->end = at;
	return NULL;
}

int main(int argc, char **argv)
{
	struct walker *walkers;
	double wrong = 0;
	uint64_t hash = 0;

	run = wl_start(&program, argc, argv);
	n_elements = (uint64_t)run.size / LINE;
	if (n_elements < (uint64_t)run.threads)
		wl_usage("--size must hold a cache line for each thread");
	ring = wl_alloc(n_elements * sizeof(*ring));
	if (!run.touch_parallel)
		build(0, n_elements);

	pthread_barrier_init(&built, NULL, (unsigned int)run.threads + 1);
	pthread_barrier_init(&start, NULL, (unsigned int)run.threads + 1);
	walkers = wl_alloc((size_t)run.threads * sizeof(*walkers));
	for (int t = 0; t < run.threads; t++) {
		uint64_t i = (uint64_t)t, threads = (uint64_t)run.threads;

		walkers[t].first_built = n_elements * i / threads;
		walkers[t].end_built = n_elements * (i + 1) / threads;
		walkers[t].first_visit = n_elements * i / threads;
		if (pthread_create(&walkers[t].id, NULL, walk, &walkers[t])) {
			fprintf(stderr, "chase: cannot create thread %d\n", t);
			return 1;
		}
	}
	pthread_barrier_wait(&built);
	wl_begin();
	pthread_barrier_wait(&start);
	for (int t = 0; t < run.threads; t++)
		pthread_join(walkers[t].id, NULL);
	wl_end();

	if (wl_corrupt_wanted())
		walkers[0].end = walkers[0].end->next;
	for (int t = 0; t < run.threads; t++) {
		uint64_t end = place(walkers[t].first_visit + (uint64_t)run.iterations);

		wrong += walkers[t].end != &ring[end];
	}
	wl_check("each walk ends where the ring's order says", wrong, 0);
	/* Addresses differ between runs, places do not. */
	for (uint64_t i = 0; i < n_elements; i++)
		hash += wl_random((uint64_t)(ring[i].next - ring), i);
	hash += (uint64_t)(walkers[0].end - ring);
	free(walkers);
	free(ring);
	return wl_finish((double)run.iterations * (double)run.threads * 1e-6, hash);
}
