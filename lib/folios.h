/* SPDX-License-Identifier: MIT */
/* Which sizes of physical pages stand behind memory that is mapped by small entries. */
#ifndef THP_FOLIOS_H
#define THP_FOLIOS_H

#include "pagemap.h"

/* The kernel's page flags of a window of page frames, kept for the next question. */
struct folios {
	struct thp_ctx *ctx;
	int fd;
	uint64_t first; /* frame that the window starts with */
	size_t nr;      /* how many it holds */
	size_t room;
	uint64_t *flags;

	/* The huge page that was met last, and where. */
	const struct pagemap *map;
	uint64_t part_head;
	uint64_t part_at; /* address of its first page, 0: none */
	uint64_t start;   /* of the mapping; */
	uint64_t *held;   /* where what its huge pages hold beyond what is mapped is added */
};

/* 0, -EACCES/-EPERM not permitted, or another -errno. */
int folios_open(struct folios *folios, struct thp_ctx *ctx, const struct pagemap *map);
void folios_close(struct folios *folios);

/* Begins a mapping. */
void folios_begin(struct folios *folios, uint64_t start, uint64_t *held);

/*
 * Cuts a range of kind THP_RANGE_SMALL into ranges of _SMALL, _SIZED and _SPLIT, and adds to
 * held what the huge pages met have in memory beyond what is mapped, here or beside.
 */
int folios_walk(struct folios *folios, const struct pagemap *map, const struct range *range,
		range_fn fn, void *arg);

/*
 * Cuts such a range by blocks, each judged by its first page alone: cheap, and enough to tell why a
 * block is not huge.
 */
int folios_sample(struct folios *folios, const struct pagemap *map, const struct range *range,
		  range_fn fn, void *arg);

/* Ends a mapping: the last huge page that was met is complete. */
void folios_end(struct folios *folios);

#endif /* THP_FOLIOS_H */
