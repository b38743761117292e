// SPDX-License-Identifier: MIT
#include "program.h"

#include "../../common/say.h"

#include <errno.h>
#include <stdlib.h>

static int compile(regex_t *regex, bool *compiled, const char *text, const char *where,
		   const char *what)
{
	char why[256];
	int r = text ? regcomp(regex, text, REG_EXTENDED | REG_NEWLINE) : 0;

	if (r == 0) {
		*compiled = text != NULL;
		return 0;
	}
	regerror(r, regex, why, sizeof(why));
	say("compare: %s: '%s' is no regular expression for %s: %s", where, text, what, why);
	return -EINVAL;
}

int program_ready(struct program *program, const char *where)
{
	int r = compile(&program->metric_regex, &program->metric_compiled, program->metric, where,
			"the metric");

	return r ? r
		 : compile(&program->expect_regex, &program->expect_compiled, program->expect,
			   where, "the output");
}

static void list_free(char **list)
{
	for (char **at = list; at && *at; at++)
		free(*at);
	free(list);
}

void program_free(struct program *program)
{
	if (program->metric_compiled)
		regfree(&program->metric_regex);
	if (program->expect_compiled)
		regfree(&program->expect_regex);
	free(program->name);
	free(program->title);
	free(program->published);
	list_free(program->argv);
	free(program->directory);
	list_free(program->environment);
	free(program->prepare);
	free(program->metric);
	free(program->expect);
}
