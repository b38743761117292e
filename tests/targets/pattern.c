// SPDX-License-Identifier: MIT
/*
 * Patterns of memory with a known answer, for tests of comparisons.
 *
 *     pattern bloat MIB    one byte in each 2 MiB of advised memory
 *     pattern full MIB     each page of advised memory
 *     pattern small MIB    the same, not advised
 *     pattern fork MIB     advised and touched; a child is forked, the parent writes one byte in
 *                          each 2 MiB
 *     pattern stacks NR    NR threads with stacks of 8 MiB, of which each touches one page
 *     pattern flag         fails with status 3 if the process flag is set
 *     pattern spin UNITS   arithmetic alone, then "result=..." and "rate=..."
 *
 * What was built up stays for a fifth of a second, so that it can be seen from outside.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_GET_THP_DISABLE
#define PR_GET_THP_DISABLE 42
#endif

#define HUGE ((size_t)2 << 20)
#define HOLD 200000 /* microseconds */

static char *map(size_t mib, int advise)
{
	size_t size = mib << 20;
	char *at =
		mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	at += (HUGE - (uintptr_t)at % HUGE) % HUGE;
	if (advise && madvise(at, size, MADV_HUGEPAGE) < 0)
		exit(1);
	return at;
}

static void touch(char *at, size_t mib, size_t step)
{
	for (size_t i = 0; i < mib << 20; i += step)
		((volatile char *)at)[i] = 1;
}

static void pattern_fork(size_t mib)
{
	char *at = map(mib, 1);
	pid_t child;

	touch(at, mib, 4096);
	usleep(HOLD);
	child = fork();
	if (child == 0) {
		usleep(HOLD / 2);
		_exit(0);
	}
	touch(at, mib, HUGE);
	waitpid(child, NULL, 0);
	usleep(HOLD);
}

static void *one_page(void *unused)
{
	volatile char page[4096];

	(void)unused;
	memset((char *)page, 1, sizeof(page));
	usleep(HOLD);
	return NULL;
}

static void stacks(size_t nr)
{
	pthread_t *threads = calloc(nr, sizeof(*threads));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 8 << 20);
	for (size_t i = 0; i < nr; i++) {
		if (pthread_create(&threads[i], &attr, one_page, NULL) != 0)
			exit(1);
	}
	for (size_t i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void spin(size_t units)
{
	struct timespec begin, end;
	uint64_t x = 1;
	double seconds;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (size_t i = 0; i < units * 1000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	clock_gettime(CLOCK_MONOTONIC, &end);
	seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	printf("result=%016llx\nrate=%.6f\n", (unsigned long long)x, (double)units / seconds);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (strcmp(what, "flag") == 0)
		return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1 ? 3 : 0;
	if (size == 0)
		return 2;
	if (strcmp(what, "spin") == 0) {
		spin(size);
		return 0;
	}
	if (strcmp(what, "fork") == 0)
		pattern_fork(size);
	else if (strcmp(what, "stacks") == 0)
		stacks(size);
	else
		touch(map(size, strcmp(what, "small") != 0), size,
		      strcmp(what, "bloat") == 0 ? HUGE : 4096);
	usleep(HOLD);
	return 0;
}
