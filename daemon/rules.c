// SPDX-License-Identifier: MIT
#include "rules.h"

#include <fnmatch.h>
#include <string.h>

bool rules_glob(const char *pattern, const char *path)
{
	/* Without ** the usual way; with it a star may stand for slashes. */
	return fnmatch(pattern, path, strstr(pattern, "**") ? 0 : FNM_PATHNAME) == 0;
}

/* A group, and those below it. */
static bool is_within(const char *pattern, const char *group)
{
	if (strcmp(pattern, "/") == 0)
		return true;
	return fnmatch(pattern, group, FNM_PATHNAME | FNM_LEADING_DIR) == 0;
}

/* "4:cpuset:/a:b": the path is all behind the second colon. */
static bool in_group(const char *pattern, const char *groups)
{
	char path[PATH_MAX];

	while (*groups) {
		size_t len = strcspn(groups, "\n");
		const char *one = memchr(groups, ':', len);
		const char *two =
			one ? memchr(one + 1, ':', len - (size_t)(one + 1 - groups)) : NULL;

		if (two && (size_t)(groups + len - (two + 1)) < sizeof(path)) {
			size_t path_len = (size_t)(groups + len - (two + 1));

			memcpy(path, two + 1, path_len);
			path[path_len] = '\0';
			if (is_within(pattern, path))
				return true;
		}
		groups += len + (groups[len] == '\n');
	}
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The kernel keeps 15 bytes of a name; the whole one is the end of its file's path. */
static bool is_command(const char *pattern, const struct subject *subject)
{
	const char *files[] = {base_name(subject->exe), base_name(subject->script)};

	if (fnmatch(pattern, subject->comm, 0) == 0)
		return true;
	for (size_t i = 0; i < 2 && strlen(subject->comm) == 15; i++) {
		if (strncmp(files[i], subject->comm, 15) == 0 && fnmatch(pattern, files[i], 0) == 0)
			return true;
	}
	return false;
}

/* Whether something is known by now. */
static bool know(struct subject *subject, unsigned what)
{
	return subject_know(subject, what) == 0;
}

/* What is cheap to know, or known already, comes first. */
static bool matches(const struct rule *rule, struct subject *subject)
{
	if (rule->exec && !(know(subject, SUBJECT_EXE) && rules_glob(rule->exec, subject->exe)))
		return false;
	if (rule->cpuset &&
	    !(know(subject, SUBJECT_CPUSET) && is_within(rule->cpuset, subject->cpuset)))
		return false;
	if (rule->cgroup &&
	    !(know(subject, SUBJECT_CGROUP) && in_group(rule->cgroup, subject->groups)))
		return false;
	if (rule->has_user && !(know(subject, SUBJECT_USER) && rule->user == subject->uid))
		return false;
	if (rule->has_group && !(know(subject, SUBJECT_USER) && rule->group == subject->gid))
		return false;
	if (rule->script &&
	    !(know(subject, SUBJECT_SCRIPT) && rules_glob(rule->script, subject->script)))
		return false;
	if (rule->command &&
	    !(know(subject, SUBJECT_COMM | SUBJECT_SCRIPT) && is_command(rule->command, subject)))
		return false;
	return !rule->parent || (know(subject, SUBJECT_PARENT) &&
				 fnmatch(rule->parent, subject->parent_rule, 0) == 0);
}

int rules_decide(const struct rules *rules, struct subject *subject)
{
	for (size_t i = 0; i < rules->nr; i++) {
		if (matches(&rules->rules[i], subject))
			return (int)i;
		if (subject->err < 0)
			return RULES_NONE - 1;
	}
	return RULES_NONE;
}
