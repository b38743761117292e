// SPDX-License-Identifier: MIT
/*
 * thpctl map --json. Mappings are written one by one, since a process may have 60,000; the frame
 * around them is written by hand.
 */
#include "map.h"
#include "usage-json.h"

#include "../common/json.h"

#include <errno.h>
#include <inttypes.h>

#define SCHEMA 1

/* Writes a value without a newline, and drops it. */
static int put_value(json_t *value)
{
	if (!value)
		return -ENOMEM;
	json_dumpf(value, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(value);
	return 0;
}

int map_json_begin(const struct map *map)
{
	printf("{\n  \"schema\": %d,\n  \"version\": \"%s\",\n  \"pid\": %d,\n  \"command\": ",
	       SCHEMA, THP_VERSION, map->process.pid);
	if (put_value(json_text(map->process.comm)) < 0)
		return -ENOMEM;
	printf(",\n  \"block_bytes\": %" PRIu64 ",\n  \"page_bytes\": %" PRIu64
	       ",\n  \"mappings\": [",
	       map->block, map->page_size);
	return 0;
}

int map_json_mapping(const struct map *map, const struct thp_mapping *mapping)
{
	printf("%s\n    ", map->nr_mappings ? "," : "");
	return put_value(usage_mapping_json(mapping, map->use, map->page_size));
}

int map_json_end(const struct map *map)
{
	json_t *total = usage_counts_json(&map->total, map->use, map->page_size);

	if (map->use & THP_USE_WHY)
		json_object_set_new(total, "why", usage_why_json(&map->why));
	printf("\n  ],\n  \"total\": ");
	if (put_value(total) < 0)
		return -ENOMEM;
	printf("\n}\n");
	return 0;
}
