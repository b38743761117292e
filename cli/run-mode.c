// SPDX-License-Identifier: MIT
/* Enters a mode that is a flag of the process or the system's setting, and says what it is worth.
 */
#include "cli.h"
#include "run.h"

#include "../common/escape.h"
#include "../common/say.h"

#include <errno.h>
#include <stdio.h>

/*
 * What is in force, where that is less than the name of the mode promises or the user asked.
 * A mode by flag is a ceiling: under a system that says never, advised memory stays small too.
 */
static void tell_basis(struct thp_ctx *ctx, const struct run_request *request, enum thp_basis basis)
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

/* As near to the mode as the kernel allows: for always that is the clear flag. */
void run_settle(struct thp_ctx *ctx, const struct run_request *request, const char *why)
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

void run_refuse(const struct run_request *request, const char *why)
{
	char shown[CLI_SHOWN_MAX];

	say("cannot start '%s' with %s: %s; --best-effort starts it all the same",
	    escape_text(shown, sizeof(shown), request->command[0]), thp_mode_name(request->mode),
	    why);
}

int run_enter_mode(struct thp_ctx *ctx, const struct run_request *request)
{
	char why[512];
	enum thp_basis basis;
	int r = thp_self_set(ctx, request->mode, &basis);

	if (r == 0) {
		tell_basis(ctx, request, basis);
		return 0;
	}
	snprintf(why, sizeof(why), "%s", thp_reason(ctx));
	if (request->best_effort) {
		run_settle(ctx, request, why);
		return 0;
	}
	run_refuse(request, why);
	return r == -EOPNOTSUPP ? CLI_UNSUPPORTED : CLI_RUN_FAILED;
}
