// SPDX-License-Identifier: MIT
/* thpctl run MODE COMMAND: sets the mode, reads it back, and becomes the command. */
#include "cli.h"
#include "front.h"
#include "output.h"

#include "../common/escape.h"
#include "../common/nearest.h"
#include "../common/say.h"

#include "thp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct request {
	enum thp_mode mode;
	bool best_effort;
	bool verbose;
	char **command;
};

static const char usage[] =
	"usage: thpctl run MODE [--best-effort] [--verbose] [--] COMMAND [ARG...]\n"
	"Start COMMAND with a THP mode for it and all its children. The mode is read back first; "
	"if\n"
	"it did not take effect, COMMAND is not started. COMMAND takes thpctl's place: same PID,\n"
	"nothing stays behind.\n"
	"\n"
	"MODE: never | madvise | always | default\n"
	"  -b, --best-effort  start COMMAND even if the mode did not take effect, and say so\n"
	"  -v, --verbose      say on standard error what the mode rests on\n"
	"  -h, --help         show this text\n"
	"\n"
	"Exit status: COMMAND's own; 125 thpctl failed, 126 COMMAND cannot be executed, 127 not\n"
	"found, 2 wrong usage, 3 the kernel has no way to this mode.\n";

/* "-bv": letters of options together. 1 help was asked for, 0, or -1 where one is unknown. */
static int take_letters(const char *letters, struct request *request)
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

/* Takes the options at *argv, up to the first operand. 0 go on, 1 help was asked for, -1 wrong. */
static int take_options(char ***argv, struct request *request, bool *ret_end)
{
	char **arg = *argv;

	*ret_end = false;
	for (; *arg && (*arg)[0] == '-' && (*arg)[1] != '\0'; arg++) {
		char shown[CLI_SHOWN_MAX];

		if (strcmp(*arg, "--") == 0) {
			*ret_end = true;
			arg++;
			break;
		}
		if (strcmp(*arg, "--help") == 0) {
			return 1;
		} else if (strcmp(*arg, "--best-effort") == 0) {
			request->best_effort = true;
		} else if (strcmp(*arg, "--verbose") == 0) {
			request->verbose = true;
		} else {
			int r = (*arg)[1] == '-' ? -1 : take_letters(*arg + 1, request);

			if (r == 0)
				continue;
			if (r > 0)
				return 1;
			say("run: unknown option '%s': 'thpctl help run' lists them; a command "
			    "with such a name goes behind '--'",
			    escape_text(shown, sizeof(shown), *arg));
			return -1;
		}
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
static int parse(char **argv, struct request *request)
{
	bool end;
	int r = take_options(&argv, request, &end);

	if (r != 0)
		return r;
	if (take_mode(end ? NULL : *argv, &request->mode) < 0)
		return -1;
	argv++;
	r = take_options(&argv, request, &end);
	if (r != 0)
		return r;
	if (!*argv) {
		say("run %s: no command given: thpctl run MODE [--] COMMAND [ARG...]",
		    thp_mode_name(request->mode));
		return -1;
	}
	request->command = argv;
	return 0;
}

/*
 * What is in force, where that is less than the name of the mode promises or the user asked.
 * A mode by flag is a ceiling: under a system that says never, advised memory stays small too.
 */
static void tell_basis(struct thp_ctx *ctx, const struct request *request, enum thp_basis basis)
{
	const char *mode = thp_mode_name(request->mode);
	struct thp_system system = {.size = sizeof(system)};

	if (basis == THP_BASIS_SYSTEM && (request->mode == THP_MODE_MADVISE || request->verbose)) {
		const char *refusal = request->mode == THP_MODE_MADVISE ? thp_reason(ctx) : "";

		say("%s rests on the system's setting, not on a flag of the process: it ends when "
		    "an administrator changes that%s%s%s",
		    mode, refusal[0] ? " (" : "", refusal, refusal[0] ? ")" : "");
	} else if (basis == THP_BASIS_FLAG && request->verbose) {
		say("%s is in force: the process flag was read back", mode);
	}
	if (request->mode == THP_MODE_MADVISE && thp_system_read(ctx, &system) == 0 &&
	    thp_system_anon(&system, system.pmd_bytes) == THP_SETTING_NEVER)
		say("madvise is set, but the system says never: advised memory stays small too");
}

/* Less than was asked for, with the user's consent: as near to the mode as the kernel allows. */
static void settle(struct thp_ctx *ctx, const struct request *request, const char *why)
{
	enum thp_mode mode = THP_MODE_UNKNOWN;

	if (request->mode == THP_MODE_ALWAYS)
		thp_self_set(ctx, THP_MODE_DEFAULT, NULL);
	if (thp_self_get(ctx, &mode) == 0)
		say("%s is not in force: %s; the command starts with %s",
		    thp_mode_name(request->mode), why, thp_mode_name(mode));
	else
		say("%s may not be in force: %s; the command starts with an unknown mode",
		    thp_mode_name(request->mode), why);
}

static int enter_mode(struct thp_ctx *ctx, const struct request *request)
{
	char shown[CLI_SHOWN_MAX], why[512];
	enum thp_basis basis;
	int r = thp_self_set(ctx, request->mode, &basis);

	if (r == 0) {
		tell_basis(ctx, request, basis);
		return 0;
	}
	snprintf(why, sizeof(why), "%s", thp_reason(ctx));
	if (request->best_effort) {
		settle(ctx, request, why);
		return 0;
	}
	say("cannot start '%s' with %s: %s; --best-effort starts it all the same",
	    escape_text(shown, sizeof(shown), request->command[0]), thp_mode_name(request->mode),
	    why);
	return r == -EOPNOTSUPP ? CLI_UNSUPPORTED : CLI_RUN_FAILED;
}

int cmd_run(int argc, char **argv)
{
	struct request request = {.mode = THP_MODE_UNKNOWN};
	struct thp_ctx *ctx;
	int r = parse(argv + (argc > 0), &request);

	if (r > 0)
		return output_usage("run", usage);
	if (r < 0)
		return CLI_USAGE;
	r = thp_open(&ctx, NULL);
	if (r < 0) {
		say("run: %s", strerror(-r));
		return CLI_RUN_FAILED;
	}
	r = enter_mode(ctx, &request);
	thp_close(ctx);
	return r ? r : exec_command(request.command);
}
