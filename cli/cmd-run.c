// SPDX-License-Identifier: MIT
/* thpctl run MODE COMMAND: sets the mode, reads it back, and becomes the command. */
#include "cli.h"
#include "front.h"
#include "output.h"
#include "run.h"

#include "../common/say.h"

#include "thp.h"

#include <string.h>

/* What is more than a flag is done by a program of its own: others shall not pay for it. */
static bool needs_more(const struct run_request *request)
{
	return request->mode == THP_MODE_ALWAYS;
}

/* Returns only if that program cannot be had: then as if it had been tried in vain. */
static int hand_on(struct thp_ctx *ctx, const struct run_request *request, char **argv)
{
	exec_verb(RUN_MORE, argv);
	if (request->best_effort) {
		run_settle(ctx, request, "its helper cannot be executed");
		return exec_command(request->command);
	}
	return CLI_RUN_FAILED;
}

int cmd_run(int argc, char **argv)
{
	struct run_request request;
	struct thp_ctx *ctx;
	int r = run_parse(argv + (argc > 0), &request);

	if (r > 0)
		return output_usage("run", run_usage);
	if (r < 0)
		return CLI_USAGE;
	r = thp_open(&ctx, NULL);
	if (r < 0) {
		say("run: %s", strerror(-r));
		return CLI_RUN_FAILED;
	}
	if (needs_more(&request)) {
		r = hand_on(ctx, &request, argv);
		thp_close(ctx);
		return r;
	}
	r = run_enter_mode(ctx, &request);
	thp_close(ctx);
	return r ? r : exec_command(request.command);
}
