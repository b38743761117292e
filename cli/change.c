// SPDX-License-Identifier: MIT
#include "change.h"

#include "cli.h"
#include "options.h"
#include "output.h"

#include "../common/escape.h"
#include "../common/number.h"
#include "../common/say.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct change_request {
	const struct change_verb *verb;
	struct target_arg target;
	uint64_t start;
	uint64_t end;
	uint64_t max_rate;
	bool json, report, bloat, dry_run, quiet;
};

/* What goes on while blocks are reported. */
struct progress {
	const struct change_request *request;
	struct change_ranges ranges;
	unsigned shown;
};

static struct change_range *add_range(struct change_ranges *ranges)
{
	size_t room = ranges->room ? 2 * ranges->room : 64;
	struct change_range *array = ranges->ranges;

	if (!array || ranges->nr == ranges->room) {
		array = reallocarray(array, room, sizeof(*array));
		if (!array)
			return NULL;
		ranges->ranges = array;
		ranges->room = room;
	}
	return &array[ranges->nr++];
}

int change_ranges_add(struct change_ranges *ranges, const struct thp_block *block)
{
	struct change_range *last = ranges->nr ? &ranges->ranges[ranges->nr - 1] : NULL;

	if (!last || last->start != block->range_start) {
		last = add_range(ranges);
		if (!last)
			return -ENOMEM;
		*last = (struct change_range){
			.start = block->range_start,
			.end = block->range_end,
			.backing = block->backing,
		};
	}
	last->results[block->result]++;
	if (block->error)
		last->error = block->error;
	return 0;
}

static int on_block(void *arg, const struct thp_block *block)
{
	struct progress *progress = arg;

	if (!progress->request->quiet)
		change_bar(&progress->shown, progress->request->verb->name, block->done,
			   block->total);
	return change_ranges_add(&progress->ranges, block);
}

static int take_operands(int nr, char **operands, struct change_request *request)
{
	const char *verb = request->verb->name;
	char shown[CLI_SHOWN_MAX];

	if (nr < 1 || nr > 2) {
		say("%s: give one PID, and at most one RANGE: 'thpctl help %s' tells more", verb,
		    verb);
		return CLI_USAGE;
	}
	if (target_arg_parse(verb, operands[0], &request->target) < 0)
		return CLI_USAGE;
	if (nr == 2 && number_range(operands[1], &request->start, &request->end) < 0) {
		say("%s: '%s' is not a range of addresses: START-END as in /proc/PID/maps", verb,
		    escape_text(shown, sizeof(shown), operands[1]));
		return CLI_USAGE;
	}
	return -1;
}

static int take_rate(const char *text, struct change_request *request)
{
	char shown[CLI_SHOWN_MAX];

	if (number_size(text, &request->max_rate) == 0 && request->max_rate > 0)
		return -1;
	say("%s: --max-rate '%s': bytes a second, such as 512M or 2G", request->verb->name,
	    escape_text(shown, sizeof(shown), text));
	return CLI_USAGE;
}

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct change_request *request)
{
	static const struct option options[] = {
		{"report", no_argument, NULL, 'r'},  {"json", no_argument, NULL, 'j'},
		{"dry-run", no_argument, NULL, 'n'}, {"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},    {"max-rate", required_argument, NULL, 'm'},
		{"bloat", no_argument, NULL, 'b'},   {NULL, 0, NULL, 0},
	};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":rjnqhm:b", options, NULL)) != -1) {
		/* Each of the two verbs has one option that the other has not. */
		if (opt == (request->verb->collapse ? 'b' : 'm'))
			return option_error(request->verb->name, '?', argv);
		switch (opt) {
		case 'r':
			request->report = true;
			break;
		case 'j':
			request->json = true;
			break;
		case 'n':
			request->dry_run = true;
			break;
		case 'q':
			request->quiet = true;
			break;
		case 'b':
			request->bloat = true;
			break;
		case 'm':
			if (take_rate(optarg, request) >= 0)
				return CLI_USAGE;
			break;
		case 'h':
			return output_usage(request->verb->name, request->verb->usage);
		default:
			return option_error(request->verb->name, opt, argv);
		}
	}
	return take_operands(argc - optind, argv + optind, request);
}

static int failure(struct thp_ctx *ctx, const struct change_request *request, int r)
{
	char why[ESCAPED_MAX(512)];

	say("PID %d: cannot %s: %s", request->target.pid, request->verb->name,
	    r == -ENOMEM ? strerror(ENOMEM) : escape_text(why, sizeof(why), thp_reason(ctx)));
	return r == -EOPNOTSUPP ? CLI_UNSUPPORTED : CLI_FAILURE;
}

/* Blocks that the work passed over for good reason are none to fail for. */
static int status_of(const struct thp_change *change)
{
	static const enum thp_block_result bad[] = {
		THP_BLOCK_NO_MEMORY, THP_BLOCK_LIMIT,  THP_BLOCK_BUSY,
		THP_BLOCK_FAILED,    THP_BLOCK_SHARED, THP_BLOCK_MLOCKED,
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (change->results[bad[i]])
			return CLI_FAILURE;
	}
	return CLI_OK;
}

static int print(const struct change_request *request, const struct change_answer *answer)
{
	if (!request->json) {
		change_text(answer, request->report);
		return 0;
	}
	return change_print_json(answer);
}

static int run(struct thp_ctx *ctx, const struct change_request *request, struct thp_target *target)
{
	struct progress progress = {.request = request};
	const struct thp_change_request change_request = {
		.size = sizeof(change_request),
		.flags = (request->dry_run ? THP_CHANGE_DRY_RUN : 0) |
			 (request->bloat ? THP_CHANGE_BLOAT : 0),
		.start = request->start,
		.end = request->end,
		.max_rate = request->max_rate,
		.on_block = on_block,
		.arg = &progress,
	};
	struct thp_process process = {.size = sizeof(process)};
	struct thp_change change = {.size = sizeof(change)};
	const struct change_answer answer = {
		.verb = request->verb,
		.process = &process,
		.id = thp_target_id(target, NULL),
		.dry_run = request->dry_run,
		.ranges = &progress.ranges,
		.change = &change,
	};
	int r = thp_process_read(ctx, thp_target_pid(target), 0, &process);

	if (r == 0)
		r = request->verb->change(ctx, target, &change_request, &change);
	change_bar_end(progress.shown);
	if (r == 0)
		r = print(request, &answer);
	free(progress.ranges.ranges);
	if (r < 0)
		return failure(ctx, request, r);
	return output_end(request->verb->name, request->dry_run ? CLI_OK : status_of(&change));
}

int change_main(const struct change_verb *verb, int argc, char **argv)
{
	struct change_request request = {.verb = verb};
	int status = parse(argc, argv, &request), r;
	struct thp_target *target;
	struct thp_ctx *ctx;

	if (status >= 0)
		return status;
	r = thp_open(&ctx, NULL);
	if (r < 0) {
		say("%s: %s", verb->name, strerror(-r));
		return CLI_FAILURE;
	}
	r = thp_target_open(ctx, request.target.pid, request.target.id, &target);
	if (r < 0) {
		status = failure(ctx, &request, r);
	} else {
		status = run(ctx, &request, target);
		thp_target_close(target);
	}
	thp_close(ctx);
	return status;
}
