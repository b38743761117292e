/* SPDX-License-Identifier: MIT */
/*
 * Pattern: many threads, each first-touching and then walking ITS chunks of one large array.
 * Mail rows: the follow-up test of the 2013 mail (thp_pthread: 512 threads, 256 GB, 427 s with THP,
 * 216 s without).
 *
 * Why THP may hurt: a chunk smaller than a huge page shares it with the chunks of other threads,
 * and whoever faults first decides the node of all of them. With chunks dealt out round robin over
 * the nodes almost everything ends up remote; with 4 KiB pages nothing does.
 * Why THP may help: one fault instead of 512, fewer TLB misses; nothing to lose when --chunk is a
 * multiple of the huge page, or with --interleave block.
 */
#define _GNU_SOURCE
#include "wl.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ROUND_ROBIN, BLOCK };
enum { PIN_ON, PIN_OFF };

static const char *const interleave_words[] = {"round", "block", NULL};
static const char *const pin_words[] = {"on", "off", NULL};
static long chunk_bytes = 128 << 10, stride_bytes = 64;
static int interleave = ROUND_ROBIN, pin = PIN_ON;

static const struct wl_option options[] = {
	{"chunk", "bytes of a chunk, default 128K", WL_COUNT, &chunk_bytes, NULL},
	{"interleave",
	 "round: chunk c is thread c % N's; block: each thread's chunks are neighbours", WL_WORD,
	 &interleave, interleave_words},
	{"stride", "bytes between two accesses, default 64", WL_COUNT, &stride_bytes, NULL},
	{"pin", "on|off: bind each thread to a CPU, default on", WL_WORD, &pin, pin_words},
	{0},
};

static const struct wl_program program = {
	.name = "touchwalk",
	.help = "threads first-touch and then walk their chunks of one large array",
	.size_unit = "bytes of the array",
	.metric_unit = "GB/s",
	.size = {4L << 20, 256L << 20, 4L << 30, 256L << 30},
	.iterations = {3, 60, 60, 60},
	.has_touch = true,
	.options = options,
};

static struct wl_run run;
static uint64_t *array;
static size_t n_words, chunk_words, n_chunks, stride;
static pthread_barrier_t touched, start;

/* The value of a word before and after one walk over it. */
static uint64_t first_value(size_t i)
{
	return i * 0x9e3779b97f4a7c15U + run.seed;
}

static uint64_t next_value(uint64_t value)
{
	return value * 6364136223846793005U + 1442695040888963407U;
}

struct range {
	size_t first, step, end; /* chunks first, first + step, ... below end */
};

static struct range chunks_of(int thread)
{
	size_t threads = (size_t)run.threads, t = (size_t)thread;

	if (interleave == ROUND_ROBIN)
		return (struct range){t, threads, n_chunks};
	return (struct range){n_chunks * t / threads, 1, n_chunks * (t + 1) / threads};
}

static size_t chunk_end(size_t chunk)
{
	size_t end = (chunk + 1) * chunk_words;

	return end < n_words ? end : n_words;
}

static void touch(struct range range)
{
	for (size_t c = range.first; c < range.end; c += range.step)
		for (size_t i = c * chunk_words; i < chunk_end(c); i += stride)
			array[i] = first_value(i);
}

static void walk(struct range range)
{
	for (size_t c = range.first; c < range.end; c += range.step)
		for (size_t i = c * chunk_words; i < chunk_end(c); i += stride)
			array[i] = next_value(array[i]);
}

/* Threads go to the CPUs this process may use, one after the other, as often as needed. */
static void pin_to_cpu(int thread)
{
	cpu_set_t allowed, one;
	int nth;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	nth = thread % CPU_COUNT(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || nth-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		/* A CPU that went offline is no reason to fail: the thread runs anywhere then. */
		(void)sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void *worker(void *arg)
{
	int thread = (int)(intptr_t)arg;
	struct range mine = chunks_of(thread);

	if (pin == PIN_ON)
		pin_to_cpu(thread);
	if (run.touch_parallel)
		touch(mine);
	pthread_barrier_wait(&touched);
	pthread_barrier_wait(&start);
	for (long i = 0; i < run.iterations; i++)
		walk(mine);
	return NULL;
}

/* All walks of one word at once: affine maps compose to an affine map. */
static uint64_t walk_factor = 1, walk_addend;
static atomic_size_t wrong_words;

static void compose_walks(void)
{
	for (long i = 0; i < run.iterations; i++) {
		walk_factor *= next_value(1) - next_value(0);
		walk_addend = next_value(walk_addend);
	}
}

static void *checker(void *arg)
{
	struct range mine = chunks_of((int)(intptr_t)arg);
	size_t wrong = 0;

	for (size_t c = mine.first; c < mine.end; c += mine.step)
		for (size_t i = c * chunk_words; i < chunk_end(c); i += stride)
			wrong += array[i] != walk_factor * first_value(i) + walk_addend;
	atomic_fetch_add(&wrong_words, wrong);
	return NULL;
}

static void create_threads(pthread_t *threads, void *(*function)(void *))
{
	for (int t = 0; t < run.threads; t++) {
		if (pthread_create(&threads[t], NULL, function, (void *)(intptr_t)t)) {
			fprintf(stderr, "touchwalk: cannot create thread %d\n", t);
			exit(1);
		}
	}
}

static void join_threads(const pthread_t *threads)
{
	for (int t = 0; t < run.threads; t++)
		pthread_join(threads[t], NULL);
}

int main(int argc, char **argv)
{
	pthread_t *threads;
	size_t bytes, accesses = 0;

	run = wl_start(&program, argc, argv);
	stride = (size_t)stride_bytes / sizeof(*array);
	chunk_words = (size_t)chunk_bytes / sizeof(*array);
	if (!stride || stride_bytes % (long)sizeof(*array) || chunk_words < stride)
		wl_usage("--stride must be a multiple of 8, --chunk not less than --stride");
	n_words = (size_t)run.size / sizeof(*array);
	if (!n_words)
		wl_usage("--size is too small");
	n_chunks = (n_words + chunk_words - 1) / chunk_words;
	for (size_t c = 0; c < n_chunks; c++)
		accesses += (chunk_end(c) - c * chunk_words + stride - 1) / stride;

	/* Not malloc: its header would be a first touch by the main thread. */
	bytes = n_words * sizeof(*array);
	array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (array == MAP_FAILED) {
		perror("touchwalk: mmap");
		return 1;
	}
	if (!run.touch_parallel)
		touch((struct range){0, 1, n_chunks});

	threads = wl_alloc((size_t)run.threads * sizeof(*threads));
	pthread_barrier_init(&touched, NULL, (unsigned int)run.threads + 1);
	pthread_barrier_init(&start, NULL, (unsigned int)run.threads + 1);
	create_threads(threads, worker);
	pthread_barrier_wait(&touched);
	wl_begin();
	pthread_barrier_wait(&start);
	join_threads(threads);
	wl_end();

	if (wl_corrupt_wanted())
		array[(n_chunks / 2) * chunk_words] ^= 1;
	compose_walks();
	create_threads(threads, checker);
	join_threads(threads);
	free(threads);
	wl_check("every word has been walked as often as asked", (double)wrong_words, 0);
	/* A word is read and written, and with it a cache line of 64 bytes where the stride allows.
	 */
	return wl_finish((double)accesses * (double)run.iterations *
				 (double)(stride_bytes < 64 ? stride_bytes : 64) * 2e-9,
			 wl_hash(array, bytes));
}
