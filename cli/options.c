// SPDX-License-Identifier: MIT
#include "options.h"

#include "cli.h"

#include "../common/escape.h"
#include "../common/say.h"

#include <getopt.h>
#include <string.h>

int option_error(const char *verb, int opt, char **argv)
{
	char shown[CLI_SHOWN_MAX];
	char letter[3] = {'-', (char)optopt, '\0'};
	const char *word = argv[optind - 1];

	/* getopt tells a wrong short option by its letter, a long one by its place. */
	if (opt == '?' && optopt > 0 && optopt < 128 && strncmp(word, "--", 2) != 0)
		word = letter;
	escape_text(shown, sizeof(shown), word);
	if (opt == ':')
		say("%s: option '%s' needs a value: 'thpctl help %s' tells which", verb, shown,
		    verb);
	else
		say("%s: unknown option '%s': 'thpctl help %s' lists them", verb, shown, verb);
	return CLI_USAGE;
}

int option_group(const char *verb, const char *text, const char **ret_group)
{
	char shown[CLI_SHOWN_MAX];

	if (text[0] == '/') {
		*ret_group = text;
		return 0;
	}
	say("%s: '%s' is no group: a path that begins with /, as in /proc/PID/cgroup; / alone is "
	    "every process",
	    verb, escape_text(shown, sizeof(shown), text));
	return CLI_USAGE;
}
