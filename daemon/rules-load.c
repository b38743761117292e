// SPDX-License-Identifier: MIT
/* Rule files: the syntax. It is inih's, which passes over what it does not understand; we do not.
 */
#include "rules-load.h"

#include "../common/escape.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLANKS   " \t\r\f\v"
#define NAME_LEN 48 /* inih cuts longer ones */

__attribute__((format(printf, 3, 0))) static void
tell(struct rules_loading *loading, bool is_warning, const char *fmt, va_list args)
{
	char text[RULES_SHOWN_MAX + 512];
	const struct rules_remark remark = {
		.file = loading->file,
		.line = loading->line,
		.is_warning = is_warning,
		.text = text,
	};

	vsnprintf(text, sizeof(text), fmt, args);
	loading->tell(loading->arg, &remark);
}

void rules_fault(struct rules_loading *loading, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tell(loading, false, fmt, args);
	va_end(args);
	loading->faulty = true;
}

void rules_warn(struct rules_loading *loading, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tell(loading, true, fmt, args);
	va_end(args);
}

/* ---- sections ----------------------------------------------------------------------------------
 */

static const struct rule *find_rule(const struct rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->nr; i++) {
		if (strcmp(rules->rules[i].name, name) == 0)
			return &rules->rules[i];
	}
	return NULL;
}

static void begin_rule(struct rules_loading *loading, const char *name)
{
	struct rules *rules = loading->rules;
	struct rule *grown = reallocarray(rules->rules, rules->nr + 1, sizeof(*grown));
	struct rule rule = {
		.name = strdup(name),
		.file = strdup(loading->file),
		.line = loading->line,
		.mode = THP_MODE_UNKNOWN,
		.on_exec = true,
		.on_existing = true,
		.inherit = true,
		.reapply = true,
	};

	if (grown)
		rules->rules = grown;
	if (!grown || !rule.name || !rule.file) {
		free(rule.name);
		free(rule.file);
		loading->no_memory = true;
		loading->section = RULES_OTHER;
		return;
	}
	grown[rules->nr++] = rule;
	loading->section = RULES_RULE;
}

static void begin_section(struct rules_loading *loading, const char *name)
{
	const struct rule *former;
	char shown[RULES_SHOWN_MAX];

	rules_end_section(loading);
	loading->section = RULES_OTHER;
	loading->given = 0;
	if (strcmp(name, "system") == 0) {
		if (loading->system_line)
			rules_fault(loading, "[system] is there already: %s:%u",
				    loading->system_file, loading->system_line);
		loading->section = RULES_SYSTEM;
		loading->system_line = loading->line;
		loading->system_file = loading->file;
		return;
	}
	if (*name == '\0' || strlen(name) > NAME_LEN ||
	    name[strspn(name,
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")]) {
		rules_fault(loading,
			    "'%s' is no name of a rule: 1 to %d letters, digits, '-', '_' or '.'",
			    escape_text(shown, sizeof(shown), name), NAME_LEN);
		return;
	}
	former = find_rule(loading->rules, name);
	if (former)
		rules_fault(loading, "rule '%s' is there already: %s:%u", name, former->file,
			    former->line);
	begin_rule(loading, name);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

/* Takes a line "[name]" as a whole; behind it nothing but a comment may stand. */
static void take_section(struct rules_loading *loading, char *line)
{
	char *end = strchr(line, ']'), *rest = end ? end + 1 + strspn(end + 1, BLANKS) : NULL;

	if (!end) {
		rules_fault(loading, "a '[' without a ']'");
		rules_end_section(loading);
		loading->section = RULES_OTHER;
		return;
	}
	if (*rest && !strchr(";#", *rest))
		rules_fault(loading, "behind ']' nothing is read");
	*end = '\0';
	begin_section(loading, line + 1);
}

/* Whether inih is to see a line. What it would pass over, or take for something else, is told. */
static bool look_at(struct rules_loading *loading, char *line, size_t len)
{
	const char *start = line + strspn(line, BLANKS), *separator;

	if (strlen(line) != len) {
		rules_fault(loading, "a NUL byte");
		return false;
	}
	if (*start == '\0' || strchr(";#", *start))
		return true;
	if (*start == '[') {
		if (start > line)
			rules_fault(loading, "a [rule] begins at the very left");
		else
			take_section(loading, line);
		return false;
	}
	if (start > line) /* one more value of the key above */
		return true;
	separator = strpbrk(start, "=:");
	if (!separator || *separator != '=') {
		rules_fault(loading, "not a line KEY = VALUE, nor a [rule]");
		return false;
	}
	return true;
}

/* inih's reader. It gets an empty line for each that it shall not see. */
static char *next_line(char *line, int size, void *stream)
{
	struct rules_loading *loading = stream;
	ssize_t len = getline(&loading->text, &loading->size, loading->stream);
	char *text = loading->text;

	if (len < 0)
		return NULL;
	loading->line++;
	if (len > 0 && text[len - 1] == '\n')
		text[--len] = '\0';
	if (loading->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) {
		memmove(text, text + 3, (size_t)len - 2);
		len -= 3;
	}
	line[0] = '\0';
	if (!look_at(loading, text, (size_t)len))
		return line;
	if (len >= size) {
		if (!strchr(";#", text[strspn(text, BLANKS)]))
			rules_fault(loading, "%zd bytes: a line can have %d at most", len,
				    size - 1);
		return line;
	}
	memcpy(line, text, (size_t)len + 1);
	return line;
}

/* inih's handler. */
static int take(void *user, const char *section, const char *key, const char *value)
{
	struct rules_loading *loading = user;
	char text[INI_MAX_LINE];
	size_t len = strlen(value);

	(void)section; /* known, and not cut, since its line was read */
	if (len > 1 && value[0] == '"' && value[len - 1] == '"') {
		snprintf(text, sizeof(text), "%.*s", (int)len - 2, value + 1);
		value = text;
	}
	rules_take(loading, key, value);
	return 1;
}

/* ---- files -------------------------------------------------------------------------------------
 */

static void load_stream(struct rules_loading *loading, FILE *stream, const char *name)
{
	loading->file = name;
	loading->line = 0;
	loading->stream = stream;
	loading->section = RULES_BEFORE;
	ini_parse_stream(next_line, loading, take, loading);
	rules_end_section(loading);
	if (ferror(stream)) {
		loading->line = 0;
		rules_fault(loading, "cannot be read: %s", strerror(errno));
	}
}

/* The name lives as long as the rules that were read from it are looked at. */
static void load_file(struct rules_loading *loading, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *stream;

	loading->file = path;
	loading->line = 0;
	if (fd < 0 || fstat(fd, &st) < 0) {
		rules_fault(loading, "cannot be read: %s", strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		rules_fault(loading, "not a file");
	} else {
		if (st.st_mode & (S_IWGRP | S_IWOTH))
			rules_warn(loading, "not only its owner can write it, and say what happens "
					    "to every process");
		stream = fdopen(fd, "r");
		if (stream) {
			load_stream(loading, stream, path);
			fclose(stream);
			return;
		}
		loading->no_memory = true;
	}
	if (fd >= 0)
		close(fd);
}

static int is_conf(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 5 && strcmp(entry->d_name + len - 5, ".conf") == 0;
}

/* Byte by byte, whatever the locale: the order decides. */
static int by_name(const struct dirent **one, const struct dirent **other)
{
	return strcmp((*one)->d_name, (*other)->d_name);
}

static void load_directory(struct rules_loading *loading, const char *dir)
{
	struct dirent **entries = NULL;
	int nr = scandir(dir, &entries, is_conf, by_name);
	char **paths = nr > 0 ? calloc((size_t)nr, sizeof(*paths)) : NULL;

	if (nr < 0 && errno == ENOENT)
		rules_warn(loading, "no such directory, so no rules");
	else if (nr < 0)
		rules_fault(loading, "cannot be read: %s", strerror(errno));
	loading->no_memory |= nr > 0 && !paths;
	for (int i = 0; i < nr; i++) {
		if (paths && asprintf(&paths[i], "%s/%s", dir, entries[i]->d_name) >= 0)
			load_file(loading, paths[i]);
		else
			loading->no_memory = true;
		free(entries[i]);
	}
	free(entries);
	rules_check(loading);
	for (int i = 0; paths && i < nr; i++)
		free(paths[i]);
	free(paths);
}

static int begin(struct rules_loading *loading)
{
	loading->rules = calloc(1, sizeof(*loading->rules));
	if (!loading->rules)
		return -ENOMEM;
	loading->rules->others = THP_MODE_UNKNOWN;
	return 0;
}

static int end(struct rules_loading *loading, struct rules **ret_rules)
{
	free(loading->text);
	if (loading->no_memory || loading->faulty) {
		rules_free(loading->rules);
		return loading->no_memory ? -ENOMEM : -EINVAL;
	}
	*ret_rules = loading->rules;
	return 0;
}

int rules_load(const char *path, rules_tell *tell_fn, void *arg, struct rules **ret_rules)
{
	struct rules_loading loading = {.tell = tell_fn, .arg = arg, .file = path};
	struct stat st;

	if (begin(&loading) < 0)
		return -ENOMEM;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		load_file(&loading, path);
		rules_check(&loading);
	} else {
		load_directory(&loading, path);
	}
	return end(&loading, ret_rules);
}

int rules_load_file(FILE *file, const char *name, rules_tell *tell_fn, void *arg,
		    struct rules **ret_rules)
{
	struct rules_loading loading = {.tell = tell_fn, .arg = arg};

	if (begin(&loading) < 0)
		return -ENOMEM;
	load_stream(&loading, file, name);
	rules_check(&loading);
	return end(&loading, ret_rules);
}

static void free_values(struct rule_values *values)
{
	for (size_t i = 0; i < values->nr; i++) {
		free(values->values[i].text);
		free(values->values[i].real);
	}
	free(values->values);
}

void rules_free(struct rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->nr; i++) {
		struct rule *rule = &rules->rules[i];

		for (enum rule_key key = 0; key < RULE_KEYS; key++)
			free_values(&rule->match[key]);
		free(rule->name);
		free(rule->file);
	}
	free(rules->rules);
	free(rules);
}
