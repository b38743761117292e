// SPDX-License-Identifier: MIT
#include "picture.h"

#include <string.h>

static const struct picture_style styles[PICTURE_CLASSES] = {
	[PICTURE_NONE] = {'.', "90", "#e8e8e8", "nothing in memory"},
	[PICTURE_HUGE] = {'#', "32", "#2a9d4a", "huge"},
	[PICTURE_HUGE_PART] = {'+', "92", "#97d077", "partly huge"},
	[PICTURE_HUGETLB] = {'H', "36", "#1f9aa8", "hugetlb"},
	[PICTURE_SPLIT] = {'%', "31", "#d1495b", "huge page in small pieces"},
	[PICTURE_SIZED] = {'=', "35", "#9467bd", "smaller huge pages"},
	[PICTURE_SMALL] = {'o', "33", "#e08a1e", "small pages"},
	[PICTURE_SMALL_PART] = {':', "93", "#f6cf8b", "few small pages"},
	[PICTURE_UNSURE] = {'?', "37", "#8c8c8c", "small or huge"},
	[PICTURE_SWAPPED] = {'z', "34", "#4063d8", "swapped"},
	[PICTURE_ZERO] = {'0', "90", "#c4c4c4", "zero page"},
};

const struct picture_style *picture_style(enum picture_class class)
{
	return &styles[class];
}

void picture_begin(struct picture *picture, const struct thp_mapping *mapping, uint64_t block,
		   unsigned room)
{
	uint64_t cell = block, start, nr;

	/* Doubled until it fits; cells are aligned, so a block is never in two of them. */
	for (;;) {
		start = mapping->start / cell * cell;
		nr = (mapping->end - start - 1) / cell + 1;
		if (nr <= room)
			break;
		cell *= 2;
	}
	picture->mapping = mapping->start;
	picture->start = start;
	picture->cell = cell;
	picture->nr = (unsigned)nr;
	memset(picture->cells, 0, nr * sizeof(picture->cells[0]));
}

void picture_add(struct picture *picture, uint64_t start, uint64_t end, enum thp_range_kind kind)
{
	while (start < end) {
		uint64_t cell = (start - picture->start) / picture->cell;
		uint64_t stop = picture->start + (cell + 1) * picture->cell;

		if (cell >= picture->nr)
			return;
		if (stop > end)
			stop = end;
		picture->cells[cell][kind] += stop - start;
		start = stop;
	}
}

enum picture_class picture_class(const struct picture *picture, unsigned cell)
{
	const uint64_t *bytes = picture->cells[cell];

	if (bytes[THP_RANGE_HUGE])
		return bytes[THP_RANGE_HUGE] == picture->cell ? PICTURE_HUGE : PICTURE_HUGE_PART;
	if (bytes[THP_RANGE_HUGETLB])
		return PICTURE_HUGETLB;
	if (bytes[THP_RANGE_SPLIT])
		return PICTURE_SPLIT;
	if (bytes[THP_RANGE_SIZED])
		return PICTURE_SIZED;
	if (bytes[THP_RANGE_UNSURE])
		return PICTURE_UNSURE;
	if (bytes[THP_RANGE_SMALL])
		return bytes[THP_RANGE_SMALL] >= picture->cell / 2 ? PICTURE_SMALL
								   : PICTURE_SMALL_PART;
	if (bytes[THP_RANGE_SWAPPED])
		return PICTURE_SWAPPED;
	return bytes[THP_RANGE_ZERO] ? PICTURE_ZERO : PICTURE_NONE;
}
