/* SPDX-License-Identifier: MIT */
/*
 * A simulated TLB or cache: set-associative, true least-recently-used order. Entry 0 of a set is
 * the one used last, so the common question is one comparison.
 */
#ifndef LAB_LRU_H
#define LAB_LRU_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct lru_shape {
	unsigned int shift; /* log2 of the size of a page, or of a line */
	unsigned int sets;  /* a power of two */
	unsigned int ways;
};

static inline void lru_flush(const struct lru_shape *shape, uint64_t *entries)
{
	memset(entries, 0xff, sizeof(*entries) * shape->sets * shape->ways);
}

static inline uint64_t *lru_new(const struct lru_shape *shape)
{
	uint64_t *entries = malloc(sizeof(*entries) * shape->sets * shape->ways);

	if (entries)
		lru_flush(shape, entries);
	return entries;
}

/* Looks the address up and makes its entry the newest of its set; true for a hit. */
static inline bool lru_use(const struct lru_shape *shape, uint64_t *entries, uint64_t address)
{
	uint64_t entry = address >> shape->shift, *set, moved;
	unsigned int way;

	set = entries + (entry & (shape->sets - 1)) * shape->ways;
	if (set[0] == entry)
		return true;
	moved = set[0];
	for (way = 1; way < shape->ways; way++) {
		uint64_t here = set[way];

		set[way] = moved;
		moved = here;
		if (here == entry)
			break;
	}
	set[0] = entry;
	return way < shape->ways;
}

#endif
