// SPDX-License-Identifier: MIT
/*
 * storm SECONDS PER-SECOND PROGRAM [ARG...]: forks and executes PROGRAM so often, from two
 * processes, and counts what it did: "executed N in S s". 0 a second: as often as it can.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FORKERS 2

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void pace(double until)
{
	double left = until - now();
	struct timespec t = {.tv_sec = (time_t)left,
			     .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};

	if (left > 0)
		nanosleep(&t, NULL);
}

static void fork_on(double end, double per_second, char **argv, long *count)
{
	double begun = now();

	while (now() < end) {
		pid_t pid = vfork();

		if (pid == 0) {
			execv(argv[0], argv);
			_exit(127);
		}
		if (pid < 0)
			continue;
		waitpid(pid, NULL, 0);
		++*count;
		if (per_second > 0)
			pace(begun + (double)*count / per_second);
	}
}

int main(int argc, char **argv)
{
	long *counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double begun = now(), seconds;
	long sum = 0;

	if (argc < 4 || counts == MAP_FAILED)
		return 2;
	seconds = strtod(argv[1], NULL);
	for (int i = 0; i < FORKERS; i++) {
		if (fork() == 0) {
			fork_on(begun + seconds, strtod(argv[2], NULL) / FORKERS, argv + 3,
				&counts[8 * i]);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < FORKERS; i++)
		sum += counts[8 * i];
	printf("executed %ld in %.2f s\n", sum, now() - begun);
	return 0;
}
