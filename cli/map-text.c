// SPDX-License-Identifier: MIT
/* thpctl map for a person: a line for each mapping, and below it a picture of what it holds. */
#include "cause-text.h"
#include "map.h"

#include "../common/escape.h"
#include "../common/number.h"

#include <inttypes.h>
#include <string.h>

#define NAME_SHOWN 1024

void map_text_begin(const struct map *map)
{
	char name[ESCAPED_MAX(THP_COMM_MAX)], size[NUMBER_BYTES_MAX];

	printf("PID %d (%s), a whole huge page is %s\n\n", map->process.pid,
	       escape_text(name, sizeof(name), map->process.comm), number_bytes(size, map->block));
	printf("%-29s %10s %10s %10s %4s  %-3s %-4s %-12s %s\n", "ADDRESSES", "SIZE", "RESIDENT",
	       "HUGE", "%", "ADV", "ELIG", "WHY NOT", "WHAT");
}

static const char *advice_word(enum thp_advice advice)
{
	static const char *const words[] = {"?", "-", "hg", "nh"};

	return words[advice];
}

static const char *answer_word(enum thp_answer answer)
{
	static const char *const words[] = {"?", "no", "yes"};

	return words[answer];
}

static void print_bytes(uint64_t bytes)
{
	char text[NUMBER_BYTES_MAX];

	printf(" %10s", number_bytes(text, bytes));
}

static void print_counts(const struct thp_counts *counts)
{
	uint64_t huge = thp_counts_huge(counts);

	print_bytes(counts->bytes);
	print_bytes(counts->resident);
	print_bytes(huge);
	if (counts->resident)
		printf(" %3" PRIu64 "%%", huge * 100 / counts->resident);
	else
		printf("    -");
}

/* The cause with the most memory. */
static const char *main_cause(const struct map *map, const struct thp_mapping *mapping)
{
	enum thp_cause causes[THP_CAUSES];

	if (!(map->use & THP_USE_WHY))
		return "?";
	return cause_order(&mapping->why, causes) ? thp_cause_name(causes[0]) : "-";
}

static const char *what(const struct thp_mapping *mapping)
{
	if (mapping->name[0])
		return mapping->name;
	return mapping->backing == THP_BACKING_ANON ? "[anon]" : "";
}

/* "node 0: 1 GiB, node 1: 512 MiB" */
static void print_nodes(const struct thp_counts *counts)
{
	char text[NUMBER_BYTES_MAX];
	const char *separator = "";

	for (unsigned node = 0; node < THP_NODES_MAX; node++) {
		if (counts->nodes[node] == 0)
			continue;
		printf("%snode %u: %s", separator, node, number_bytes(text, counts->nodes[node]));
		separator = ", ";
	}
	if (counts->node_unknown)
		printf("%sunknown node: %s", separator, number_bytes(text, counts->node_unknown));
}

static bool on_many_nodes(const struct thp_counts *counts)
{
	unsigned nr = counts->node_unknown > 0;

	for (unsigned node = 0; node < THP_NODES_MAX; node++)
		nr += counts->nodes[node] > 0;
	return nr > 1;
}

static bool has_orders(const struct thp_counts *counts)
{
	for (unsigned order = 1; order < THP_ORDERS_MAX; order++) {
		if (counts->orders[order])
			return true;
	}
	return false;
}

/* What small entries map: "64 KiB pages: 12 MiB, 2 MiB pages in pieces: 6 MiB" */
static void print_orders(const struct map *map, const struct thp_counts *counts)
{
	char text[NUMBER_BYTES_MAX], size[NUMBER_BYTES_MAX];
	const char *separator = "";

	for (unsigned order = 1; order < THP_ORDERS_MAX; order++) {
		uint64_t page = map->page_size << order;

		if (counts->orders[order] == 0)
			continue;
		printf("%s%s pages%s: %s", separator, number_bytes(size, page),
		       page >= map->block ? " in pieces" : "",
		       number_bytes(text, counts->orders[order]));
		separator = ", ";
	}
	if (counts->part_held)
		printf("; %s more is held but not mapped here",
		       number_bytes(text, counts->part_held));
}

static void print_picture(const struct map *map)
{
	const struct picture *picture = &map->picture;
	enum picture_class last = PICTURE_CLASSES;
	char size[NUMBER_BYTES_MAX];

	printf("    |");
	for (unsigned i = 0; i < picture->nr; i++) {
		enum picture_class class = picture_class(picture, i);

		if (map->request->colour && class != last)
			printf("\033[%sm", picture_style(class)->sgr);
		putchar(picture_style(class)->glyph);
		last = class;
	}
	printf("%s| %s each\n", map->request->colour ? "\033[0m" : "",
	       number_bytes(size, picture->cell));
}

/* A picture is for what has room for a huge page, and something in memory. */
static bool deserves_picture(const struct map *map, const struct thp_mapping *mapping)
{
	const struct thp_counts *counts = &mapping->counts;

	return counts->bytes >= map->block && map->picture.mapping == mapping->start &&
	       counts->resident + counts->hugetlb + counts->swapped > 0;
}

void map_text_mapping(const struct map *map, const struct thp_mapping *mapping)
{
	const struct thp_counts *counts = &mapping->counts;
	char addresses[40], name[NAME_SHOWN];

	snprintf(addresses, sizeof(addresses), "%" PRIx64 "-%" PRIx64, mapping->start,
		 mapping->end);
	printf("%-29s", addresses);
	print_counts(counts);
	printf("  %-3s %-4s %-12s %s\n", advice_word(mapping->advice),
	       answer_word(mapping->eligible), main_cause(map, mapping),
	       escape_text(name, sizeof(name), what(mapping)));
	if (deserves_picture(map, mapping))
		print_picture(map);
	if (has_orders(counts)) {
		printf("    ");
		print_orders(map, counts);
		putchar('\n');
	}
	if (on_many_nodes(counts)) {
		printf("    ");
		print_nodes(counts);
		putchar('\n');
	}
}

static void print_legend(const struct map *map)
{
	printf("\n");
	for (enum picture_class class = PICTURE_HUGE; class < PICTURE_CLASSES; class ++) {
		const struct picture_style *style = picture_style(class);

		if (map->request->colour)
			printf("\033[%sm%c\033[0m %s  ", style->sgr, style->glyph, style->word);
		else
			printf("%c %s  ", style->glyph, style->word);
		if (class == PICTURE_SIZED)
			printf("\n");
	}
	printf(". %s\n", picture_style(PICTURE_NONE)->word);
}

static void print_part(const char *name, uint64_t bytes)
{
	char text[NUMBER_BYTES_MAX];

	if (bytes)
		printf("  %-22s %s\n", name, number_bytes(text, bytes));
}

void map_text_end(const struct map *map)
{
	const struct thp_counts *total = &map->total;
	char mappings[40];

	snprintf(mappings, sizeof(mappings), "total, %" PRIu64 " mappings", map->nr_mappings);
	printf("%-29s", mappings);
	print_counts(total);
	printf("\n");
	print_legend(map);

	printf("\nOf the resident memory\n");
	print_part("huge, private", total->huge_anon);
	print_part("huge, shared memory", total->huge_shmem);
	print_part("huge, files", total->huge_file);
	if (has_orders(total)) {
		printf("  %-22s ", "other sizes");
		print_orders(map, total);
		printf("\n");
	}
	if (map->use & THP_USE_NODES) {
		printf("  %-22s ", "by node");
		print_nodes(total);
		printf("\n");
	}
	printf("Beside it\n");
	print_part("hugetlb (not THP)", total->hugetlb);
	print_part("swapped out", total->swapped);
	if (total->zero != THP_BYTES_UNKNOWN)
		print_part("zero page, read only", total->zero);

	printf("\n");
	if (map->use & THP_USE_WHY)
		cause_text(&map->why, false);
	else
		printf("Advice and causes were not read: so much memory in small pages would hold "
		       "up the process.\n--advice reads them all the same.\n");
}
