// SPDX-License-Identifier: MIT
/*
 * Sets modes of a process many times over by libthp: inject [-t] PID COUNT MODE...
 * With -t by each of its threads in turn.
 * Stops early when the process ends. Prints one line: injections, failures, and for how many
 * microseconds the thread was held.
 */
#include "thp.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *left, const void *right)
{
	const unsigned long long *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

#define TIDS_MAX 1024

static unsigned read_tids(const char *pid, pid_t tids[TIDS_MAX])
{
	struct dirent *entry;
	unsigned nr = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	while (dir && nr < TIDS_MAX && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			tids[nr++] = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return nr;
}

int main(int argc, char **argv)
{
	pid_t tids[TIDS_MAX] = {0};
	unsigned nr_tids = 1;
	unsigned long count, failures = 0, done = 0;
	unsigned long long *held;
	struct thp_target *target;
	struct thp_ctx *ctx;

	if (argc > 1 && strcmp(argv[1], "-t") == 0) {
		argc--;
		argv++;
		nr_tids = read_tids(argv[1], tids);
	} else if (argc > 1) {
		tids[0] = atoi(argv[1]);
	}
	if (argc < 4 || nr_tids == 0)
		return 2;
	count = strtoul(argv[2], NULL, 10);
	held = calloc(count, sizeof(*held));
	if (!held || thp_open(&ctx, NULL) < 0)
		return 1;
	for (unsigned long i = 0; i < count; i++) {
		struct thp_remote remote = {.size = sizeof(remote)};
		enum thp_mode mode;
		int r;

		if (thp_mode_parse(argv[3 + i % (unsigned long)(argc - 3)], &mode) < 0)
			return 2;
		r = thp_target_open(ctx, tids[i % nr_tids], 0, &target);
		if (r < 0)
			break;
		r = thp_remote_set(ctx, target, mode, &remote);
		if (r == -ESRCH) {
			thp_target_close(target);
			break;
		}
		if (r < 0) {
			if (failures++ < 3)
				fprintf(stderr, "inject: %d %s\n", r, thp_reason(ctx));
		} else {
			held[done++] = remote.held_ns;
		}
		thp_target_close(target);
	}
	qsort(held, done, sizeof(*held), by_value);
	printf("done=%lu failed=%lu median_us=%llu p99_us=%llu\n", done, failures,
	       done ? held[done / 2] / 1000 : 0, done ? held[done * 99 / 100] / 1000 : 0);
	free(held);
	thp_close(ctx);
	return failures != 0;
}
