/* SPDX-License-Identifier: MIT */
/* The ways to "always" for one program; the kernel itself has it for the whole machine only. */
#ifndef CLI_ALWAYS_WAYS_H
#define CLI_ALWAYS_WAYS_H

#include "../run.h"
#include "settings.h"

#define WAYS_WHY_MAX 640

#define WAY_SETTINGS 1u

struct ways {
	unsigned asked;    /* WAY_* */
	unsigned in_force; /* of them */
	bool system;       /* it says always itself */
	bool absent;       /* there is no such command */
	char **argv;       /* of the command now */
	struct settings settings;
	char why[WAYS_WHY_MAX]; /* what hinders each that is not in force */
};

/* Takes the value of --how, NULL for the usual ways. 0, or -EINVAL having said what is wrong. */
int ways_parse(const char *how, unsigned *ret_ways);

/*
 * Tries the ways in turn: prepares this process, which is to become the command. 0 whether or not
 * any of them is in force, or -errno with the reason in ret_ways->why. The caller gives it to
 * ways_end() if the command did not start.
 */
int ways_try(struct thp_ctx *ctx, const struct run_request *request, unsigned asked,
	     struct ways *ret_ways);

void ways_end(struct ways *ways, const struct run_request *request);

#endif /* CLI_ALWAYS_WAYS_H */
