// SPDX-License-Identifier: MIT
#include "status.h"

#include "rules.h"

#include "../common/json.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *state_name(enum record_state state)
{
	switch (state) {
	case RECORD_BUSY:
		return "busy";
	case RECORD_SET:
		return "set";
	case RECORD_RETRY:
		return "retry";
	case RECORD_REFUSED:
		return "refused";
	case RECORD_EXEMPT:
		return "exempt";
	case RECORD_FREE:
		return "free";
	}
	return "unknown";
}

static unsigned nr_rules(const struct thpd *thpd)
{
	return (unsigned)thpd->rules->nr + (thpd->rules->others != THP_MODE_UNKNOWN);
}

static const char *rule_name(const void *arg, unsigned rule)
{
	const struct thpd *thpd = arg;

	return thpd->apply.rule_name(thpd->rules, (int)rule);
}

static void put_metrics(const struct thpd *thpd, FILE *file)
{
	uint64_t *per_rule = calloc(nr_rules(thpd) + 1, sizeof(*per_rule));
	const struct metrics_now now = {
		.events = thpd->proc.seen,
		.overflows = thpd->proc.overflows,
		.queue = hands_load(&thpd->apply.hands),
		.records = thpd->apply.table.nr,
		.marks = thpd->exec.marks.nr_files,
		.watches = thpd->moves.nr + thpd->exec.marks.nr_dirs,
		.nr_rules = per_rule ? nr_rules(thpd) : 0,
		.rule_name = rule_name,
		.per_rule = per_rule,
		.arg = thpd,
	};

	if (per_rule)
		apply_count(&thpd->apply, per_rule, nr_rules(thpd));
	metrics_put(file, &thpd->metrics, &now);
	free(per_rule);
}

static json_t *rules_json(const struct thpd *thpd)
{
	uint64_t *per_rule = calloc(nr_rules(thpd) + 1, sizeof(*per_rule));
	json_t *array = json_array();

	if (per_rule)
		apply_count(&thpd->apply, per_rule, nr_rules(thpd));
	for (unsigned i = 0; per_rule && i < thpd->rules->nr; i++) {
		const struct rule *rule = &thpd->rules->rules[i];

		json_array_append_new(
			array,
			json_pack("{s:o, s:o, s:i, s:s, s:I}", "name", json_text(rule->name),
				  "file", json_text(rule->file), "line", (int)rule->line, "mode",
				  rules_mode_name(rule), "processes", (json_int_t)per_rule[i]));
	}
	free(per_rule);
	return array;
}

static json_t *status_json(const struct thpd *thpd)
{
	const struct rules *rules = thpd->rules;

	return json_pack("{s:i, s:s, s:i, s:s, s:o, s:o?, s:b, s:b, s:I, s:I, s:I, s:I, s:I}",
			 "schema", 1, "version", THP_VERSION, "pid", (int)getpid(), "rules_dir",
			 thpd->options.rules_dir, "rules", rules_json(thpd), "default",
			 rules->others == THP_MODE_UNKNOWN
				 ? NULL
				 : json_string(thp_mode_name(rules->others)),
			 "events", thpd->proc.urgent.fd >= 0, "gate", thpd->exec.now != NULL,
			 "executables", (json_int_t)thpd->exec.marks.nr_files, "groups",
			 (json_int_t)thpd->moves.nr, "processes", (json_int_t)thpd->apply.table.nr,
			 "queue", (json_int_t)hands_load(&thpd->apply.hands), "overflows",
			 (json_int_t)thpd->proc.overflows);
}

static bool may_see(pid_t pid, uid_t uid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return uid == 0 || (stat(path, &st) == 0 && st.st_uid == uid);
}

static json_t *processes_json(const struct thpd *thpd, uid_t uid)
{
	const struct record *record;
	json_t *array = json_array();

	for (size_t at = 0; (record = table_next(&thpd->apply.table, &at));) {
		if (record->state == RECORD_FREE || !may_see(record->pid, uid))
			continue;
		json_array_append_new(
			array,
			json_pack("{s:i, s:o, s:s, s:s, s:b}", "pid", (int)record->pid, "rule",
				  record->rule < 0 ? json_null()
						   : json_text(thpd->apply.rule_name(thpd->rules,
										     record->rule)),
				  "mode", thp_mode_name(record->mode), "state",
				  state_name(record->state), "inherited", record->inherited));
	}
	return json_pack("{s:i, s:o}", "schema", 1, "processes", array);
}

static void put_json(json_t *json, FILE *file)
{
	if (json)
		json_dumpf(json, file, JSON_INDENT(2));
	putc('\n', file);
	json_decref(json);
}

void status_answer(const struct thpd *thpd, const char *request, uid_t uid, FILE *file)
{
	if (strcmp(request, "status") == 0)
		put_json(status_json(thpd), file);
	else if (strcmp(request, "processes") == 0)
		put_json(processes_json(thpd, uid), file);
	else if (strcmp(request, "metrics") == 0)
		put_metrics(thpd, file);
	else if (strcmp(request, "reload") == 0)
		fputs(uid == 0 ? "ok\n" : "error: only root may do that\n", file);
	else
		fputs("error: not a request: status, processes, metrics or reload\n", file);
}

void status_write_metrics(const struct thpd *thpd, const char *path)
{
	char temporary[PATH_MAX];
	FILE *file;
	bool bad;

	if (snprintf(temporary, sizeof(temporary), "%s.new", path) >= (int)sizeof(temporary))
		return;
	file = fopen(temporary, "we");
	if (!file) {
		log_line(LOG_WARNING, "%s: %s", temporary, strerror(errno));
		return;
	}
	put_metrics(thpd, file);
	bad = ferror(file);
	if (fclose(file) != 0 || bad || rename(temporary, path) < 0)
		log_line(LOG_WARNING, "%s: %s", path, strerror(errno));
}
