// SPDX-License-Identifier: MIT
/* thpctl set --json; the schema is in thpctl-set(1). */
#include "change.h"
#include "set.h"

#include "../common/json.h"

#include <errno.h>

#define SCHEMA 1

static json_t *modes_json(unsigned set)
{
	json_t *list = json_array();

	for (enum thp_mode mode = THP_MODE_DEFAULT; mode <= THP_MODE_ALWAYS; mode++) {
		if (set & THP_MODE_BIT(mode))
			json_array_append_new(list, json_string(thp_mode_name(mode)));
	}
	return list;
}

static json_t *basis_json(enum thp_basis basis)
{
	switch (basis) {
	case THP_BASIS_FLAG:
		return json_string("flag");
	case THP_BASIS_SYSTEM:
		return json_string("system");
	default:
		return json_null();
	}
}

static json_t *error_json(int err, const char *reason)
{
	json_t *value;

	if (err == 0)
		return json_null();
	value = json_object();
	json_object_set_new(value, "errno", json_integer(-err));
	json_object_set_new(value, "reason", json_text(reason));
	return value;
}

static json_t *item_json(const struct set *set, const struct set_item *item)
{
	bool known = item->err == 0 && !set->request->dry_run;
	json_t *value = json_object();

	json_object_set_new(value, "pid", json_integer(item->pid));
	json_object_set_new(value, "id",
			    item->id ? json_integer((json_int_t)item->id) : json_null());
	json_object_set_new(value, "command", json_text(item->comm));
	json_object_set_new(value, "before", modes_json(item->before));
	json_object_set_new(value, "after",
			    known ? json_string(thp_mode_name(item->after)) : json_null());
	json_object_set_new(value, "basis", item->err ? json_null() : basis_json(item->basis));
	json_object_set_new(value, "thread",
			    item->remote.tid ? json_integer(item->remote.tid) : json_null());
	json_object_set_new(value, "held_ns",
			    item->remote.tid ? json_integer((json_int_t)item->remote.held_ns)
					     : json_null());
	json_object_set_new(value, "huge_bytes", item->err ? json_null() : json_bytes(item->huge));
	json_object_set_new(value, "advised_bytes",
			    item->err ? json_null() : json_bytes(item->advised));
	json_object_set_new(value, "children_left_out", json_integer((json_int_t)item->children));
	json_object_set_new(value, "error", error_json(item->err, item->reason));
	json_object_set_new(value, "change",
			    item->changed ? change_json(&item->change) : json_null());
	json_object_set_new(value, "change_error",
			    error_json(item->change_err, item->change_reason));
	return value;
}

int set_json(const struct set *set)
{
	json_t *top = json_object(), *list = json_array();

	for (size_t i = 0; i < set->nr; i++)
		json_array_append_new(list, item_json(set, &set->items[i]));
	json_object_set_new(top, "schema", json_integer(SCHEMA));
	json_object_set_new(top, "version", json_string(THP_VERSION));
	json_object_set_new(top, "mode", json_string(thp_mode_name(set->request->mode)));
	json_object_set_new(top, "dry_run", json_boolean(set->request->dry_run));
	json_object_set_new(top, "complete", json_boolean(!set->endless));
	json_object_set_new(top, "processes", list);
	return json_print(top);
}
