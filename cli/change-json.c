// SPDX-License-Identifier: MIT
/* thpctl collapse and split --json; the schemas are in their man pages. */
#include "change.h"

#include "../common/json.h"

#define SCHEMA 1

static json_t *results_json(const uint64_t results[THP_BLOCK_RESULTS])
{
	json_t *value = json_object();

	for (enum thp_block_result i = THP_BLOCK_DONE; i < THP_BLOCK_RESULTS; i++)
		json_object_set_new(value, thp_block_result_name(i),
				    json_integer((json_int_t)results[i]));
	return value;
}

json_t *change_json(const struct thp_change *change)
{
	json_t *value = json_object();

	json_object_set_new(value, "block_bytes", json_bytes(change->block_bytes));
	json_object_set_new(value, "blocks", results_json(change->results));
	json_object_set_new(value, "resident_before_bytes", json_bytes(change->resident_before));
	json_object_set_new(value, "resident_after_bytes", json_bytes(change->resident_after));
	json_object_set_new(value, "huge_before_bytes", json_bytes(change->huge_before));
	json_object_set_new(value, "huge_after_bytes", json_bytes(change->huge_after));
	json_object_set_new(value, "bloat_bytes", json_bytes(change->bloat));
	return value;
}

static json_t *address_json(uint64_t address)
{
	char text[24];

	/* As text: numbers of this size are not exact in all readers of JSON. */
	snprintf(text, sizeof(text), "%llx", (unsigned long long)address);
	return json_string(text);
}

int change_print_json(const struct change_answer *answer)
{
	json_t *top = json_object(), *list = json_array();

	for (size_t i = 0; i < answer->ranges->nr; i++) {
		const struct change_range *range = &answer->ranges->ranges[i];
		json_t *value = json_object();

		json_object_set_new(value, "start", address_json(range->start));
		json_object_set_new(value, "end", address_json(range->end));
		json_object_set_new(
			value, "backing",
			json_string(range->backing == THP_BACKING_SHMEM ? "shmem" : "anon"));
		json_object_set_new(value, "blocks", results_json(range->results));
		json_object_set_new(value, "errno",
				    range->error ? json_integer(-range->error) : json_null());
		json_array_append_new(list, value);
	}
	json_object_set_new(top, "schema", json_integer(SCHEMA));
	json_object_set_new(top, "version", json_string(THP_VERSION));
	json_object_set_new(top, "verb", json_string(answer->verb->name));
	json_object_set_new(top, "dry_run", json_boolean(answer->dry_run));
	json_object_set_new(top, "pid", json_integer(answer->process->pid));
	json_object_set_new(top, "id", json_integer((json_int_t)answer->id));
	json_object_set_new(top, "command", json_text(answer->process->comm));
	json_object_set_new(top, "change", change_json(answer->change));
	json_object_set_new(top, "ranges", list);
	return json_print(top);
}
