// SPDX-License-Identifier: MIT
#include "rules.h"

#include "glob.h"
#include "subject-text.h"

#include <string.h>

/* What the kernel keeps of a name. */
#define COMM_LEN 15

static const char *const key_names[RULE_KEYS] = {
	[RULE_EXEC] = "exec",     [RULE_CPUSET] = "cpuset", [RULE_CGROUP] = "cgroup",
	[RULE_USER] = "user",     [RULE_GROUP] = "group",   [RULE_COMMAND] = "command",
	[RULE_SCRIPT] = "script", [RULE_PARENT] = "parent",
};

const char *rules_key_name(enum rule_key key)
{
	return key_names[key];
}

const char *rules_mode_name(const struct rule *rule)
{
	return rule->leave ? "leave" : thp_mode_name(rule->mode);
}

unsigned rules_key_needs(enum rule_key key)
{
	static const unsigned needs[RULE_KEYS] = {
		[RULE_EXEC] = SUBJECT_EXE,      [RULE_CPUSET] = SUBJECT_CPUSET,
		[RULE_CGROUP] = SUBJECT_CGROUP, [RULE_USER] = SUBJECT_USER,
		[RULE_GROUP] = SUBJECT_GROUP,   [RULE_COMMAND] = SUBJECT_COMM,
		[RULE_SCRIPT] = SUBJECT_SCRIPT, [RULE_PARENT] = SUBJECT_PARENT,
	};

	return needs[key];
}

const struct rule_values *rules_programs(const struct rule *rule)
{
	return &rule->match[rule->match[RULE_SCRIPT].nr ? RULE_SCRIPT : RULE_EXEC];
}

const char *rules_program_path(const struct rule_value *value)
{
	return value->real ? value->real : value->text;
}

/* ---- one value ---------------------------------------------------------------------------------
 */

static bool is_path(const struct rule_value *value, const char *path)
{
	return glob_path(value->text, path) || (value->real && glob_path(value->real, path));
}

/* "/GROUP": of any hierarchy; "CONTROLLER:/GROUP": of that one. */
static bool in_group(const struct rule_value *value, const char *groups)
{
	const char *pattern = strchr(value->text, '/');
	size_t len = (size_t)(pattern - value->text);
	struct cgroup_line line;

	while (cgroup_next(&groups, &line)) {
		if (len > 0 && !cgroup_has(&line, value->text, len - 1))
			continue;
		if (glob_within(pattern, line.path))
			return true;
	}
	return false;
}

static bool is_id(const struct rule_value *value, unsigned id)
{
	return id >= value->first && id <= value->last;
}

/* The kernel cuts a name; whole it is that of the file that was executed, or as it was called. */
static int is_command(const struct rule_value *value, struct subject *subject)
{
	const char *whole[3];

	if (glob_name(value->text, subject->comm))
		return 1;
	if (strlen(subject->comm) != COMM_LEN)
		return 0;
	if (subject_know(subject, SUBJECT_EXE | SUBJECT_SCRIPT) < 0)
		return subject->err;
	whole[0] = base_name(subject->exe);
	whole[1] = base_name(subject->script);
	whole[2] = base_name(subject->argv);
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		if (strncmp(whole[i], subject->comm, COMM_LEN) == 0 &&
		    glob_name(value->text, whole[i]))
			return 1;
	}
	return 0;
}

static int is_member(const struct rule_value *value, struct subject *subject)
{
	if (is_id(value, subject->gid))
		return 1;
	if (subject_know(subject, SUBJECT_MEMBER) < 0)
		return subject->err;
	return value->first <= value->last &&
	       numbers_have(subject->members, value->first, value->last);
}

static int meets_value(enum rule_key key, const struct rule_value *value, struct subject *subject)
{
	switch (key) {
	case RULE_EXEC:
		return is_path(value, subject->exe);
	case RULE_CPUSET:
		return glob_within(value->text, subject->cpuset);
	case RULE_CGROUP:
		return in_group(value, subject->groups);
	case RULE_USER:
		return is_id(value, subject->uid);
	case RULE_GROUP:
		return is_member(value, subject);
	case RULE_COMMAND:
		return is_command(value, subject);
	case RULE_SCRIPT:
		return subject->script[0] && is_path(value, subject->script);
	default:
		return glob_name(value->text, subject->parent_rule);
	}
}

/* ---- one rule, all rules -----------------------------------------------------------------------
 */

/* 1, 0, or below: cannot be known. */
static int meets(const struct rule *rule, enum rule_key key, struct subject *subject)
{
	const struct rule_values *values = &rule->match[key];
	int met = 0;

	if (subject_know(subject, rules_key_needs(key)) < 0)
		return subject->err;
	for (size_t i = 0; met == 0 && i < values->nr; i++)
		met = meets_value(key, &values->values[i], subject);
	return met;
}

/* A key that is not met decides, also where another one cannot be known. */
int rules_match(const struct rule *rule, struct subject *subject, enum rule_key *ret_key)
{
	int result = 1;

	for (enum rule_key key = 0; key < RULE_KEYS; key++) {
		int met = rule->match[key].nr ? meets(rule, key, subject) : 1;

		if (met == 1 || (met < 0 && result < 0))
			continue;
		result = met;
		*ret_key = key;
		if (met == 0)
			break;
	}
	return result;
}

int rules_decide(const struct rules *rules, struct subject *subject)
{
	enum rule_key key;

	for (size_t i = 0; i < rules->nr; i++) {
		int r = rules_match(&rules->rules[i], subject, &key);

		if (r > 0)
			return (int)i;
		if (r < 0) {
			subject->err = r;
			return RULES_NONE - 1;
		}
	}
	return RULES_NONE;
}
