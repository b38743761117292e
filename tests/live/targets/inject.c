// SPDX-License-Identifier: MIT
/*
 * Sets modes of a process many times over by libthp: inject PID COUNT MODE...
 * Prints one line: injections, failures, and how long the thread was held.
 */
#include "thp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *left, const void *right)
{
	const unsigned long long *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

int main(int argc, char **argv)
{
	unsigned long count, failures = 0, done = 0;
	unsigned long long *held;
	struct thp_target *target;
	struct thp_ctx *ctx;

	if (argc < 4)
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
		r = thp_target_open(ctx, atoi(argv[1]), 0, &target);
		if (r < 0) {
			fprintf(stderr, "inject: open: %d %s\n", r, thp_reason(ctx));
			return 1;
		}
		r = thp_remote_set(ctx, target, mode, &remote);
		if (r < 0) {
			if (failures++ < 3)
				fprintf(stderr, "inject: %d %s\n", r, thp_reason(ctx));
		} else {
			held[done++] = remote.held_ns;
		}
		thp_target_close(target);
	}
	qsort(held, done, sizeof(*held), by_value);
	printf("done=%lu failed=%lu held_us_median=%llu held_us_p99=%llu\n", done, failures,
	       done ? held[done / 2] / 1000 : 0, done ? held[done * 99 / 100] / 1000 : 0);
	thp_close(ctx);
	return failures != 0;
}
