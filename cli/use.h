/* SPDX-License-Identifier: MIT */
/* How much to find out about a process without being a burden to it. */
#ifndef CLI_USE_H
#define CLI_USE_H

#include "thp.h"

/*
 * THP_USE_* flags: what was asked for, and advice, causes and nodes where a process has so little
 * memory in small pages that they come cheap.
 */
unsigned use_for(struct thp_ctx *ctx, const struct thp_process *process, unsigned asked);

/* Bytes of a whole huge page, also where the kernel does not tell. */
uint64_t use_block(const struct thp_system *system);

#endif /* CLI_USE_H */
