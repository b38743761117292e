// SPDX-License-Identifier: MIT
/* Rule files: the meaning of each key. */
#include "rules-load.h"

#include "glob.h"
#include "subject-text.h"

#include "../common/escape.h"
#include "../common/nearest.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- values ------------------------------------------------------------------------------------
 */

static struct rule_value *add_value(struct rules_loading *loading, enum rule_key key,
				    const char *text)
{
	struct rule *rule = &loading->rules->rules[loading->rules->nr - 1];
	struct rule_values *values = &rule->match[key];
	struct rule_value *grown =
		reallocarray(values->values, values->nr + 1, sizeof(*values->values));
	char *copy = strdup(text);

	if (grown)
		values->values = grown;
	if (!grown || !copy) {
		free(copy);
		loading->no_memory = true;
		return NULL;
	}
	grown[values->nr] = (struct rule_value){.text = copy, .line = loading->line};
	return &grown[values->nr++];
}

static bool check_pattern(struct rules_loading *loading, const char *pattern, const char *value)
{
	const char *fault = glob_fault(pattern);
	char shown[RULES_SHOWN_MAX];

	if (fault)
		rules_fault(loading, "'%s': %s", escape_text(shown, sizeof(shown), value), fault);
	return !fault;
}

static void take_name(struct rules_loading *loading, enum rule_key key, const char *value)
{
	char shown[RULES_SHOWN_MAX];

	if (strchr(value, '/'))
		rules_fault(loading, "'%s' is no name: it has a slash%s",
			    escape_text(shown, sizeof(shown), value),
			    key == RULE_COMMAND ? "; 'exec' takes paths" : "");
	else if (check_pattern(loading, value, value))
		add_value(loading, key, value);
}

/* ---- paths -------------------------------------------------------------------------------------
 */

static bool has_dots(const char *path)
{
	size_t len;

	for (; *path; path += len + (path[len] == '/')) {
		len = strcspn(path, "/");
		if ((len == 1 && path[0] == '.') || (len == 2 && path[0] == '.' && path[1] == '.'))
			return true;
	}
	return false;
}

/* The length of what stands before the part with the first wildcard. */
static size_t literal_length(char *pattern)
{
	while (!glob_is_literal(pattern))
		*strrchr(pattern, '/') = '\0';
	return strlen(pattern);
}

/*
 * A program is known by its real path, a rule may name it by another one: the longest beginning of
 * a pattern that exists, behind symbolic links, and then its rest. NULL: this is no other pattern.
 */
static char *find_real(struct rules_loading *loading, const char *pattern)
{
	char path[PATH_MAX], real[PATH_MAX], escaped[2 * PATH_MAX];
	char *start = strdup(pattern), *result = NULL;
	size_t len = start ? literal_length(start) : 0;

	while (len > 0) {
		glob_unescape(path, sizeof(path), start);
		if (realpath(path, real))
			break;
		*strrchr(start, '/') = '\0';
		len = strlen(start);
	}
	if (len > 0 && strcmp(path, real) != 0) {
		glob_escape(escaped, sizeof(escaped), strcmp(real, "/") == 0 ? "" : real);
		if (asprintf(&result, "%s%s", escaped, pattern + len) < 0)
			result = NULL;
	}
	loading->no_memory |= !start || (len > 0 && strcmp(path, real) != 0 && !result);
	free(start);
	return result;
}

/* What a person likely did not mean, though it is no fault. */
static void look_at_program(struct rules_loading *loading, enum rule_key key,
			    const struct rule_value *value)
{
	char path[PATH_MAX], head[2];
	struct stat st;
	int fd;

	if (!glob_is_literal(value->text))
		return;
	glob_unescape(path, sizeof(path), value->text);
	if (stat(path, &st) < 0)
		return;
	if (S_ISDIR(st.st_mode))
		rules_warn(loading, "'%s' is a directory; what is in it is meant by '%s/**'", path,
			   value->text);
	if (key != RULE_EXEC || !S_ISREG(st.st_mode))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0 && read(fd, head, 2) == 2 && memcmp(head, "#!", 2) == 0)
		rules_warn(loading,
			   "'%s' is a script, which its interpreter executes: use "
			   "'script' instead of 'exec'",
			   path);
	if (fd >= 0)
		close(fd);
}

static void take_program(struct rules_loading *loading, enum rule_key key, const char *value)
{
	char shown[RULES_SHOWN_MAX];
	struct rule_value *added;

	escape_text(shown, sizeof(shown), value);
	if (value[0] != '/')
		rules_fault(loading, "'%s' is no path from the root%s", shown,
			    strchr(value, '/') ? ""
					       : "; 'command' takes names, '/**/NAME' is a program "
						 "anywhere");
	else if (has_dots(value))
		rules_fault(loading, "'%s': '.' and '..' are no parts of a program's path", shown);
	else if (check_pattern(loading, value, value)) {
		added = add_value(loading, key, value);
		if (added) {
			added->real = find_real(loading, value);
			look_at_program(loading, key, added);
		}
	}
}

/* Groups of processes: "/GROUP", for cgroup also "CONTROLLER:/GROUP". */
static void take_group_path(struct rules_loading *loading, enum rule_key key, const char *value)
{
	const char *path = value;
	char shown[RULES_SHOWN_MAX];

	escape_text(shown, sizeof(shown), value);
	if (key == RULE_CGROUP && value[0] != '/' && strchr(value, ':') != NULL)
		path = strchr(value, ':') + 1;
	if (path == value + 1)
		rules_fault(loading, "'%s': no controller before the ':'; version 2 is 'v2'",
			    shown);
	else if (path[0] != '/')
		rules_fault(loading,
			    "'%s' is no group: a path that begins with /, as in "
			    "/proc/PID/%s",
			    shown, rules_key_name(key));
	else if (check_pattern(loading, path, value))
		add_value(loading, key, value);
}

/* ---- users and groups --------------------------------------------------------------------------
 */

/* Of a name: 1, its number; 0, it is nobody's here. */
static int find_id(enum rule_key key, const char *name, uint32_t *ret_id)
{
	const struct passwd *user = key == RULE_USER ? getpwnam(name) : NULL;
	const struct group *group = key == RULE_GROUP ? getgrnam(name) : NULL;

	if (user)
		*ret_id = user->pw_uid;
	if (group)
		*ret_id = group->gr_gid;
	return user || group;
}

/* "1000", "1000-59999". 0 or -EINVAL. */
static int parse_ids(const char *text, uint32_t *ret_first, uint32_t *ret_last)
{
	uint32_t numbers[2];
	unsigned nr = 0;

	for (;;) {
		char *end;
		unsigned long long number;

		if (*text < '0' || *text > '9')
			return -EINVAL;
		errno = 0;
		number = strtoull(text, &end, 10);
		if (errno || number > UINT32_MAX)
			return -EINVAL;
		numbers[nr++] = (uint32_t)number;
		if (*end == '\0')
			break;
		if (*end != '-' || nr == 2)
			return -EINVAL;
		text = end + 1;
	}
	if (numbers[0] > numbers[nr - 1])
		return -EINVAL;
	*ret_first = numbers[0];
	*ret_last = numbers[nr - 1];
	return 0;
}

static void take_id(struct rules_loading *loading, enum rule_key key, const char *value)
{
	uint32_t first = 1, last = 0; /* nobody */
	const char *what = rules_key_name(key);
	char shown[RULES_SHOWN_MAX];
	struct rule_value *added;

	escape_text(shown, sizeof(shown), value);
	if (strpbrk(value, ", \t")) {
		rules_fault(loading, "'%s' is no %s: one name, number or range a line", shown,
			    what);
		return;
	}
	if (find_id(key, value, &first)) {
		last = first;
	} else if (parse_ids(value, &first, &last) < 0) {
		if (value[0] >= '0' && value[0] <= '9') {
			rules_fault(loading, "'%s' is no %s: a name, N or FIRST-LAST", shown, what);
			return;
		}
		rules_warn(loading,
			   "no %s '%s' here: nobody is meant until the rules are read "
			   "again",
			   what, shown);
	}
	added = add_value(loading, key, value);
	if (added) {
		added->first = first;
		added->last = last;
	}
}

/* ---- what a rule gives -------------------------------------------------------------------------
 */

static void take_word(struct rules_loading *loading, const char *value, const char *const words[],
		      size_t nr, size_t *ret_index)
{
	char shown[RULES_SHOWN_MAX], list[256] = "";
	const char *near;

	for (size_t i = 0; i < nr; i++) {
		if (strcmp(value, words[i]) == 0) {
			*ret_index = i;
			return;
		}
		strncat(list,
			i == 0       ? ""
			: i + 1 < nr ? ", "
				     : " or ",
			sizeof(list) - strlen(list) - 1);
		strncat(list, words[i], sizeof(list) - strlen(list) - 1);
	}
	escape_text(shown, sizeof(shown), value);
	near = nearest(value, words, nr);
	if (strstr(value, " #"))
		rules_fault(loading, "'%s' is not %s; a comment behind a value begins with ' ;'",
			    shown, list);
	else if (near)
		rules_fault(loading, "'%s' is not %s: did you mean '%s'?", shown, list, near);
	else
		rules_fault(loading, "'%s' is not %s", shown, list);
}

static void take_flag(struct rules_loading *loading, const char *value, bool *flag)
{
	static const char *const words[] = {"no", "yes"};
	size_t index = *flag;

	take_word(loading, value, words, 2, &index);
	*flag = index;
}

static void take_mode(struct rules_loading *loading, struct rule *rule, const char *value)
{
	static const char *const words[] = {"never", "madvise", "always", "default", "leave"};
	size_t index = 0;

	take_word(loading, value, words, 5, &index);
	rule->leave = thp_mode_parse(words[index], &rule->mode) < 0;
}

static void take_apply(struct rules_loading *loading, struct rule *rule, const char *value)
{
	static const char *const words[] = {"exec", "existing", "both"};
	size_t index = 2;

	take_word(loading, value, words, 3, &index);
	rule->on_exec = index != 1;
	rule->on_existing = index != 0;
}

/* ---- keys --------------------------------------------------------------------------------------
 */

enum other_key { MODE, APPLY, SPLIT, INHERIT, REAPPLY, OTHER_KEYS };

static const char *const other_names[OTHER_KEYS] = {
	[MODE] = "mode",       [APPLY] = "apply",     [SPLIT] = "split",
	[INHERIT] = "inherit", [REAPPLY] = "reapply",
};

static void unknown_key(struct rules_loading *loading, const char *key, const char *const names[],
			size_t nr, const char *where)
{
	char shown[RULES_SHOWN_MAX];
	const char *near = nearest(key, names, nr);

	rules_fault(loading, "unknown key '%s'%s%s%s%s", escape_text(shown, sizeof(shown), key),
		    where, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool is_again(struct rules_loading *loading, unsigned bit, const char *key)
{
	if (loading->given & bit)
		rules_fault(loading, "a second '%s'", key);
	if (loading->given & bit)
		return true;
	loading->given |= bit;
	return false;
}

#define ASKS (1u << OTHER_KEYS) /* bit of all keys that a process has to meet */

static void take_match(struct rules_loading *loading, enum rule_key key, const char *value)
{
	loading->given |= ASKS;
	switch (key) {
	case RULE_EXEC:
	case RULE_SCRIPT:
		take_program(loading, key, value);
		break;
	case RULE_CPUSET:
	case RULE_CGROUP:
		take_group_path(loading, key, value);
		break;
	case RULE_USER:
	case RULE_GROUP:
		take_id(loading, key, value);
		break;
	default:
		take_name(loading, key, value);
		break;
	}
}

static void take_other(struct rules_loading *loading, enum other_key key, const char *value)
{
	struct rule *rule = &loading->rules->rules[loading->rules->nr - 1];

	if (is_again(loading, 1u << key, other_names[key]))
		return;
	switch (key) {
	case MODE:
		take_mode(loading, rule, value);
		break;
	case APPLY:
		take_apply(loading, rule, value);
		break;
	case SPLIT:
		take_flag(loading, value, &rule->split);
		break;
	case INHERIT:
		take_flag(loading, value, &rule->inherit);
		break;
	default:
		take_flag(loading, value, &rule->reapply);
		break;
	}
}

static void take_of_rule(struct rules_loading *loading, const char *key, const char *value)
{
	const char *names[RULE_KEYS + OTHER_KEYS];

	for (enum rule_key i = 0; i < RULE_KEYS; i++) {
		names[i] = rules_key_name(i);
		if (strcmp(key, names[i]) == 0) {
			take_match(loading, i, value);
			return;
		}
	}
	for (enum other_key i = 0; i < OTHER_KEYS; i++) {
		names[RULE_KEYS + i] = other_names[i];
		if (strcmp(key, other_names[i]) == 0) {
			take_other(loading, i, value);
			return;
		}
	}
	unknown_key(loading, key, names, RULE_KEYS + OTHER_KEYS, "");
}

static void take_of_system(struct rules_loading *loading, const char *key, const char *value)
{
	static const char *const names[] = {"default", "manage-sysfs"};
	static const char *const modes[] = {"madvise", "never"};
	struct rules *rules = loading->rules;
	size_t index = 0;

	if (strcmp(key, names[0]) == 0) {
		if (is_again(loading, 1, key))
			return;
		take_word(loading, value, modes, 2, &index);
		rules->others = index == 0 ? THP_MODE_MADVISE : THP_MODE_NEVER;
	} else if (strcmp(key, names[1]) == 0) {
		if (!is_again(loading, 2, key))
			take_flag(loading, value, &rules->manage_sysfs);
	} else {
		unknown_key(loading, key, names, 2, " of [system]");
	}
}

void rules_take(struct rules_loading *loading, const char *key, const char *value)
{
	char shown[RULES_SHOWN_MAX];

	if (loading->section == RULES_BEFORE)
		rules_fault(loading, "'%s' stands before the first [rule]",
			    escape_text(shown, sizeof(shown), key));
	else if (loading->section == RULES_OTHER)
		return;
	else if (*value == '\0')
		rules_fault(loading, "'%s' has no value", escape_text(shown, sizeof(shown), key));
	else if (loading->section == RULES_SYSTEM)
		take_of_system(loading, key, value);
	else
		take_of_rule(loading, key, value);
}

void rules_end_section(struct rules_loading *loading)
{
	const struct rules *rules = loading->rules;
	unsigned line = loading->line;
	const struct rule *rule;

	if (loading->section != RULES_RULE)
		return;
	rule = &rules->rules[rules->nr - 1];
	loading->line = rule->line;
	if (!(loading->given & 1u << MODE))
		rules_fault(loading, "rule '%s' has no mode", rule->name);
	if (!(loading->given & ASKS))
		rules_fault(loading,
			    "rule '%s' asks for nothing, so it means everything: if that is meant, "
			    "say 'exec = /**'",
			    rule->name);
	loading->line = line;
}
