// SPDX-License-Identifier: MIT
/* The detail pane: where a process has its memory, in pictures, and why not more of it is huge. */
#include "cause-text.h"
#include "picture.h"
#include "top.h"

#include "../common/escape.h"
#include "../common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PLACES    8
#define CELLS     48
#define CAUSES    6
#define NAME_KEPT 40

struct place {
	uint64_t start, resident, huge, cell;
	char name[NAME_KEPT];
	char picture[CELLS + 1];
};

struct collect {
	uint64_t block;
	struct picture picture;
	struct place places[PLACES]; /* the largest first */
	unsigned nr;
	struct thp_counts total;
	struct thp_why why;
};

static void take_range(void *arg, const struct thp_mapping *mapping, uint64_t start, uint64_t end,
		       enum thp_range_kind kind)
{
	struct collect *collect = arg;

	if (collect->picture.mapping != mapping->start)
		picture_begin(&collect->picture, mapping, collect->block, CELLS);
	picture_add(&collect->picture, start, end, kind);
}

static void take_mapping(struct collect *collect, const struct thp_mapping *mapping)
{
	const struct picture *picture = &collect->picture;
	struct place place = {.start = mapping->start, .resident = mapping->counts.resident};
	unsigned at;

	if (mapping->counts.bytes < collect->block || picture->mapping != mapping->start ||
	    (collect->nr == PLACES && place.resident <= collect->places[PLACES - 1].resident))
		return;
	place.huge = thp_counts_huge(&mapping->counts);
	place.cell = picture->cell;
	snprintf(place.name, sizeof(place.name), "%s", mapping->name[0] ? mapping->name : "[anon]");
	for (unsigned i = 0; i < picture->nr; i++)
		place.picture[i] = picture_style(picture_class(picture, i))->glyph;
	if (collect->nr < PLACES)
		collect->nr++;
	for (at = collect->nr - 1; at > 0 && collect->places[at - 1].resident < place.resident;
	     at--)
		collect->places[at] = collect->places[at - 1];
	collect->places[at] = place;
}

static char *next_line(struct top_detail *detail)
{
	return detail->lines[detail->nr < TOP_DETAIL_LINES - 1 ? detail->nr++ : detail->nr];
}

static void write_places(struct top_detail *detail, const struct collect *collect)
{
	for (unsigned i = 0; i < collect->nr; i++) {
		const struct place *place = &collect->places[i];
		char name[ESCAPED_MAX(NAME_KEPT)], cell[NUMBER_BYTES_MAX];
		char resident[NUMBER_BYTES_MAX], huge[NUMBER_BYTES_MAX];

		snprintf(next_line(detail), TOP_TEXT_MAX,
			 "%12" PRIx64 " |%-*s| %s each, %s of %s huge  %s", place->start, CELLS,
			 place->picture, number_bytes(cell, place->cell),
			 number_bytes(huge, place->huge), number_bytes(resident, place->resident),
			 escape_text(name, sizeof(name), place->name));
	}
}

static void write_causes(struct top_detail *detail, const struct thp_why *why)
{
	enum thp_cause causes[THP_CAUSES];
	unsigned nr = cause_order(why, causes);

	for (unsigned i = 0; i < nr && i < CAUSES; i++) {
		char size[NUMBER_BYTES_MAX];

		if (why->causes[causes[i]].resident == 0)
			break;
		snprintf(next_line(detail), TOP_TEXT_MAX, "%12s %s",
			 number_bytes(size, why->causes[causes[i]].resident),
			 thp_cause_text(causes[i]));
	}
}

void top_detail_read(struct top_detail *detail, struct thp_ctx *ctx,
		     const struct thp_process *process)
{
	static struct collect collect; /* its picture is too large for a stack's comfort */
	struct thp_mapping mapping = {.size = sizeof(mapping)};
	struct thp_usage_request request = {
		.size = sizeof(request),
		.flags = THP_USE_CHEAP,
		.on_range = take_range,
		.arg = &collect,
	};
	struct thp_usage_info info = {.size = sizeof(info)};
	char name[ESCAPED_MAX(THP_COMM_MAX)];
	struct thp_usage *usage;
	int r;

	memset(&collect, 0, sizeof(collect));
	collect.picture.mapping = UINT64_MAX;
	detail->nr = 0;
	snprintf(next_line(detail), TOP_TEXT_MAX,
		 "PID %d (%s), by mapping: # huge, o small, %% in pieces, . nothing", process->pid,
		 escape_text(name, sizeof(name), process->comm));
	r = thp_usage_open(ctx, process->pid, &request, &usage);
	if (r < 0) {
		snprintf(next_line(detail), TOP_TEXT_MAX, "%s", thp_reason(ctx));
		return;
	}
	thp_usage_describe(usage, &info);
	collect.block = info.block;
	while (thp_usage_next(usage, &mapping) > 0) {
		take_mapping(&collect, &mapping);
		thp_why_add(&collect.why, &mapping.why);
	}
	thp_usage_close(usage);
	write_places(detail, &collect);
	if (info.flags & THP_USE_WHY)
		write_causes(detail, &collect.why);
	else
		snprintf(
			next_line(detail), TOP_TEXT_MAX,
			"causes are not read: it would hold up a process with so many small pages");
}
