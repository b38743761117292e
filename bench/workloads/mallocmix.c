/* SPDX-License-Identifier: MIT */
/*
 * Pattern: malloc-heavy: many small and medium allocations of random size and lifetime, by
 * several threads, as in servers, interpreters and object-oriented codes.
 * Mail rows: none by itself; equake's allocations without its arithmetic.
 *
 * Why THP may help: the heap is touched everywhere, and a huge page replaces 512 faults.
 * Why it may hurt: memory that the allocator gives back in pieces smaller than 2 MiB splits huge
 * pages or stays resident (bloat: compare the peak RSS); arenas of several threads share the
 * first huge page that one of them faults.
 */
#include "wl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The work is cut into streams, not threads: any number of threads allocates the same blocks. */
enum { N_STREAMS = 64, SLOTS_PER_MIB = 1024, MARK_STEP = 256 };

struct block {
	uint32_t bytes;
	uint32_t tag;
	unsigned char data[];
};

static const struct wl_program program = {
	.name = "mallocmix",
	.help = "random malloc and free of small and medium blocks by several threads",
	.size_unit = "bytes that are live at about any time",
	.metric_unit = "Mallocs/s",
	.size = {4L << 20, 128L << 20, 2L << 30, 32L << 30},
	.iterations = {2, 40, 40, 40},
};

static struct wl_run run;
static size_t slots_per_stream;

/* Aligned: neighbours belong to different threads. */
struct stream {
	_Alignas(128) struct block **slot;
	uint64_t draws;
	uint64_t allocated; /* blocks */
	uint64_t hash;      /* of all blocks at the end */
	uint64_t live_bytes, expected_live_bytes;
	uint64_t wrong; /* blocks whose content was not what had been written */
};

static struct stream streams[N_STREAMS];

/* 80 % below 512 bytes, 19 % up to 8 KiB, 1 % up to 64 KiB: about 1 KiB in the mean. */
static uint32_t random_bytes(uint64_t random)
{
	uint64_t percent = random % 100, value = random >> 32;

	if (percent < 80)
		return (uint32_t)(16 + value % 497);
	if (percent < 99)
		return (uint32_t)(512 + value % 7681);
	return (uint32_t)(8192 + value % 57345);
}

static struct block *make(uint64_t random)
{
	uint32_t bytes = random_bytes(random);
	struct block *block = wl_alloc(sizeof(*block) + bytes);

	block->bytes = bytes;
	block->tag = (uint32_t)random;
	for (uint32_t i = 0; i < bytes; i += MARK_STEP)
		block->data[i] = (unsigned char)(block->tag + i / MARK_STEP);
	return block;
}

static bool intact(const struct block *block)
{
	for (uint32_t i = 0; i < block->bytes; i += MARK_STEP)
		if (block->data[i] != (unsigned char)(block->tag + i / MARK_STEP))
			return false;
	return true;
}

static void run_stream(int number)
{
	struct stream *stream = &streams[number];
	uint64_t key = run.seed * N_STREAMS + (uint64_t)number;
	uint64_t replacements = slots_per_stream * (uint64_t)run.iterations;

	stream->slot = calloc(slots_per_stream, sizeof(*stream->slot));
	if (!stream->slot) {
		fprintf(stderr, "mallocmix: cannot allocate the slots\n");
		exit(1);
	}
	for (uint64_t i = 0; i < replacements; i++) {
		uint64_t random = wl_random(key, i);
		struct block **slot = &stream->slot[wl_random(key + 1, i) % slots_per_stream];

		if (*slot) {
			stream->wrong += !intact(*slot);
			stream->expected_live_bytes -= (*slot)->bytes;
			free(*slot);
		}
		*slot = make(random);
		stream->expected_live_bytes += random_bytes(random);
		stream->allocated++;
	}
}

static void *worker(void *arg)
{
	int thread = (int)(intptr_t)arg;

	for (int s = thread; s < N_STREAMS; s += run.threads)
		run_stream(s);
	return NULL;
}

static void inspect(struct stream *stream)
{
	for (size_t i = 0; i < slots_per_stream; i++) {
		const struct block *block = stream->slot[i];

		if (!block)
			continue;
		stream->wrong += !intact(block);
		stream->live_bytes += block->bytes;
		stream->hash += wl_random((uint64_t)block->tag << 32 | block->bytes, i);
	}
}

static void corrupt_one_block(void)
{
	for (size_t i = 0; i < slots_per_stream; i++) {
		if (streams[0].slot[i]) {
			streams[0].slot[i]->data[0] ^= 1;
			return;
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t allocated = 0, wrong = 0, live = 0, expected_live = 0, hash = 0;
	pthread_t *threads;

	run = wl_start(&program, argc, argv);
	slots_per_stream = (size_t)run.size / (1 << 20) * SLOTS_PER_MIB / N_STREAMS;
	if (!slots_per_stream)
		wl_usage("--size must be at least 1M");
	if (run.threads > N_STREAMS)
		wl_usage("at most 64 threads have work");

	threads = wl_alloc((size_t)run.threads * sizeof(*threads));
	wl_begin();
	for (int t = 0; t < run.threads; t++) {
		if (pthread_create(&threads[t], NULL, worker, (void *)(intptr_t)t)) {
			fprintf(stderr, "mallocmix: cannot create thread %d\n", t);
			return 1;
		}
	}
	for (int t = 0; t < run.threads; t++)
		pthread_join(threads[t], NULL);
	wl_end();
	free(threads);

	if (wl_corrupt_wanted())
		corrupt_one_block();
	for (int s = 0; s < N_STREAMS; s++) {
		inspect(&streams[s]);
		allocated += streams[s].allocated;
		wrong += streams[s].wrong;
		live += streams[s].live_bytes;
		expected_live += streams[s].expected_live_bytes;
		hash += streams[s].hash;
	}
	wl_check("every block holds what was written to it", (double)wrong, 0);
	wl_check("live bytes add up", (double)(live - expected_live), 0);
	return wl_finish((double)allocated * 1e-6, hash);
}
