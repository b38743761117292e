// SPDX-License-Identifier: MIT
/* Suite files: the syntax is inih's, the meaning of the keys is here. */
#include "program.h"

#include "../../common/escape.h"
#include "../../common/nearest.h"
#include "../../common/say.h"
#include "../cli.h"

#include <errno.h>
#include <ini.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULTS "defaults"

struct suite {
	const char *path;
	struct program defaults;
	struct program *programs;
	size_t nr;
	int error;
};

enum key {
	COMMAND,
	NAME,
	DIRECTORY,
	ENV,
	THREADS,
	PREPARE,
	METRIC,
	BETTER,
	EXPECT,
	STATUS,
	MAIL_ROWS,
	NR_KEYS,
};

static const char *const keys[NR_KEYS] = {
	[COMMAND] = "command", [NAME] = "name",           [DIRECTORY] = "directory",
	[ENV] = "env",         [THREADS] = "threads",     [PREPARE] = "prepare",
	[METRIC] = "metric",   [BETTER] = "better",       [EXPECT] = "expect",
	[STATUS] = "status",   [MAIL_ROWS] = "mail_rows",
};

static int set(char **place, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*place);
	*place = copy;
	return 0;
}

static int copy(char **place, const char *value)
{
	return value ? set(place, value) : 0;
}

static size_t list_length(char **list)
{
	size_t nr = 0;

	while (list && list[nr])
		nr++;
	return nr;
}

/* Adds NAME=VALUE; a later one of the same name replaces the earlier. */
static int add_environment(struct program *program, const char *entry)
{
	size_t nr = list_length(program->environment), name = strcspn(entry, "=") + 1;
	char **grown;

	for (size_t i = 0; i < nr; i++) {
		if (strncmp(program->environment[i], entry, name) == 0)
			return set(&program->environment[i], entry);
	}
	grown = realloc(program->environment, (nr + 2) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	program->environment = grown;
	grown[nr] = strdup(entry);
	grown[nr + 1] = NULL;
	return grown[nr] ? 0 : -ENOMEM;
}

/* A suite's command is a shell's line; the shell is replaced by the command if it is only one. */
static int set_command(struct program *program, const char *line)
{
	program->argv = calloc(4, sizeof(*program->argv));
	if (!program->argv)
		return -ENOMEM;
	program->argv[0] = strdup("/bin/sh");
	program->argv[1] = strdup("-c");
	program->argv[2] = strdup(line);
	return program->argv[0] && program->argv[1] && program->argv[2] ? 0 : -ENOMEM;
}

/* CPUs that the runs may use: they inherit what taskset(1) or a batch system gave us. */
static long allowed_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set)
							    : sysconf(_SC_NPROCESSORS_ONLN);
}

static int set_threads(struct program *program, const char *value)
{
	char entry[64];
	char *end;
	long threads = strtol(value, &end, 10);

	if (end == value || *end || threads < 0 || threads > 1000000)
		return -EINVAL;
	if (threads == 0)
		threads = allowed_cpus();
	snprintf(entry, sizeof(entry), "OMP_NUM_THREADS=%ld", threads);
	return add_environment(program, entry);
}

static int set_key(struct program *program, enum key key, const char *value)
{
	char *end;
	long status;

	switch (key) {
	case COMMAND:
		return program->argv || *value == '\0' ? -EINVAL : set_command(program, value);
	case NAME:
		return set(&program->title, value);
	case MAIL_ROWS:
		return *value ? set(&program->published, value) : 0;
	case DIRECTORY:
		return set(&program->directory, value);
	case ENV:
		return strchr(value, '=') ? add_environment(program, value) : -EINVAL;
	case THREADS:
		return set_threads(program, value);
	case PREPARE:
		return set(&program->prepare, value);
	case METRIC:
		return set(&program->metric, value);
	case BETTER:
		program->less_is_better = strcmp(value, "less") == 0;
		return program->less_is_better || strcmp(value, "more") == 0 ? 0 : -EINVAL;
	case EXPECT:
		return set(&program->expect, value);
	default:
		status = strtol(value, &end, 10);
		program->expect_status = (int)status;
		return end == value || *end || status < 0 || status > 255 ? -EINVAL : 0;
	}
}

/* A new program starts as a copy of the defaults. */
static int add_program(struct suite *suite, const char *name)
{
	struct program *grown = realloc(suite->programs, (suite->nr + 1) * sizeof(*grown));
	struct program *program;
	int r;

	if (!grown)
		return -ENOMEM;
	suite->programs = grown;
	program = &grown[suite->nr++];
	memset(program, 0, sizeof(*program));
	program->less_is_better = suite->defaults.less_is_better;
	program->expect_status = suite->defaults.expect_status;
	r = set(&program->name, name);
	for (char **at = suite->defaults.environment; r == 0 && at && *at; at++)
		r = add_environment(program, *at);
	r = r ? r : copy(&program->directory, suite->defaults.directory);
	r = r ? r : copy(&program->prepare, suite->defaults.prepare);
	r = r ? r : copy(&program->metric, suite->defaults.metric);
	return r ? r : copy(&program->expect, suite->defaults.expect);
}

/* The program of a section; NULL: no memory, or the name was used further up. */
static struct program *section_program(struct suite *suite, const char *section)
{
	if (strcmp(section, DEFAULTS) == 0)
		return &suite->defaults;
	if (suite->nr > 0 && strcmp(suite->programs[suite->nr - 1].name, section) == 0)
		return &suite->programs[suite->nr - 1];
	for (size_t i = 0; i < suite->nr; i++) {
		if (strcmp(suite->programs[i].name, section) == 0) {
			say("compare: %s: section [%s] is there twice", suite->path, section);
			return NULL;
		}
	}
	suite->error = add_program(suite, section);
	return suite->error == 0 ? &suite->programs[suite->nr - 1] : NULL;
}

/* inih's handler: 1 go on, 0 this line is wrong. */
static int take(void *user, const char *section, const char *name, const char *value)
{
	struct suite *suite = user;
	struct program *program;
	char shown[CLI_SHOWN_MAX];
	const char *near;
	int r;

	if (suite->error)
		return 0;
	suite->error = -EINVAL;
	if (section[0] == '\0') {
		say("compare: %s: '%s' stands before the first [section]", suite->path,
		    escape_text(shown, sizeof(shown), name));
		return 0;
	}
	suite->error = 0;
	program = section_program(suite, section);
	if (!program) {
		suite->error = suite->error ? suite->error : -EINVAL;
		return 0;
	}
	for (enum key key = COMMAND; key < NR_KEYS; key++) {
		if (strcmp(keys[key], name) != 0)
			continue;
		r = key == COMMAND && program == &suite->defaults ? -EINVAL
								  : set_key(program, key, value);
		if (r == -EINVAL)
			say("compare: %s: [%s]: '%s' cannot be '%s'", suite->path, section, name,
			    escape_text(shown, sizeof(shown), value));
		suite->error = r;
		return r == 0;
	}
	near = nearest(name, keys, NR_KEYS);
	say("compare: %s: [%s]: unknown key '%s'%s%s%s", suite->path, section,
	    escape_text(shown, sizeof(shown), name), near ? "; did you mean '" : "",
	    near ? near : "", near ? "'?" : "");
	suite->error = -EINVAL;
	return 0;
}

/* inih's reader: fgets(3), but a line that inih would cut is refused instead. */
static char *read_line(char *line, int size, void *stream)
{
	char *got = fgets(line, size, stream);

	if (got && !strchr(got, '\n') && !feof((FILE *)stream))
		strcpy(line, "[\n"); /* no INI: inih then names the line */
	return got;
}

static int check(struct suite *suite)
{
	char where[CLI_SHOWN_MAX];

	if (suite->nr == 0) {
		say("compare: %s: no program in it: each is a [section] with a command",
		    suite->path);
		return -EINVAL;
	}
	for (size_t i = 0; i < suite->nr; i++) {
		if (!suite->programs[i].argv) {
			say("compare: %s: [%s] has no command", suite->path,
			    suite->programs[i].name);
			return -EINVAL;
		}
	}
	for (size_t i = 0; i < suite->nr; i++) {
		snprintf(where, sizeof(where), "[%.100s]", suite->programs[i].name);
		if (program_ready(&suite->programs[i], where) < 0)
			return -EINVAL;
	}
	return 0;
}

static int parse(struct suite *suite)
{
	FILE *file = fopen(suite->path, "re");
	char shown[CLI_SHOWN_MAX];
	int line, r;

	if (!file) {
		r = -errno;
		say("compare: cannot open suite file '%s': %s",
		    escape_text(shown, sizeof(shown), suite->path), strerror(errno));
		return r;
	}
	line = ini_parse_stream(read_line, file, take, suite);
	fclose(file);
	if (line == 0)
		return check(suite);
	if (!suite->error)
		say("compare: %s: line %d: not a [section], not 'key = value', or longer than %d "
		    "bytes",
		    suite->path, line, INI_MAX_LINE - 2);
	else
		say("compare: %s: line %d: see above", suite->path, line);
	return suite->error ? suite->error : -EINVAL;
}

int suite_read(const char *path, struct program **ret_programs, size_t *ret_nr)
{
	struct suite suite = {.path = path};
	int r = parse(&suite);

	if (r == 0) {
		*ret_programs = suite.programs;
		*ret_nr = suite.nr;
	} else {
		for (size_t i = 0; i < suite.nr; i++)
			program_free(&suite.programs[i]);
		free(suite.programs);
	}
	program_free(&suite.defaults);
	return r;
}
