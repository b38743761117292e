// SPDX-License-Identifier: MIT
#include "judge.h"

#include "rules.h"

#include <errno.h>

struct verdict judge_of_rule(const struct rules *rules, int number)
{
	const struct rule *rule;

	if (number >= 0 && (size_t)number == rules->nr && rules->others != THP_MODE_UNKNOWN)
		return (struct verdict){
			.rule = number,
			.mode = rules->others,
			.on_exec = true,
			.on_existing = true,
			.inherit = true,
		};
	if (number < 0 || (size_t)number >= rules->nr)
		return NO_VERDICT;
	rule = &rules->rules[number];
	if (rule->leave)
		return NO_VERDICT;
	return (struct verdict){
		.rule = number,
		.mode = rule->mode,
		.on_exec = rule->on_exec,
		.on_existing = rule->on_existing,
		.split = rule->split,
		.inherit = rule->inherit,
		.reapply = rule->reapply,
	};
}

struct lookup {
	const struct rules *rules;
	judge_rule_of *rule_of;
	void *arg;
};

static const char *rule_name_of(void *arg, pid_t pid)
{
	const struct lookup *lookup = arg;
	int rule = lookup->rule_of(lookup->arg, pid);

	return rule >= 0 && (size_t)rule < lookup->rules->nr ? lookup->rules->rules[rule].name : "";
}

int judge(const struct rules *rules, pid_t pid, judge_rule_of *rule_of, void *arg,
	  struct verdict *ret_verdict)
{
	static struct subject subject; /* large, and there is one thread */
	struct lookup lookup = {rules, rule_of, arg};
	int rule;

	subject_start(&subject, pid);
	subject.rule_of = rule_of ? rule_name_of : NULL;
	subject.arg = &lookup;
	rule = rules_decide(rules, &subject);
	if (rule < RULES_NONE)
		return subject.err;
	if (rule == RULES_NONE && rules->others != THP_MODE_UNKNOWN)
		rule = (int)rules->nr;
	/* Those who run no program are kernel threads, zombies, or on their way out. */
	if (rule >= 0 && subject_know(&subject, SUBJECT_EXE) < 0)
		return subject.err;
	*ret_verdict = judge_of_rule(rules, rule);
	return 0;
}
