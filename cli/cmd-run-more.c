// SPDX-License-Identifier: MIT
/* The part of thpctl run that is more than a flag of the process. */
#include "always/ways.h"
#include "cli.h"
#include "front.h"
#include "output.h"
#include "run.h"

#include "../common/say.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/*
 * Files opened from here on shall not take the numbers of standard descriptors that the caller
 * closed; the command finds them closed.
 */
static void fill_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* A command that is not there needs no way: exec_command() says so. */
static int enter_always(struct thp_ctx *ctx, const struct run_request *request, unsigned asked,
			struct ways *ways)
{
	int r = ways_try(ctx, request, asked, ways);

	if (r == 0 && (ways->system || ways->in_force || ways->absent))
		return 0;
	if (request->best_effort) {
		run_settle(ctx, request, ways->why);
		return 0;
	}
	run_refuse(request, ways->why);
	return r == 0 || r == -EOPNOTSUPP ? CLI_UNSUPPORTED : CLI_RUN_FAILED;
}

static int run(const struct run_request *request, unsigned asked)
{
	struct thp_ctx *ctx;
	struct ways ways;
	int r = thp_open(&ctx, NULL);

	if (r < 0) {
		say("run: %s", strerror(-r));
		return CLI_RUN_FAILED;
	}
	r = enter_always(ctx, request, asked, &ways);
	thp_close(ctx);
	if (r == 0)
		r = exec_command(ways.argv);
	ways_end(&ways, request);
	return r;
}

int main(int argc, char **argv)
{
	struct run_request request;
	unsigned asked;
	int r = run_parse(argv + (argc > 0), &request);

	if (r > 0)
		return output_usage("run", run_usage);
	if (r < 0 || ways_parse(request.how, &asked) < 0)
		return CLI_USAGE;
	fill_descriptors();
	return run(&request, asked);
}
