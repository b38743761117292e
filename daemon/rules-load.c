// SPDX-License-Identifier: MIT
/* Rule files: INI by inih. */
#include "rules.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <ini.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loading {
	struct rules *rules;
	rules_complain *complain;
	void *arg;
	const char *file;
	FILE *stream;
	unsigned line;
	bool faulty;
	char section[64]; /* of the last line: a new one begins a rule */
};

__attribute__((format(printf, 2, 3))) static void fault(struct loading *loading, const char *fmt,
							...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	loading->faulty = true;
	loading->complain(loading->arg, loading->file, loading->line, text);
}

static int set_text(struct loading *loading, char **text, const char *value)
{
	free(*text);
	*text = strdup(value);
	if (!*text)
		fault(loading, "%s", strerror(ENOMEM));
	return 1;
}

static int set_flag(struct loading *loading, bool *flag, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		fault(loading, "'%s' is neither yes nor no", value);
	*flag = strcmp(value, "yes") == 0;
	return 1;
}

static int set_user(struct loading *loading, struct rule *rule, const char *value)
{
	const struct passwd *user = getpwnam(value);
	char *end;

	rule->has_user = true;
	rule->user = user ? user->pw_uid : (uid_t)strtoul(value, &end, 10);
	if (!user && (*value == '\0' || *end))
		fault(loading, "no user '%s'", value);
	return 1;
}

static int set_group(struct loading *loading, struct rule *rule, const char *value)
{
	const struct group *group = getgrnam(value);
	char *end;

	rule->has_group = true;
	rule->group = group ? group->gr_gid : (gid_t)strtoul(value, &end, 10);
	if (!group && (*value == '\0' || *end))
		fault(loading, "no group '%s'", value);
	return 1;
}

static int set_path(struct loading *loading, char **text, const char *value)
{
	if (value[0] != '/' && value[0] != '*')
		fault(loading, "'%s' is no absolute path", value);
	return set_text(loading, text, value);
}

/* A program is known by its real path: a rule may name it by another one, if it is no pattern. */
static int set_program(struct loading *loading, char **text, const char *value)
{
	char real[PATH_MAX];

	set_path(loading, text, value);
	if (!strpbrk(value, "*?[\\") && realpath(value, real))
		set_text(loading, text, real);
	return 1;
}

static int set_mode(struct loading *loading, enum thp_mode *mode, const char *value)
{
	if (thp_mode_parse(value, mode) < 0)
		fault(loading, "'%s' is no mode: never, madvise, always or default", value);
	return 1;
}

static int set_apply(struct loading *loading, struct rule *rule, const char *value)
{
	rule->on_exec = strcmp(value, "existing") != 0;
	rule->on_existing = strcmp(value, "exec") != 0;
	if (strcmp(value, "exec") != 0 && strcmp(value, "existing") != 0 &&
	    strcmp(value, "both") != 0)
		fault(loading, "'%s' is none of exec, existing, both", value);
	return 1;
}

static int set_key(struct loading *loading, struct rule *rule, const char *key, const char *value)
{
	if (strcmp(key, "exec") == 0)
		return set_program(loading, &rule->exec, value);
	if (strcmp(key, "script") == 0)
		return set_program(loading, &rule->script, value);
	if (strcmp(key, "cpuset") == 0)
		return set_path(loading, &rule->cpuset, value);
	if (strcmp(key, "cgroup") == 0)
		return set_path(loading, &rule->cgroup, value);
	if (strcmp(key, "command") == 0)
		return set_text(loading, &rule->command, value);
	if (strcmp(key, "parent") == 0)
		return set_text(loading, &rule->parent, value);
	if (strcmp(key, "user") == 0)
		return set_user(loading, rule, value);
	if (strcmp(key, "group") == 0)
		return set_group(loading, rule, value);
	if (strcmp(key, "mode") == 0)
		return set_mode(loading, &rule->mode, value);
	if (strcmp(key, "apply") == 0)
		return set_apply(loading, rule, value);
	if (strcmp(key, "split") == 0)
		return set_flag(loading, &rule->split, value);
	if (strcmp(key, "inherit") == 0)
		return set_flag(loading, &rule->inherit, value);
	if (strcmp(key, "reapply") == 0)
		return set_flag(loading, &rule->reapply, value);
	fault(loading, "unknown key '%s'", key);
	return 1;
}

static struct rule *new_rule(struct loading *loading, const char *name)
{
	struct rules *rules = loading->rules;
	struct rule *grown = reallocarray(rules->rules, rules->nr + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	rules->rules = grown;
	grown[rules->nr] = (struct rule){
		.name = strdup(name),
		.file = strdup(loading->file),
		.line = loading->line,
		.on_exec = true,
		.on_existing = true,
		.inherit = true,
		.reapply = true,
	};
	return &grown[rules->nr++];
}

static int on_line(void *user, const char *section, const char *key, const char *value)
{
	struct loading *loading = user;
	struct rules *rules = loading->rules;

	if (strcmp(section, "system") == 0) {
		if (strcmp(key, "default") == 0)
			return set_mode(loading, &rules->others, value);
		if (strcmp(key, "manage-sysfs") == 0)
			return set_flag(loading, &rules->manage_sysfs, value);
		fault(loading, "unknown key '%s' of [system]", key);
		return 1;
	}
	if (section[0] == '\0') {
		fault(loading, "'%s' stands before any [rule]", key);
		return 1;
	}
	if (strcmp(section, loading->section) != 0 || rules->nr == 0) {
		if (!new_rule(loading, section))
			return 0;
		snprintf(loading->section, sizeof(loading->section), "%s", section);
	}
	return set_key(loading, &rules->rules[rules->nr - 1], key, value);
}

/* inih's reader; it counts lines, which the library may have been built not to tell. */
static char *next_line(char *text, int size, void *stream)
{
	struct loading *loading = stream;

	loading->line++;
	return fgets(text, size, loading->stream);
}

static void load_file(struct loading *loading, const char *path)
{
	int r;

	loading->file = path;
	loading->line = 0;
	loading->section[0] = '\0';
	loading->stream = fopen(path, "re");
	if (!loading->stream) {
		fault(loading, "%s", strerror(errno));
		return;
	}
	r = ini_parse_stream(next_line, loading, on_line, loading);
	if (r != 0) {
		loading->line = r > 0 ? (unsigned)r : 0;
		fault(loading, "%s", "not a line KEY = VALUE");
	}
	fclose(loading->stream);
}

static void check(struct loading *loading, struct rule *rule)
{
	loading->file = rule->file;
	loading->line = rule->line;
	if (rule->mode == THP_MODE_UNKNOWN)
		fault(loading, "rule '%s' has no mode", rule->name);
	if (!rule->exec && !rule->script && !rule->command && !rule->cpuset && !rule->cgroup &&
	    !rule->parent && !rule->has_user && !rule->has_group)
		fault(loading, "rule '%s' matches everything", rule->name);
	if (rule->has_user || rule->has_group)
		loading->rules->needs |= SUBJECT_USER;
	if (rule->command)
		loading->rules->needs |= SUBJECT_COMM;
	if (rule->cpuset)
		loading->rules->needs |= SUBJECT_CPUSET;
	if (rule->cgroup)
		loading->rules->needs |= SUBJECT_CGROUP;
	if (rule->script || rule->command)
		loading->rules->needs |= SUBJECT_SCRIPT;
	if (rule->parent)
		loading->rules->needs |= SUBJECT_PARENT;
}

static int is_conf(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 5 && strcmp(entry->d_name + len - 5, ".conf") == 0;
}

int rules_load(const char *dir, rules_complain *complain, void *arg, struct rules **ret_rules)
{
	struct loading loading = {.complain = complain, .arg = arg};
	struct dirent **entries = NULL;
	char path[PATH_MAX];
	int nr = scandir(dir, &entries, is_conf, alphasort);

	loading.rules = calloc(1, sizeof(*loading.rules));
	if (!loading.rules)
		return -ENOMEM;
	loading.file = dir;
	if (nr < 0 && errno != ENOENT)
		fault(&loading, "%s", strerror(errno));
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		load_file(&loading, path);
		free(entries[i]);
	}
	free(entries);
	for (size_t i = 0; i < loading.rules->nr; i++)
		check(&loading, &loading.rules->rules[i]);
	if (loading.faulty) {
		rules_free(loading.rules);
		return -EINVAL;
	}
	*ret_rules = loading.rules;
	return 0;
}

void rules_free(struct rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->nr; i++) {
		struct rule *rule = &rules->rules[i];

		free(rule->name);
		free(rule->file);
		free(rule->exec);
		free(rule->script);
		free(rule->command);
		free(rule->cpuset);
		free(rule->cgroup);
		free(rule->parent);
	}
	free(rules->rules);
	free(rules);
}
