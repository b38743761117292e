// SPDX-License-Identifier: MIT
/* thpctl show --json; the schema is in thpctl-show(1). */
#include "show.h"

#include "../common/json.h"

#include <errno.h>

#define SCHEMA 1

static json_t *setting(enum thp_setting value)
{
	return json_string(thp_setting_name(value));
}

static json_t *count(int64_t value)
{
	return value == THP_COUNT_UNKNOWN ? json_null() : json_integer(value);
}

static const char *presence_name(enum thp_presence presence)
{
	switch (presence) {
	case THP_PRESENT:
		return "present";
	case THP_ABSENT:
		return "absent";
	default:
		return "hidden";
	}
}

static json_t *khugepaged_json(const struct thp_khugepaged *khugepaged)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "defrag",
			 count(khugepaged->defrag), "pages_to_scan",
			 count(khugepaged->pages_to_scan), "scan_sleep_ms",
			 count(khugepaged->scan_sleep_ms), "alloc_sleep_ms",
			 count(khugepaged->alloc_sleep_ms), "max_ptes_none",
			 count(khugepaged->max_ptes_none), "max_ptes_swap",
			 count(khugepaged->max_ptes_swap), "max_ptes_shared",
			 count(khugepaged->max_ptes_shared), "pages_collapsed",
			 count(khugepaged->pages_collapsed), "full_scans",
			 count(khugepaged->full_scans));
}

static json_t *system_json(const struct thp_system *system)
{
	json_t *sizes = json_array();

	for (unsigned i = 0; i < system->nr_sizes; i++) {
		const struct thp_size_setting *s = &system->sizes[i];

		json_array_append_new(sizes, json_pack("{s:o, s:o, s:o}", "bytes",
						       json_bytes(s->bytes), "enabled",
						       setting(s->enabled), "shmem_enabled",
						       setting(s->shmem_enabled)));
	}
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "presence",
			 presence_name(system->presence), "pmd_bytes",
			 system->pmd_bytes ? json_bytes(system->pmd_bytes) : json_null(), "anon",
			 setting(thp_system_anon(system, system->pmd_bytes)), "shmem",
			 setting(thp_system_shmem(system, system->pmd_bytes)), "enabled",
			 setting(system->enabled), "defrag", setting(system->defrag),
			 "shmem_enabled", setting(system->shmem_enabled), "use_zero_page",
			 count(system->use_zero_page), "sizes", sizes, "khugepaged",
			 khugepaged_json(&system->khugepaged));
}

static json_t *modes_json(unsigned modes)
{
	json_t *list = json_array();

	for (enum thp_mode mode = THP_MODE_DEFAULT; mode <= THP_MODE_ALWAYS; mode++) {
		if (modes & THP_MODE_BIT(mode))
			json_array_append_new(list, json_string(thp_mode_name(mode)));
	}
	return list;
}

static json_t *effective_json(unsigned effective)
{
	json_t *list = json_array();

	for (enum thp_setting s = THP_SETTING_NEVER; s <= THP_SETTING_ALWAYS; s++) {
		if (effective & (1u << s))
			json_array_append_new(list, setting(s));
	}
	return list;
}

static const char *kind_name(enum thp_kind kind)
{
	switch (kind) {
	case THP_KIND_USER:
		return "user";
	case THP_KIND_KERNEL:
		return "kernel";
	default:
		return "zombie";
	}
}

static json_t *process_json(const struct show *show, const struct family *family,
			    const struct thp_process *process)
{
	const struct thp_process *origin = family_origin(family, process->pid);
	bool user = process->kind == THP_KIND_USER;
	json_t *value;

	value = json_pack("{s:i, s:i, s:I, s:o, s:s, s:o, s:o, s:o, s:o}", "pid", process->pid,
			  "ppid", process->ppid, "uid", (json_int_t)process->uid, "command",
			  json_text(process->comm), "kind", kind_name(process->kind), "tracer",
			  process->tracer ? json_integer(process->tracer) : json_null(), "mode",
			  user ? json_string(thp_mode_name(process->mode)) : json_null(),
			  "possible", modes_json(process->possible), "effective",
			  effective_json(user ? thp_effective(&show->system, process->possible)
					      : 0));
	if (!value)
		return NULL;
	json_object_set_new(value, "flag_from",
			    origin ? json_pack("{s:i, s:o}", "pid", origin->pid, "command",
					       json_text(origin->comm))
				   : json_null());
	json_object_set_new(value, "resident_bytes",
			    user ? json_bytes(process->resident) : json_null());
	json_object_set_new(value, "huge_bytes",
			    user ? json_bytes(thp_process_huge(process)) : json_null());
	json_object_set_new(value, "huge_anon_bytes",
			    user ? json_bytes(process->huge_anon) : json_null());
	json_object_set_new(value, "huge_shmem_bytes",
			    user ? json_bytes(process->huge_shmem) : json_null());
	json_object_set_new(value, "huge_file_bytes",
			    user ? json_bytes(process->huge_file) : json_null());
	return value;
}

int show_json(const struct show *show, const struct family *family, const struct show_rows *rows)
{
	json_t *top = json_pack("{s:i, s:s, s:o}", "schema", SCHEMA, "version", THP_VERSION,
				"system", system_json(&show->system));
	enum thp_mode mode;

	if (!top)
		return -ENOMEM;
	json_object_set_new(top, "self_mode",
			    thp_self_get(show->ctx, &mode) == 0 ? json_string(thp_mode_name(mode))
								: json_null());
	if (rows) {
		json_t *list = json_array();

		for (size_t i = 0; i < rows->nr; i++)
			json_array_append_new(list,
					      process_json(show, family, rows->rows[i].process));
		json_object_set_new(top, "processes", list);
	}
	return json_print(top);
}
