/* SPDX-License-Identifier: MIT */
/*
 * Why memory is not in whole huge pages. Pure judgement: facts in, bytes by cause out. What the
 * facts do not decide is "unknown".
 */
#ifndef THP_EXPLAIN_H
#define THP_EXPLAIN_H

#include "thp.h"

#include <stdbool.h>

struct explain_facts {
	const struct thp_system *system;
	unsigned possible; /* modes that the process may have, see struct thp_process */
	uint64_t start;    /* of the mapping */
	uint64_t end;
	uint64_t offset; /* in the file */
	uint64_t from;   /* part of it that is asked for: whole blocks, but for its edges */
	uint64_t to;
	enum thp_backing backing;
	enum thp_advice advice;
	enum thp_answer eligible;
	enum thp_setting shmem; /* of shared memory: what its mount says for whole huge pages */
	bool stack;             /* the main thread's */
	bool grows;             /* a heap that malloc lets grow in small steps */
	bool device;
	bool watched;
};

/* Blocks are what one huge page could map: pmd_bytes long, and aligned in address and file. */
struct explain {
	const struct explain_facts *facts;
	enum thp_cause whole; /* one cause for the whole mapping; THP_CAUSES: look at its blocks */
	uint64_t first;       /* address of the first block */
	uint64_t last;        /* end of the last; first >= last: there is none */
	uint64_t huge;        /* bytes of the mapping that are huge */
	uint64_t judged;      /* bytes of blocks with a cause, or huge */
	struct explain_block {
		uint64_t start;
		uint64_t small, split, sized, swapped, unsure, zero;
	} block; /* the block that ranges are added to */
	struct thp_why why;
};

/* One mapping: begin, its ranges ascending, end. */
void explain_begin(struct explain *explain, const struct explain_facts *facts);
void explain_range(struct explain *explain, uint64_t start, uint64_t end, enum thp_range_kind kind);
/* Instead of ranges, where they cannot be read: sums of a mapping. Blocks are then unknown. */
void explain_sums(struct explain *explain, uint64_t huge, uint64_t small);
void explain_end(struct explain *explain, struct thp_why *ret_why);

#endif /* THP_EXPLAIN_H */
