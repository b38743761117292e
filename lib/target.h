/* SPDX-License-Identifier: MIT */
#ifndef THP_TARGET_H
#define THP_TARGET_H

#include "internal.h"

struct thp_target {
	pid_t pid;
	pid_t tid; /* thread by which it was named, 0 none */
	int pidfd;
	enum thp_identity identity;
	uint64_t id;
};

/* Whether the target is still the process that it was opened as: 0, or -ESRCH with the reason. */
int target_alive(struct thp_ctx *ctx, const struct thp_target *target);

#endif /* THP_TARGET_H */
