/* SPDX-License-Identifier: MIT */
/* The blocks of a process's memory that a huge page maps or could map. */
#ifndef THP_BLOCKS_H
#define THP_BLOCKS_H

#include "target.h"

/* Mappings without a gap between them, of one backing and file. */
struct stretch {
	uint64_t start;
	uint64_t end;
	uint64_t inode;
	enum thp_backing backing;
};

struct block {
	uint64_t address;
	size_t stretch; /* index */
	bool huge;      /* mapped by a huge entry */
	bool mixed;     /* lies in several mappings */
	enum thp_block_result result;
	int error;
};

struct blocks {
	uint64_t bytes; /* of a block */
	size_t nr;
	struct block *blocks; /* ascending; populated ones only */
	size_t nr_stretches;
	struct stretch *stretches;
};

/*
 * Finds the whole blocks of private and shared anonymous memory that have memory in them, in a
 * range of addresses (end 0: all). The caller gives *ret_blocks to blocks_free().
 */
int blocks_find(struct thp_ctx *ctx, const struct thp_target *target, uint64_t start, uint64_t end,
		struct blocks *ret_blocks);
void blocks_free(struct blocks *blocks);

/* What the change of one process begins and ends with: what is resident and huge. */
void blocks_measure(struct thp_ctx *ctx, const struct thp_target *target, uint64_t *ret_resident,
		    uint64_t *ret_huge);

/* Counts a block's result and tells it to the caller. What on_block gave. */
int blocks_report(const struct blocks *blocks, size_t index,
		  const struct thp_change_request *request, struct thp_change *change);

/* Checks what both changes ask of a request and a process. */
int blocks_check(struct thp_ctx *ctx, const struct thp_target *target,
		 const struct thp_change_request *request);

#endif /* THP_BLOCKS_H */
