/* SPDX-License-Identifier: MIT */
/* thpctl show --why: the causes for which memory of one process is not huge. */
#ifndef CLI_SHOW_WHY_H
#define CLI_SHOW_WHY_H

#include "thp.h"

#include <stdbool.h>

struct show_why_request {
	pid_t pid;
	uint64_t start, end; /* the mappings that this range touches; end 0: all */
	bool json;
};

/* Prints the answer, or says why there is none. Returns an exit status. */
int show_why(struct thp_ctx *ctx, const struct show_why_request *request);

#endif /* CLI_SHOW_WHY_H */
