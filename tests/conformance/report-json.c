/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

static const char *const verdict_names[] = {"match", "mismatch", "open", "skipped"};

static json_t *system_json(const struct system *system)
{
	return json_pack("{s:s, s:s, s:s, s:s}", "enabled", model_word_name(system->enabled),
			 "size_enabled", model_word_name(system->size_enabled), "shmem_enabled",
			 model_word_name(system->shmem), "size_shmem_enabled",
			 model_word_name(system->size_shmem));
}

static json_t *caps_json(const struct caps *caps)
{
	return json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:I}", "thp", caps->thp,
			 "except_advised", caps->except_advised, "collapse", caps->collapse,
			 "status_thp_enabled", caps->status_field, "file_collapse",
			 caps->file_collapse, "file_large_folios_when_advised", caps->file_fault,
			 "shmem_collapse_obeys_size", caps->shmem_size_binds, "pmd_kB",
			 (json_int_t)caps->pmd_kb);
}

/* Negative values are -errno: written as the name. */
static json_t *value_json(long value)
{
	char name[32];

	return value < 0 ? json_string(report_value(value, name, sizeof(name)))
			 : json_integer(value);
}

static json_t *record_json(const struct report *report, const struct record *record)
{
	json_t *want = json_object(), *got = json_object();

	for (int i = 0; i < record->field_count; i++) {
		json_object_set_new(want, record->fields[i].key,
				    value_json(record->fields[i].want));
		json_object_set_new(got, record->fields[i].key, value_json(record->fields[i].got));
	}
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s*, s:s*}", "group",
			 report->groups[record->group].name, "name", record->name, "verdict",
			 verdict_names[record->verdict], "want", want, "got", got, "rule",
			 record->rule, "reason", record->reason[0] ? record->reason : NULL);
}

static json_t *report_json(const struct report *report, const struct header *header)
{
	json_t *records = json_array(), *totals = json_object();

	for (int i = 0; i < report->record_count; i++)
		json_array_append_new(records, record_json(report, &report->records[i]));
	for (int i = 0; i < 4; i++)
		json_object_set_new(totals, verdict_names[i], json_integer(report->totals[i]));
	return json_pack("{s:i, s:s, s:s, s:o, s:o, s:s, s:o, s:o}", "schema", 1, "release",
			 header->kernel->release, "machine", header->kernel->machine,
			 "capabilities", caps_json(header->caps), "settings_found",
			 system_json(header->system), "file_dir", header->file_dir, "totals",
			 totals, "experiments", records);
}

int report_write_json(const struct report *report, const struct header *header, const char *path)
{
	json_t *root = report_json(report, header);
	const size_t flags = JSON_INDENT(1) | JSON_SORT_KEYS;
	int error;

	if (!root)
		return -ENOMEM;
	errno = 0;
	if (strcmp(path, "-") == 0)
		error = json_dumpf(root, stdout, flags) < 0 || puts("") < 0;
	else
		error = json_dump_file(root, path, flags) < 0;
	json_decref(root);
	return !error ? 0 : errno ? -errno : -EIO;
}
