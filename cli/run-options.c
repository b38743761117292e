// SPDX-License-Identifier: MIT
/* The command line of thpctl run. */
#include "cli.h"
#include "run.h"

#include "../common/escape.h"
#include "../common/nearest.h"
#include "../common/say.h"

#include <string.h>

const char run_usage[] =
	"usage: thpctl run MODE [--best-effort] [--verbose] [--how WAYS] [--] COMMAND [ARG...]\n"
	"Start COMMAND with a THP mode for it and all its children. The mode is read back first; "
	"if\n"
	"it did not take effect, COMMAND is not started. COMMAND takes thpctl's place: same PID,\n"
	"nothing stays behind but the helper that always may need.\n"
	"\n"
	"MODE: never | madvise | always | default\n"
	"  -b, --best-effort  start COMMAND even if the mode did not take effect, and say so\n"
	"  -v, --verbose      say on standard error what the mode rests on\n"
	"      --how WAYS     ways to always, by comma: settings,collapse\n"
	"  -h, --help         show this text\n"
	"\n"
	"Exit status: COMMAND's own; 125 thpctl failed, 126 COMMAND cannot be executed, 127 not\n"
	"found, 2 wrong usage, 3 the kernel has no way to this mode.\n";

static int unknown(const char *word)
{
	char shown[CLI_SHOWN_MAX];

	say("run: unknown option '%s': 'thpctl help run' lists them; a command with such a name "
	    "goes behind '--'",
	    escape_text(shown, sizeof(shown), word));
	return -1;
}

/*
 * The value of an option, behind "=" or in the next word. NULL: word is another option, or the
 * value is missing, and then *ret_missing.
 */
static const char *value_of(const char *option, char ***arg, bool *ret_missing)
{
	size_t len = strlen(option);
	const char *word = **arg;

	*ret_missing = false;
	if (strncmp(word, option, len) != 0 || (word[len] != '=' && word[len] != '\0'))
		return NULL;
	if (word[len] == '=')
		return word + len + 1;
	if ((*arg)[1])
		return *++*arg;
	*ret_missing = true;
	say("run: option '%s' needs a value: 'thpctl help run' tells which", option);
	return NULL;
}

/* "-bv": letters of options together. 1 help was asked for, 0, or -1 where one is unknown. */
static int take_letters(const char *letters, struct run_request *request)
{
	bool help = false;

	for (; *letters; letters++) {
		if (*letters == 'b')
			request->best_effort = true;
		else if (*letters == 'v')
			request->verbose = true;
		else if (*letters == 'h')
			help = true;
		else
			return -1;
	}
	return help;
}

/* One option. 0 go on, 1 help was asked for, -1 wrong. */
static int take_option(char ***arg, struct run_request *request)
{
	const char *word = **arg, *value;
	bool missing;
	int r = word[1] == '-' ? -1 : take_letters(word + 1, request);

	if (r >= 0)
		return r;
	if (strcmp(word, "--help") == 0)
		return 1;
	if (strcmp(word, "--best-effort") == 0) {
		request->best_effort = true;
		return 0;
	}
	if (strcmp(word, "--verbose") == 0) {
		request->verbose = true;
		return 0;
	}
	value = value_of("--how", arg, &missing);
	if (value) {
		request->how = value;
		return 0;
	}
	return missing ? -1 : unknown(word);
}

/* Takes the options at *argv, up to the first operand. 0 go on, 1 help was asked for, -1 wrong. */
static int take_options(char ***argv, struct run_request *request, bool *ret_end)
{
	char **arg = *argv;

	*ret_end = false;
	for (; *arg && (*arg)[0] == '-' && (*arg)[1] != '\0'; arg++) {
		int r;

		if (strcmp(*arg, "--") == 0) {
			*ret_end = true;
			arg++;
			break;
		}
		r = take_option(&arg, request);
		if (r != 0)
			return r;
	}
	*argv = arg;
	return 0;
}

static int take_mode(const char *name, enum thp_mode *ret_mode)
{
	static const char *const words[] = {"never", "madvise", "always", "default"};
	char shown[CLI_SHOWN_MAX];
	const char *near;

	if (!name) {
		say("run: no mode given: it is one of never, madvise, always, default");
		return -1;
	}
	if (thp_mode_parse(name, ret_mode) == 0)
		return 0;
	near = nearest(name, words, sizeof(words) / sizeof(words[0]));
	say("run: unknown mode '%s': it is one of never, madvise, always, default%s%s%s",
	    escape_text(shown, sizeof(shown), name), near ? "; did you mean '" : "",
	    near ? near : "", near ? "'?" : "");
	return -1;
}

/* Options may stand before and behind the mode; behind "--" everything is the command's. */
int run_parse(char **argv, struct run_request *ret_request)
{
	struct run_request request = {.mode = THP_MODE_UNKNOWN};
	bool end;
	int r = take_options(&argv, &request, &end);

	if (r != 0)
		return r;
	if (take_mode(end ? NULL : *argv, &request.mode) < 0)
		return -1;
	argv++;
	r = take_options(&argv, &request, &end);
	if (r != 0)
		return r;
	if (!*argv) {
		say("run %s: no command given: thpctl run MODE [--] COMMAND [ARG...]",
		    thp_mode_name(request.mode));
		return -1;
	}
	if (request.how && request.mode != THP_MODE_ALWAYS) {
		say("run %s: --how is for always, which has several ways; %s has one",
		    thp_mode_name(request.mode), thp_mode_name(request.mode));
		return -1;
	}
	request.command = argv;
	*ret_request = request;
	return 0;
}
