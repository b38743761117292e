/* SPDX-License-Identifier: MIT */
/* thpctl run: what the front and the executable that does more share. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "thp.h"

#include <stdbool.h>

/* The executable that does what a flag of the process cannot do: ways to always, and reports. */
#define RUN_MORE "run-more"

struct run_request {
	enum thp_mode mode;
	bool best_effort;
	bool verbose;
	const char *how; /* ways to always, by comma; NULL: the usual ones */
	char **command;
};

extern const char run_usage[];

/* Takes the words behind "run". 0, 1 if help was asked for, -1 having said what is wrong. */
int run_parse(char **argv, struct run_request *ret_request);

/*
 * Puts this process into the mode that was asked for, and says what there is to say. 0, or an exit
 * status with which the command is not to start.
 */
int run_enter_mode(struct thp_ctx *ctx, const struct run_request *request);

/* Says that the command is not started, and what would start it. */
void run_refuse(const struct run_request *request, const char *why);

/* Goes on with less than was asked for, with the user's consent, and says so. */
void run_settle(struct thp_ctx *ctx, const struct run_request *request, const char *why);

#endif /* CLI_RUN_H */
