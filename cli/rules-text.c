// SPDX-License-Identifier: MIT
/* thpctl rules test, for a person. */
#include "cli.h"
#include "rules.h"

#include "../common/escape.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

/* ---- what a process has ------------------------------------------------------------------------
 */

static void put_text(char *buf, size_t size, const char *before, const char *text)
{
	int len = snprintf(buf, size, "%s", before);

	escape_text(buf + len, size - (size_t)len, text);
}

/* The groups of /proc/PID/cgroup, in one line. */
static void put_groups(char *buf, size_t size, const char *groups)
{
	size_t len = (size_t)snprintf(buf, size, "is in ");

	while (*groups) {
		size_t line = strcspn(groups, "\n");
		const char *path = memchr(groups, ':', line);
		char one[PATH_MAX + 64];

		if (path && line < sizeof(one)) {
			snprintf(one, sizeof(one), "%.*s", (int)(groups + line - path - 1),
				 path + 1);
			len += strlen(
				escape_text(buf + len, size - len, one[0] == ':' ? one + 1 : one));
			if (groups[line] && groups[line + 1] && len + 2 < size)
				len += (size_t)snprintf(buf + len, size - len, ", ");
		}
		groups += line + (groups[line] == '\n');
	}
}

static void put_user(char *buf, size_t size, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	char name[CLI_SHOWN_MAX];

	if (user)
		snprintf(buf, size, "user is %s (%u)",
			 escape_text(name, sizeof(name), user->pw_name), (unsigned)uid);
	else
		snprintf(buf, size, "user is %u", (unsigned)uid);
}

static void put_members(char *buf, size_t size, const struct subject *subject)
{
	const struct group *group = getgrgid(subject->gid);
	char name[CLI_SHOWN_MAX];
	int len;

	if (group)
		len = snprintf(buf, size, "group is %s (%u)",
			       escape_text(name, sizeof(name), group->gr_name),
			       (unsigned)subject->gid);
	else
		len = snprintf(buf, size, "group is %u", (unsigned)subject->gid);

	if (subject->members[0])
		put_text(buf + len, size - (size_t)len, ", also ", subject->members);
}

static void put_unknown(struct subject *subject, enum rule_key key, char *buf, size_t size)
{
	const char *name = rules_key_name(key);

	if (subject->pid == 0)
		snprintf(buf, size, "%s is not given: --%s", name,
			 key == RULE_SCRIPT ? rules_key_name(RULE_EXEC) : name);
	else if (subject->err == -EAGAIN)
		snprintf(buf, size, "the rule of its parent cannot be told");
	else
		snprintf(buf, size, "%s cannot be known: %s", name, strerror(-subject->err));
}

void rules_value_text(struct subject *subject, enum rule_key key, char *buf, size_t size)
{
	if (subject_know(subject, rules_key_needs(key)) < 0) {
		put_unknown(subject, key, buf, size);
		return;
	}
	switch (key) {
	case RULE_EXEC:
		put_text(buf, size, "executable is ", subject->exe);
		break;
	case RULE_SCRIPT:
		put_text(buf, size, subject->script[0] ? "script is " : "is no script",
			 subject->script);
		break;
	case RULE_COMMAND:
		put_text(buf, size, "name is ", subject->comm);
		break;
	case RULE_CPUSET:
		put_text(buf, size, "cpuset is ", subject->cpuset);
		break;
	case RULE_CGROUP:
		put_groups(buf, size, subject->groups);
		break;
	case RULE_USER:
		put_user(buf, size, subject->uid);
		break;
	case RULE_GROUP:
		put_members(buf, size, subject);
		break;
	default:
		put_text(buf, size,
			 subject->parent_rule[0] ? "parent is under rule "
						 : "parent is under no rule",
			 subject->parent_rule);
		break;
	}
}

/* ---- who wins ----------------------------------------------------------------------------------
 */

static void print_who(struct rules_case *test)
{
	char shown[ESCAPED_MAX(SUBJECT_NAME_MAX)];

	if (test->only_thought)
		printf("such a process");
	else if (subject_know(&test->subject, SUBJECT_COMM) < 0)
		printf("PID %d", (int)test->subject.pid);
	else
		printf("PID %d (%s)", (int)test->subject.pid,
		       escape_text(shown, sizeof(shown), test->subject.comm));
}

static void print_winner(const struct rules_case *test, const struct rule *rule)
{
	char file[CLI_SHOWN_MAX];

	printf(": %s, by rule %s (%s:%u)\n", rule->leave ? "left alone" : thp_mode_name(rule->mode),
	       rule->name, escape_text(file, sizeof(file), rule->file), rule->line);
	if (rule->leave)
		return;
	if (!rule->on_existing && !test->only_thought)
		printf("  apply = exec: what runs already is left as it is; this is for what it "
		       "executes\n");
	if (!rule->on_exec && test->only_thought)
		printf("  apply = existing: for processes that run already, not when one is "
		       "executed\n");
}

static void print_nobody(const struct rules *rules, const struct rules_case *test)
{
	if (test->inherited >= 0)
		printf(": under no rule of its own; what it has from its parent PID %d it keeps: "
		       "%s, by rule %s\n",
		       (int)test->parent, thp_mode_name(rules->rules[test->inherited].mode),
		       rules->rules[test->inherited].name);
	else if (rules->others != THP_MODE_UNKNOWN)
		printf(": %s, by [system] default: under no rule\n", thp_mode_name(rules->others));
	else
		printf(": left alone: under no rule\n");
	if (test->inherited < RULES_NONE)
		printf("  whether it keeps something from its parent cannot be told\n");
}

static void print_rule(const struct rules *rules, struct rules_case *test, size_t i, int width)
{
	char text[2048];

	printf("  %-*s  ", width, rules->rules[i].name);
	if (test->results[i] <= 0) {
		rules_value_text(&test->subject, test->keys[i], text, sizeof(text));
		printf("%s: %s\n", test->results[i] == 0 ? "no" : "unknown", text);
	} else if ((int)i == test->winner) {
		printf("wins\n");
	} else if (test->winner >= 0) {
		printf("matches, but %s stands before it\n", rules->rules[test->winner].name);
	} else {
		printf("matches, and wins if none before it does\n");
	}
}

void rules_test_text(const struct rules *rules, struct rules_case *test)
{
	int width = 0;

	print_who(test);
	if (test->winner >= 0)
		print_winner(test, &rules->rules[test->winner]);
	else if (test->winner == RULES_NONE)
		print_nobody(rules, test);
	else
		printf(": cannot be told\n");
	for (size_t i = 0; i < rules->nr; i++) {
		int len = (int)strlen(rules->rules[i].name);

		width = len > width ? len : width;
	}
	for (size_t i = 0; i < rules->nr; i++)
		print_rule(rules, test, i, width);
}
