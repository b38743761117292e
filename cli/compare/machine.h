/* SPDX-License-Identifier: MIT */
/* On what was measured. */
#ifndef CLI_COMPARE_MACHINE_H
#define CLI_COMPARE_MACHINE_H

#include "thp.h"

struct machine {
	char host[65];
	char kernel[130]; /* "Linux 6.18.1" */
	char arch[65];
	char cpu[128];
	long cpus; /* online */
	unsigned nodes;
	uint64_t memory; /* bytes */
	struct thp_system thp;
};

/* What cannot be read stays empty or unknown. */
void machine_read(struct thp_ctx *ctx, struct machine *ret_machine);

#endif /* CLI_COMPARE_MACHINE_H */
