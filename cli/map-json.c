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

static int begin(const struct map *map)
{
	printf("{\n  \"schema\": %d,\n  \"version\": \"%s\",\n  \"pid\": %d,\n  \"command\": ",
	       SCHEMA, THP_VERSION, map->info.pid);
	if (put_value(json_text(map->info.comm)) < 0)
		return -ENOMEM;
	printf(",\n  \"block_bytes\": %" PRIu64 ",\n  \"page_bytes\": %" PRIu64
	       ",\n  \"mappings\": [",
	       map->info.block, map->info.page_size);
	return 0;
}

static int print_mapping(const struct map *map, const struct thp_mapping *mapping)
{
	printf("%s\n    ", map->nr_mappings ? "," : "");
	return put_value(usage_mapping_json(mapping, map->info.flags, map->info.page_size));
}

static int end(const struct map *map)
{
	json_t *total = usage_counts_json(&map->total, map->info.flags, map->info.page_size);

	if (map->info.flags & THP_USE_WHY)
		json_object_set_new(total, "why", usage_why_json(&map->why));
	printf("\n  ],\n  \"total\": ");
	if (put_value(total) < 0)
		return -ENOMEM;
	printf("\n}\n");
	return 0;
}

static int group_begin(void)
{
	printf("{\n  \"schema\": %d,\n  \"version\": \"%s\",\n  \"processes\": [", SCHEMA,
	       THP_VERSION);
	return 0;
}

static int group_member(const struct map_group *group, const struct thp_process *process)
{
	json_t *value = json_object();

	json_object_set_new(value, "pid", json_integer(process->pid));
	json_object_set_new(value, "command", json_text(process->comm));
	json_object_set_new(value, "resident_bytes", json_bytes(process->resident));
	json_object_set_new(value, "proportional_bytes", json_bytes(process->proportional));
	json_object_set_new(value, "huge_bytes", json_bytes(thp_process_huge(process)));
	printf("%s\n    ", group->nr > 1 ? "," : "");
	return put_value(value);
}

static int group_end(const struct map_group *group)
{
	json_t *total = json_object();

	json_object_set_new(total, "processes", json_integer(group->nr));
	json_object_set_new(total, "hidden", json_integer(group->nr_unknown));
	json_object_set_new(total, "resident_bytes_shared_counted_for_each",
			    json_bytes(group->resident));
	json_object_set_new(total, "proportional_bytes", json_bytes(group->proportional));
	json_object_set_new(total, "huge_bytes_shared_counted_for_each", json_bytes(group->huge));
	printf("\n  ],\n  \"total\": ");
	if (put_value(total) < 0)
		return -ENOMEM;
	printf("\n}\n");
	return 0;
}

const struct map_form map_json = {
	.json = true,
	.begin = begin,
	.mapping = print_mapping,
	.end = end,
	.group_begin = group_begin,
	.group_member = group_member,
	.group_end = group_end,
};
