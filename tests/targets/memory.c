// SPDX-License-Identifier: MIT
/*
 * memory KIND MIB [hold]: takes memory, writes to all of it, and prints on one line
 *     thp FLAG huge KIB shmem KIB resident KIB
 * KIND: plain, advised (MADV_HUGEPAGE), malloc, heap (malloc in small pieces), thread (the same in
 * a thread), static (.bss, at most 256 MiB), collapsed-shmem. With hold it then stays.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define HUGE_PAGE (2ul << 20)

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* A mapping that starts on a huge page's border, as must its offset in the shared object. */
static char *map(size_t size, int flags)
{
	char *room = mmap(NULL, size + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *start = room + (-(unsigned long)room & (HUGE_PAGE - 1));

	if (room == MAP_FAILED)
		exit(99);
	start = mmap(start, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0);
	if (start == MAP_FAILED)
		exit(99);
	return start;
}

static void touch(char *start, size_t size)
{
	for (size_t i = 0; i < size; i += 4096)
		start[i] = 1;
}

static long kib(const char *key)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	char line[256];
	long value = -1;

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, strlen(key)) == 0)
			value = atol(line + strlen(key));
	}
	if (file)
		fclose(file);
	return value;
}

static char *memory; /* stays reachable */
static char bss[256ul << 20];

/* Pieces as programs with many objects have them; a list keeps them reachable. */
static void *fill_heap(void *arg)
{
	const size_t piece = 1000;
	size_t size = *(const size_t *)arg;

	for (size_t done = 0; done < size; done += piece) {
		char **object = malloc(piece);

		if (!object)
			exit(99);
		*object = memory;
		memory = (char *)object;
	}
	return NULL;
}

static void fill_thread(size_t size)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fill_heap, &size) != 0)
		exit(99);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[1] : "";
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) << 20 : 0;

	if (strcmp(kind, "plain") == 0) {
		memory = map(size, MAP_PRIVATE | MAP_ANONYMOUS);
		touch(memory, size);
	} else if (strcmp(kind, "advised") == 0) {
		memory = map(size, MAP_PRIVATE | MAP_ANONYMOUS);
		madvise(memory, size, MADV_HUGEPAGE);
		touch(memory, size);
	} else if (strcmp(kind, "malloc") == 0) {
		memory = malloc(size);
		if (!memory)
			return 99;
		touch(memory, size);
	} else if (strcmp(kind, "heap") == 0) {
		fill_heap(&size);
	} else if (strcmp(kind, "thread") == 0) {
		fill_thread(size);
	} else if (strcmp(kind, "static") == 0) {
		touch(bss, size < sizeof(bss) ? size : sizeof(bss));
	} else if (strcmp(kind, "collapsed-shmem") == 0) {
		memory = map(size, MAP_SHARED | MAP_ANONYMOUS);
		touch(memory, size);
		for (size_t i = 0; i < size; i += HUGE_PAGE)
			madvise(memory + i, HUGE_PAGE, MADV_COLLAPSE);
	} else {
		return 99;
	}
	printf("thp %d huge %ld shmem %ld resident %ld\n", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0),
	       kib("AnonHugePages:"), kib("ShmemPmdMapped:"), kib("Rss:"));
	fflush(stdout);
	if (argc > 3) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	return 0;
}
