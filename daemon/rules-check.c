// SPDX-License-Identifier: MIT
/* Rule files: what only shows when all rules are known. */
#include "rules-load.h"

#include "glob.h"

#include "../common/escape.h"
#include "../common/nearest.h"

#include <stdlib.h>
#include <string.h>

/* ---- each for itself ---------------------------------------------------------------------------
 */

static bool asks_for_something(const struct rule *rule)
{
	for (enum rule_key key = 0; key < RULE_KEYS; key++) {
		if (rule->match[key].nr)
			return true;
	}
	return false;
}

static void check_split(struct rules_loading *loading, const struct rule *rule)
{
	bool less = rule->mode == THP_MODE_NEVER || rule->mode == THP_MODE_MADVISE;

	if (rule->split && !less)
		rules_fault(loading,
			    "rule '%s': 'split' goes with the modes never and madvise only",
			    rule->name);
	else if (rule->split && !rule->on_existing)
		rules_warn(loading,
			   "rule '%s': 'split' is for processes that are there, and this "
			   "rule is not: 'apply = exec'",
			   rule->name);
}

/* ---- parents -----------------------------------------------------------------------------------
 */

static bool names_a_rule(const struct rules *rules, const char *pattern)
{
	for (size_t i = 0; i < rules->nr; i++) {
		if (glob_name(pattern, rules->rules[i].name))
			return true;
	}
	return false;
}

static const char *nearest_rule(struct rules_loading *loading, const char *name)
{
	const struct rules *rules = loading->rules;
	const char **names = calloc(rules->nr + 1, sizeof(*names));
	const char *near = NULL;

	for (size_t i = 0; names && i < rules->nr; i++)
		names[i] = rules->rules[i].name;
	if (names)
		near = nearest(name, names, rules->nr);
	else
		loading->no_memory = true;
	free(names);
	return near;
}

static void check_parents(struct rules_loading *loading, const struct rule *rule)
{
	const struct rule_values *parents = &rule->match[RULE_PARENT];
	char shown[RULES_SHOWN_MAX];

	for (size_t i = 0; i < parents->nr; i++) {
		const char *name = parents->values[i].text, *near;

		if (names_a_rule(loading->rules, name))
			continue;
		near = nearest_rule(loading, name);
		loading->line = parents->values[i].line;
		rules_fault(loading, "'parent': no rule is called '%s'%s%s%s",
			    escape_text(shown, sizeof(shown), name), near ? ": did you mean '" : "",
			    near ? near : "", near ? "'?" : "");
	}
}

/* ---- one behind another ------------------------------------------------------------------------
 */

/* Whether a value means at least all that another one does; as far as is easily seen. */
static bool covers_value(enum rule_key key, const struct rule_value *wide,
			 const struct rule_value *narrow)
{
	if (key == RULE_USER || key == RULE_GROUP)
		return wide->first <= narrow->first && wide->last >= narrow->last &&
		       narrow->first <= narrow->last;
	if (strcmp(wide->text, narrow->text) == 0)
		return true;
	if (key == RULE_CGROUP || !glob_is_literal(narrow->text) || strchr(narrow->text, '\\'))
		return false;
	if (key == RULE_CPUSET)
		return glob_within(wide->text, narrow->text);
	if (key == RULE_EXEC || key == RULE_SCRIPT)
		return glob_path(rules_program_path(wide), rules_program_path(narrow));
	return glob_name(wide->text, narrow->text);
}

static bool covers_values(enum rule_key key, const struct rule_values *wide,
			  const struct rule_values *narrow)
{
	if (wide->nr == 0)
		return true;
	for (size_t i = 0; i < narrow->nr; i++) {
		bool covered = false;

		for (size_t j = 0; !covered && j < wide->nr; j++)
			covered = covers_value(key, &wide->values[j], &narrow->values[i]);
		if (!covered)
			return false;
	}
	return narrow->nr > 0;
}

static bool covers(const struct rule *wide, const struct rule *narrow)
{
	for (enum rule_key key = 0; key < RULE_KEYS; key++) {
		if (!covers_values(key, &wide->match[key], &narrow->match[key]))
			return false;
	}
	return true;
}

static void check_order(struct rules_loading *loading, const struct rule *rule)
{
	for (const struct rule *before = loading->rules->rules; before < rule; before++) {
		if (!asks_for_something(before) || !covers(before, rule))
			continue;
		rules_warn(loading,
			   "rule '%s' never wins: rule '%s' (%s:%u) is before it and "
			   "matches all that it does",
			   rule->name, before->name, before->file, before->line);
		return;
	}
}

/* ---- all of it ---------------------------------------------------------------------------------
 */

static unsigned needs_of(const struct rule *rule)
{
	unsigned all = 0;

	for (enum rule_key key = 0; key < RULE_KEYS; key++)
		all |= rule->match[key].nr ? rules_key_needs(key) : 0;
	return all;
}

void rules_check(struct rules_loading *loading)
{
	struct rules *rules = loading->rules;

	for (size_t i = 0; i < rules->nr; i++) {
		const struct rule *rule = &rules->rules[i];

		loading->file = rule->file;
		loading->line = rule->line;
		rules->needs |= needs_of(rule);
		check_split(loading, rule);
		check_order(loading, rule);
		check_parents(loading, rule);
	}
	if (rules->manage_sysfs && rules->others != THP_MODE_MADVISE) {
		loading->file = loading->system_file;
		loading->line = loading->system_line;
		rules_fault(loading, "'manage-sysfs = yes' goes with 'default = madvise' only");
	}
}
