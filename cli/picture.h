/* SPDX-License-Identifier: MIT */
/* A mapping in a row of cells, each one block of a huge page or a power of two of them. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "thp.h"

#define PICTURE_CELLS_MAX 512

/* What a cell mostly is, in the order of its legend. */
enum picture_class {
	PICTURE_NONE,      /* nothing is mapped */
	PICTURE_HUGE,      /* all of it in huge pages */
	PICTURE_HUGE_PART, /* some of it */
	PICTURE_HUGETLB,
	PICTURE_SPLIT, /* a huge page in small pieces */
	PICTURE_SIZED, /* huge pages of a smaller size */
	PICTURE_SMALL, /* small pages, at least half of it */
	PICTURE_SMALL_PART,
	PICTURE_UNSURE,
	PICTURE_SWAPPED,
	PICTURE_ZERO,
};
#define PICTURE_CLASSES (PICTURE_ZERO + 1)

struct picture {
	uint64_t mapping; /* start of the mapping that it shows */
	uint64_t start;
	uint64_t cell; /* bytes that one cell stands for */
	unsigned nr;
	uint64_t cells[PICTURE_CELLS_MAX][THP_RANGE_HUGETLB + 1]; /* bytes by kind of range */
};

/* Starts a mapping with at most room cells of one block or more. */
void picture_begin(struct picture *picture, const struct thp_mapping *mapping, uint64_t block,
		   unsigned room);

void picture_add(struct picture *picture, uint64_t start, uint64_t end, enum thp_range_kind kind);

enum picture_class picture_class(const struct picture *picture, unsigned cell);

/* A character, a colour for a terminal (SGR) and for SVG, and a word for each class. */
struct picture_style {
	char glyph;
	const char *sgr;
	const char *colour;
	const char *word;
};
const struct picture_style *picture_style(enum picture_class class);

#endif /* CLI_PICTURE_H */
