// SPDX-License-Identifier: MIT
#include "table.h"

#include <errno.h>
#include <stdlib.h>

#define LEAST_PLACES 64

/* Process numbers come in a row, hence a spread is needed for none but those that collide. */
static size_t home(const struct table *table, pid_t pid)
{
	return (size_t)pid & (table->nr_places - 1);
}

static size_t next_place(const struct table *table, size_t at)
{
	return (at + 1) & (table->nr_places - 1);
}

void table_free(struct table *table)
{
	free(table->places);
	*table = (struct table){0};
}

/* Where a process is, or would be put. */
static size_t place_of(const struct table *table, pid_t pid)
{
	size_t at = home(table, pid);

	while (table->places[at].pid != 0 && table->places[at].pid != pid)
		at = next_place(table, at);
	return at;
}

struct record *table_find(const struct table *table, pid_t pid)
{
	struct record *record;

	if (table->nr == 0)
		return NULL;
	record = &table->places[place_of(table, pid)];
	return record->pid ? record : NULL;
}

static int resize(struct table *table, size_t nr_places)
{
	struct table other = {.nr_places = nr_places, .nr = table->nr};

	other.places = calloc(nr_places, sizeof(*other.places));
	if (!other.places)
		return -ENOMEM;
	for (size_t i = 0; i < table->nr_places; i++) {
		if (table->places[i].pid)
			other.places[place_of(&other, table->places[i].pid)] = table->places[i];
	}
	free(table->places);
	*table = other;
	return 0;
}

struct record *table_add(struct table *table, pid_t pid)
{
	struct record *record = table_find(table, pid);

	if (record)
		return record;
	if (2 * (table->nr + 1) > table->nr_places &&
	    resize(table, table->nr_places ? 2 * table->nr_places : LEAST_PLACES) < 0)
		return NULL;
	record = &table->places[place_of(table, pid)];
	*record = (struct record){.pid = pid, .rule = -1};
	table->nr++;
	return record;
}

void table_drop(struct table *table, pid_t pid)
{
	struct record *record = table_find(table, pid);
	size_t hole, at;

	if (!record)
		return;
	hole = (size_t)(record - table->places);
	table->nr--;
	/* Those behind the hole that would no longer be found move into it. */
	for (at = next_place(table, hole); table->places[at].pid; at = next_place(table, at)) {
		size_t from = home(table, table->places[at].pid);
		size_t gap = (at - from) & (table->nr_places - 1);

		if (gap >= ((at - hole) & (table->nr_places - 1))) {
			table->places[hole] = table->places[at];
			hole = at;
		}
	}
	table->places[hole] = (struct record){0};
	/* A burst is no reason to keep its memory for good; failing to shrink is no failure. */
	if (table->nr_places > LEAST_PLACES && 8 * table->nr < table->nr_places)
		resize(table, table->nr_places / 2);
}

struct record *table_next(const struct table *table, size_t *at)
{
	while (*at < table->nr_places) {
		struct record *record = &table->places[(*at)++];

		if (record->pid)
			return record;
	}
	return NULL;
}
