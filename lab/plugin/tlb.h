/* SPDX-License-Identifier: MIT */
/*
 * A simulated TLB: set-associative, true least-recently-used order. Entry 0 of a set is the one
 * used last, so the common question is one comparison.
 */
#ifndef LAB_TLB_H
#define LAB_TLB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tlb_shape {
	unsigned int shift; /* log2 of the page size */
	unsigned int sets;  /* a power of two */
	unsigned int ways;
};

#define TLB_EMPTY UINT64_MAX

static inline void tlb_flush(const struct tlb_shape *shape, uint64_t *entries)
{
	memset(entries, 0xff, sizeof(*entries) * shape->sets * shape->ways);
}

static inline uint64_t *tlb_new(const struct tlb_shape *shape)
{
	uint64_t *entries = malloc(sizeof(*entries) * shape->sets * shape->ways);

	if (entries)
		tlb_flush(shape, entries);
	return entries;
}

/* Looks the address up and makes its page the newest of its set; true for a hit. */
static inline bool tlb_use(const struct tlb_shape *shape, uint64_t *entries, uint64_t address)
{
	uint64_t page = address >> shape->shift, *set, moved;
	unsigned int way;

	set = entries + (page & (shape->sets - 1)) * shape->ways;
	if (set[0] == page)
		return true;
	moved = set[0];
	for (way = 1; way < shape->ways; way++) {
		uint64_t here = set[way];

		set[way] = moved;
		moved = here;
		if (here == page)
			break;
	}
	set[0] = page;
	return way < shape->ways;
}

#endif
