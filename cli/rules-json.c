// SPDX-License-Identifier: MIT
/* thpctl rules test --json; the schema is in thpctl-rules(1). */
#include "rules.h"

#include "../common/json.h"

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *known_text(struct subject *subject, unsigned what, const char *text)
{
	return subject_know(subject, what) < 0 ? json_null() : json_text(text);
}

static json_t *subject_json(struct rules_case *test)
{
	struct subject *subject = &test->subject;
	json_t *value = json_object();

	put(value, "pid", test->only_thought ? json_null() : json_integer(subject->pid));
	put(value, "command", known_text(subject, SUBJECT_COMM, subject->comm));
	put(value, "executable", known_text(subject, SUBJECT_EXE, subject->exe));
	put(value, "script", known_text(subject, SUBJECT_SCRIPT, subject->script));
	put(value, "cpuset", known_text(subject, SUBJECT_CPUSET, subject->cpuset));
	return value;
}

static const char *result_name(const struct rules_case *test, size_t i)
{
	if (test->results[i] < 0)
		return "unknown";
	if (test->results[i] == 0)
		return "no";
	return (int)i == test->winner ? "wins" : "matches";
}

static json_t *rule_json(const struct rule *rule, struct rules_case *test, size_t i)
{
	json_t *value = json_object();
	char text[2048];

	put(value, "name", json_text(rule->name));
	put(value, "file", json_text(rule->file));
	put(value, "line", json_integer(rule->line));
	put(value, "mode", json_string(rules_mode_name(rule)));
	put(value, "result", json_string(result_name(test, i)));
	if (test->results[i] <= 0)
		rules_value_text(&test->subject, test->keys[i], text, sizeof(text));
	put(value, "key",
	    test->results[i] > 0 ? json_null() : json_string(rules_key_name(test->keys[i])));
	put(value, "reason", test->results[i] > 0 ? json_null() : json_text(text));
	return value;
}

json_t *rules_test_json(const struct rules *rules, struct rules_case *test)
{
	json_t *value = subject_json(test), *tried = json_array();
	const struct rule *winner = test->winner >= 0 ? &rules->rules[test->winner] : NULL;
	const struct rule *inherited = test->inherited >= 0 ? &rules->rules[test->inherited] : NULL;

	put(value, "decided", json_boolean(test->winner >= RULES_NONE));
	put(value, "rule", winner ? json_text(winner->name) : json_null());
	put(value, "mode", winner ? json_string(rules_mode_name(winner)) : json_null());
	put(value, "inherited_rule", inherited ? json_text(inherited->name) : json_null());
	for (size_t i = 0; i < rules->nr; i++)
		json_array_append_new(tried, rule_json(&rules->rules[i], test, i));
	put(value, "rules", tried);
	return value;
}
