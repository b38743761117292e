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

/* "": none; NULL: not known. */
static const char *parent_rule(const struct rules *rules, pid_t ppid, judge_rule_of *rule_of,
			       void *arg)
{
	int rule;

	if (!rule_of)
		return NULL;
	rule = rule_of(arg, ppid);
	return rule >= 0 && (size_t)rule < rules->nr ? rules->rules[rule].name : "";
}

int judge(const struct rules *rules, pid_t pid, judge_rule_of *rule_of, void *arg,
	  struct verdict *ret_verdict)
{
	static struct subject subject; /* large, and there is one thread */
	int rule, r;

	r = subject_read(&subject, pid, rules->needs);
	if (r < 0)
		return r;
	subject.parent_rule = rules->needs & SUBJECT_PARENT
				      ? parent_rule(rules, subject.ppid, rule_of, arg)
				      : "";
	rule = rules_decide(rules, &subject);
	if (rule == -EAGAIN)
		return rule;
	if (rule < 0 && rules->others != THP_MODE_UNKNOWN)
		rule = (int)rules->nr;
	*ret_verdict = judge_of_rule(rules, rule);
	return 0;
}
