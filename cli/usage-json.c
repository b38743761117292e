// SPDX-License-Identifier: MIT
#include "usage-json.h"

#include "cause-text.h"

#include "../common/json.h"

#include <inttypes.h>
#include <stdio.h>

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *nodes_json(const struct thp_counts *counts)
{
	json_t *value = json_object();
	char key[16];

	for (unsigned node = 0; node < THP_NODES_MAX; node++) {
		if (counts->nodes[node] == 0)
			continue;
		snprintf(key, sizeof(key), "%u", node);
		put(value, key, json_bytes(counts->nodes[node]));
	}
	put(value, "unknown", json_bytes(counts->node_unknown));
	return value;
}

/* By the bytes of the physical page. */
static json_t *sizes_json(const struct thp_counts *counts, uint64_t page_size)
{
	json_t *value = json_object();
	char key[24];

	for (unsigned order = 0; order < THP_ORDERS_MAX; order++) {
		if (counts->orders[order] == 0)
			continue;
		snprintf(key, sizeof(key), "%" PRIu64, page_size << order);
		put(value, key, json_bytes(counts->orders[order]));
	}
	return value;
}

json_t *usage_counts_json(const struct thp_counts *counts, unsigned use, uint64_t page_size)
{
	json_t *value = json_object();

	put(value, "bytes", json_bytes(counts->bytes));
	put(value, "resident_bytes", json_bytes(counts->resident));
	put(value, "huge_bytes", json_bytes(thp_counts_huge(counts)));
	put(value, "huge_anon_bytes", json_bytes(counts->huge_anon));
	put(value, "huge_shmem_bytes", json_bytes(counts->huge_shmem));
	put(value, "huge_file_bytes", json_bytes(counts->huge_file));
	put(value, "hugetlb_bytes", json_bytes(counts->hugetlb));
	put(value, "swapped_bytes", json_bytes(counts->swapped));
	put(value, "zero_bytes", json_bytes(counts->zero));
	if (use & THP_USE_NODES)
		put(value, "nodes", nodes_json(counts));
	if (use & THP_USE_SIZES) {
		put(value, "small_entries_by_page_size", sizes_json(counts, page_size));
		put(value, "held_unmapped_bytes", json_bytes(counts->part_held));
	}
	return value;
}

json_t *usage_why_json(const struct thp_why *why)
{
	enum thp_cause causes[THP_CAUSES];
	unsigned nr = cause_order(why, causes);
	json_t *list = json_array();

	for (unsigned i = 0; i < nr; i++) {
		json_t *value = json_object();

		put(value, "cause", json_string(thp_cause_name(causes[i])));
		put(value, "bytes", json_bytes(why->causes[causes[i]].bytes));
		put(value, "resident_bytes", json_bytes(why->causes[causes[i]].resident));
		json_array_append_new(list, value);
	}
	return list;
}

static json_t *address_json(uint64_t address)
{
	char text[24];

	/* A string: JSON's numbers lose the low bits of such. */
	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return json_string(text);
}

static json_t *flags_json(unsigned flags)
{
	char text[] = {flags & THP_MAP_READ ? 'r' : '-', flags & THP_MAP_WRITE ? 'w' : '-',
		       flags & THP_MAP_EXEC ? 'x' : '-', flags & THP_MAP_SHARED ? 's' : 'p', '\0'};

	return json_string(text);
}

static json_t *backing_json(enum thp_backing backing)
{
	static const char *const words[] = {
		[THP_BACKING_ANON] = "anon",       [THP_BACKING_FILE] = "file",
		[THP_BACKING_SHMEM] = "shmem",     [THP_BACKING_HUGETLB] = "hugetlb",
		[THP_BACKING_SPECIAL] = "special",
	};

	return json_string(words[backing]);
}

static json_t *advice_json(enum thp_advice advice)
{
	static const char *const words[] = {NULL, "none", "hugepage", "nohugepage"};

	return advice ? json_string(words[advice]) : json_null();
}

json_t *usage_mapping_json(const struct thp_mapping *mapping, unsigned use, uint64_t page_size)
{
	json_t *value = usage_counts_json(&mapping->counts, use, page_size);

	put(value, "start", address_json(mapping->start));
	put(value, "end", address_json(mapping->end));
	put(value, "flags", flags_json(mapping->flags));
	put(value, "backing", backing_json(mapping->backing));
	put(value, "name", json_text(mapping->name));
	put(value, "advice", advice_json(mapping->advice));
	put(value, "eligible",
	    mapping->eligible ? json_boolean(mapping->eligible == THP_YES) : json_null());
	if (use & THP_USE_WHY)
		put(value, "why", usage_why_json(&mapping->why));
	return value;
}
