// SPDX-License-Identifier: MIT
/*
 * What a launcher adds to the start of a command: each run starts /bin/true through every launcher
 * once, in random order, so that whatever else the machine does hits all alike. Prints the median
 * of each, what it adds to the bare start, and the ratio of that to taskset's.
 *
 *     launch [-n RUNS] THPCTL
 */
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRUE "/bin/true"

struct launcher {
	const char *name;
	const char *argv[8];
	bool there;
	double *samples; /* microseconds */
};

static struct launcher launchers[] = {
	{.name = "bare exec", .argv = {TRUE}},
	{.name = "thpctl run never", .argv = {NULL, "run", "never", "--", TRUE}},
	{.name = "taskset", .argv = {"/usr/bin/taskset", "-c", "0-1023", TRUE}},
	{.name = "setarch", .argv = {"/usr/bin/setarch", "-R", TRUE}},
	{.name = "numactl", .argv = {"/usr/bin/numactl", "--localalloc", TRUE}},
	{.name = "env", .argv = {"/usr/bin/env", TRUE}},
};
enum { BARE, THPCTL, TASKSET, NR = sizeof(launchers) / sizeof(launchers[0]) };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Microseconds from the spawn to the end of /bin/true. */
static double start_once(const struct launcher *launcher)
{
	double start = now();
	int status;
	pid_t pid;
	int err = posix_spawn(&pid, launcher->argv[0], NULL, NULL, (char *const *)launcher->argv,
			      environ);

	if (err != 0 || waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "launch: %s failed: %s\n", launcher->name,
			err ? strerror(err) : "non-zero status");
		exit(1);
	}
	return now() - start;
}

static void shuffle(size_t order[NR])
{
	for (size_t i = 0; i < NR; i++)
		order[i] = i;
	for (size_t i = NR - 1; i > 0; i--) {
		size_t j = (size_t)random() % (i + 1), kept = order[i];

		order[i] = order[j];
		order[j] = kept;
	}
}

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median(double *samples, size_t nr)
{
	qsort(samples, nr, sizeof(*samples), by_value);
	return nr % 2 ? samples[nr / 2] : (samples[nr / 2 - 1] + samples[nr / 2]) / 2;
}

/* Each sample less the bare start of the same run: what the machine did meanwhile cancels out. */
static double median_added(const struct launcher *launcher, size_t runs)
{
	double *added = calloc(runs, sizeof(*added)), result;

	if (!added)
		exit(1);
	for (size_t i = 0; i < runs; i++)
		added[i] = launcher->samples[i] - launchers[BARE].samples[i];
	result = median(added, runs);
	free(added);
	return result;
}

static void report(size_t runs)
{
	double added[NR] = {0};

	for (size_t i = 0; i < NR; i++) {
		if (launchers[i].there)
			added[i] = median_added(&launchers[i], runs);
	}
	printf("start of " TRUE ", %zu interleaved runs, medians\n", runs);
	printf("%-18s %10s %10s %18s\n", "launcher", "us", "added us", "added / taskset's");
	for (size_t i = 0; i < NR; i++) {
		if (!launchers[i].there) {
			printf("%-18s not installed\n", launchers[i].name);
			continue;
		}
		printf("%-18s %10.0f %10.0f", launchers[i].name, median(launchers[i].samples, runs),
		       added[i]);
		if (i != BARE && launchers[TASKSET].there)
			printf(" %18.3f", added[i] / added[TASKSET]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	size_t runs = 1000, order[NR];

	if (argc > 3 && strcmp(argv[1], "-n") == 0) {
		runs = strtoul(argv[2], NULL, 10);
		argv += 2;
		argc -= 2;
	}
	if (argc != 2 || runs == 0) {
		fprintf(stderr, "usage: launch [-n RUNS] THPCTL\n");
		return 2;
	}
	launchers[THPCTL].argv[0] = argv[1];
	for (size_t i = 0; i < NR; i++) {
		launchers[i].there = access(launchers[i].argv[0], X_OK) == 0;
		launchers[i].samples = calloc(runs, sizeof(double));
		if (!launchers[i].samples)
			return 1;
		if (launchers[i].there)
			start_once(&launchers[i]); /* warms the page cache */
	}
	if (!launchers[THPCTL].there) {
		fprintf(stderr, "launch: %s: %s\n", argv[1], strerror(ENOENT));
		return 1;
	}
	for (size_t run = 0; run < runs; run++) {
		shuffle(order);
		for (size_t i = 0; i < NR; i++) {
			struct launcher *launcher = &launchers[order[i]];

			if (launcher->there)
				launcher->samples[run] = start_once(launcher);
		}
	}
	report(runs);
	for (size_t i = 0; i < NR; i++)
		free(launchers[i].samples);
	return 0;
}
