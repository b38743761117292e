// SPDX-License-Identifier: MIT
/* thpctl show --json; the schema is in thpctl-show(1). */
#include "show.h"

#include "../common/json.h"

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

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *khugepaged_json(const struct thp_khugepaged *khugepaged)
{
	json_t *value = json_object();

	put(value, "defrag", count(khugepaged->defrag));
	put(value, "pages_to_scan", count(khugepaged->pages_to_scan));
	put(value, "scan_sleep_ms", count(khugepaged->scan_sleep_ms));
	put(value, "alloc_sleep_ms", count(khugepaged->alloc_sleep_ms));
	put(value, "max_ptes_none", count(khugepaged->max_ptes_none));
	put(value, "max_ptes_swap", count(khugepaged->max_ptes_swap));
	put(value, "max_ptes_shared", count(khugepaged->max_ptes_shared));
	put(value, "pages_collapsed", count(khugepaged->pages_collapsed));
	put(value, "full_scans", count(khugepaged->full_scans));
	return value;
}

static json_t *size_json(const struct thp_size_setting *size)
{
	json_t *value = json_object();

	put(value, "bytes", json_bytes(size->bytes));
	put(value, "enabled", setting(size->enabled));
	put(value, "shmem_enabled", setting(size->shmem_enabled));
	return value;
}

static json_t *system_json(const struct thp_system *system)
{
	json_t *value = json_object(), *sizes = json_array();

	for (unsigned i = 0; i < system->nr_sizes; i++)
		json_array_append_new(sizes, size_json(&system->sizes[i]));
	put(value, "presence", json_string(presence_name(system->presence)));
	put(value, "pmd_bytes", system->pmd_bytes ? json_bytes(system->pmd_bytes) : json_null());
	put(value, "anon", setting(thp_system_anon(system, system->pmd_bytes)));
	put(value, "shmem", setting(thp_system_shmem(system, system->pmd_bytes)));
	put(value, "enabled", setting(system->enabled));
	put(value, "defrag", setting(system->defrag));
	put(value, "shmem_enabled", setting(system->shmem_enabled));
	put(value, "use_zero_page", count(system->use_zero_page));
	put(value, "sizes", sizes);
	put(value, "khugepaged", khugepaged_json(&system->khugepaged));
	return value;
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

static json_t *origin_json(const struct thp_process *origin)
{
	json_t *value;

	if (!origin)
		return json_null();
	value = json_object();
	put(value, "pid", json_integer(origin->pid));
	put(value, "command", json_text(origin->comm));
	return value;
}

static json_t *process_json(const struct show *show, const struct family *family,
			    const struct thp_process *process)
{
	bool user = process->kind == THP_KIND_USER;
	unsigned effective = user ? thp_effective(&show->system, process->possible) : 0;
	json_t *value = json_object();

	put(value, "pid", json_integer(process->pid));
	put(value, "ppid", json_integer(process->ppid));
	put(value, "uid", json_integer(process->uid));
	put(value, "command", json_text(process->comm));
	put(value, "kind", json_string(kind_name(process->kind)));
	put(value, "tracer", process->tracer ? json_integer(process->tracer) : json_null());
	put(value, "mode", user ? json_string(thp_mode_name(process->mode)) : json_null());
	put(value, "possible", modes_json(process->possible));
	put(value, "effective", effective_json(effective));
	put(value, "flag_from", origin_json(family_origin(family, process->pid)));
	put(value, "resident_bytes", user ? json_bytes(process->resident) : json_null());
	put(value, "huge_bytes", user ? json_bytes(thp_process_huge(process)) : json_null());
	put(value, "huge_anon_bytes", user ? json_bytes(process->huge_anon) : json_null());
	put(value, "huge_shmem_bytes", user ? json_bytes(process->huge_shmem) : json_null());
	put(value, "huge_file_bytes", user ? json_bytes(process->huge_file) : json_null());
	return value;
}

int show_json(const struct show *show, const struct family *family, const struct show_rows *rows)
{
	json_t *top = json_object(), *list;
	enum thp_mode mode;

	put(top, "schema", json_integer(SCHEMA));
	put(top, "version", json_string(THP_VERSION));
	put(top, "system", system_json(&show->system));
	put(top, "self_mode",
	    thp_self_get(show->ctx, &mode) == 0 ? json_string(thp_mode_name(mode)) : json_null());
	if (rows) {
		list = json_array();
		for (size_t i = 0; i < rows->nr; i++)
			json_array_append_new(list,
					      process_json(show, family, rows->rows[i].process));
		put(top, "processes", list);
	}
	return json_print(top);
}
