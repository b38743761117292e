// SPDX-License-Identifier: MIT
/* thpctl set: changes the mode of processes that run. */
#include "cli.h"
#include "options.h"
#include "output.h"
#include "set.h"

#include "../common/escape.h"
#include "../common/say.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Rounds of looking for new processes: each round misses only those forked during it. */
#define ROUNDS_MAX 100

static const char usage[] =
	"usage: thpctl set MODE [--tree] [--split|--collapse] [--dry-run] [--json] PID[:INODE]...\n"
	"       thpctl set MODE [...] --cgroup GROUP | --cpuset GROUP\n"
	"Change the mode of processes that run: all threads, at once, and what they start later.\n"
	"MODE: never, madvise, always or default, see 'thpctl help'.\n"
	"\n"
	"  -t, --tree          also the children that there are, and theirs\n"
	"  -g, --cgroup GROUP  all of a control group, a path as in /proc/PID/cgroup\n"
	"      --cpuset GROUP  all of a cpuset, a path as in /proc/PID/cpuset\n"
	"      --split         also split the huge pages that there are (with never or madvise)\n"
	"      --collapse      also make huge pages of what there is (with always or default)\n"
	"  -n, --dry-run       say what would be done and what would hinder it\n"
	"  -j, --json          as JSON, see man thpctl-set\n"
	"  -h, --help          show this text\n"
	"\n"
	"PID:INODE is a process and never a later one with the same number.\n"
	"Exit status: 0, 1 not all of it could be done, 2 wrong usage, 3 the kernel lacks it.\n";

static int wrong_mode(const char *text)
{
	char shown[CLI_SHOWN_MAX];

	say("set: '%s' is not a mode: never, madvise, always or default",
	    escape_text(shown, sizeof(shown), text));
	return CLI_USAGE;
}

static int check(const struct set_request *request)
{
	bool less = request->mode == THP_MODE_NEVER || request->mode == THP_MODE_MADVISE;

	if (request->split && request->collapse) {
		say("set: --split and --collapse exclude each other: give one of them");
		return CLI_USAGE;
	}
	if ((request->split && !less) || (request->collapse && less)) {
		say("set: %s contradicts the mode %s", request->split ? "--split" : "--collapse",
		    thp_mode_name(request->mode));
		return CLI_USAGE;
	}
	if (request->nr_args == 0 && !request->cgroup && !request->cpuset) {
		say("set: no process given: PID, --cgroup GROUP or --cpuset GROUP");
		return CLI_USAGE;
	}
	return -1;
}

static int take_operands(int nr, char **operands, struct set_request *request)
{
	if (nr == 0) {
		say("set: no mode given: never, madvise, always or default");
		return CLI_USAGE;
	}
	if (thp_mode_parse(operands[0], &request->mode) < 0)
		return wrong_mode(operands[0]);
	request->args = calloc((size_t)nr, sizeof(*request->args));
	if (!request->args)
		return CLI_FAILURE;
	for (int i = 1; i < nr; i++) {
		if (target_arg_parse("set", operands[i], &request->args[request->nr_args++]) < 0)
			return CLI_USAGE;
	}
	return check(request);
}

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct set_request *request)
{
	enum { CPUSET = 256, SPLIT, COLLAPSE };
	static const struct option options[] = {
		{"tree", no_argument, NULL, 't'},
		{"cgroup", required_argument, NULL, 'g'},
		{"cpuset", required_argument, NULL, CPUSET},
		{"split", no_argument, NULL, SPLIT},
		{"collapse", no_argument, NULL, COLLAPSE},
		{"dry-run", no_argument, NULL, 'n'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":tg:njh", options, NULL)) != -1) {
		switch (opt) {
		case 't':
			request->tree = true;
			break;
		case 'g':
			if (option_group("set", optarg, &request->cgroup) != 0)
				return CLI_USAGE;
			break;
		case CPUSET:
			if (option_group("set", optarg, &request->cpuset) != 0)
				return CLI_USAGE;
			break;
		case SPLIT:
			request->split = true;
			break;
		case COLLAPSE:
			request->collapse = true;
			break;
		case 'n':
			request->dry_run = true;
			break;
		case 'j':
			request->json = true;
			break;
		case 'h':
			return output_usage("set", usage);
		default:
			return option_error("set", opt, argv);
		}
	}
	return take_operands(argc - optind, argv + optind, request);
}

/*
 * Rounds until none brings a new process: what a process forks after it was changed inherits the
 * mode, so whatever is found later is either that or was missed.
 */
static int apply_all(struct set *set)
{
	ssize_t added = 1;

	for (unsigned round = 0; added > 0 && round < ROUNDS_MAX; round++) {
		added = set_collect(set);
		if (added < 0)
			return (int)added;
		for (size_t i = 0; i < set->nr; i++) {
			if (!set->items[i].done)
				set_apply(set, &set->items[i]);
		}
		if (set->request->dry_run)
			break;
	}
	set->endless = added > 0 && !set->request->dry_run;
	return 0;
}

/* A member of a group that ended meanwhile is nobody's failure. */
static bool is_failure(const struct set *set, const struct set_item *item, size_t index)
{
	if (item->change_err < 0)
		return true;
	return item->err < 0 && (item->err != -ESRCH || index < set->request->nr_args);
}

static int status_of(const struct set *set)
{
	int status = CLI_OK;

	for (size_t i = 0; i < set->nr; i++) {
		const struct set_item *item = &set->items[i];

		if (is_failure(set, item, i) && item->err != -EOPNOTSUPP)
			return CLI_FAILURE;
		if (item->err == -EOPNOTSUPP ||
		    (item->err == 0 && item->basis == THP_BASIS_NONE && !set->request->collapse))
			status = CLI_UNSUPPORTED;
	}
	return set->endless ? CLI_FAILURE : status;
}

static int answer(struct set *set)
{
	int r = apply_all(set);

	if (r < 0) {
		say("set: %s", r == -ENOMEM ? strerror(ENOMEM) : thp_reason(set->ctx));
		return CLI_FAILURE;
	}
	set_count_children(set);
	if (set->request->json) {
		if (set_json(set) < 0) {
			say("set: %s", strerror(ENOMEM));
			return CLI_FAILURE;
		}
	} else {
		for (size_t i = 0; i < set->nr; i++) {
			if (set->items[i].err != -ESRCH || i < set->request->nr_args)
				set_text(set, &set->items[i]);
		}
	}
	if (set->nr == 0) {
		say("set: no process in that group: a path as in /proc/PID/cgroup or "
		    "/proc/PID/cpuset");
		return output_end("set", CLI_FAILURE);
	}
	if (set->endless)
		say("set: new processes appear as fast as they are changed: not all may be");
	return output_end("set", status_of(set));
}

/* Each process that is meant is held by a descriptor, and a tree may have many. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int main(int argc, char **argv)
{
	struct set_request request = {0};
	int status = parse(argc, argv, &request);
	struct set set = {.request = &request, .system = {.size = sizeof(set.system)}};
	int r;

	if (status < 0) {
		allow_descriptors();
		r = thp_open(&set.ctx, NULL);
		if (r == 0)
			r = thp_system_read(set.ctx, &set.system);
		if (r < 0) {
			say("set: %s", strerror(-r));
			status = CLI_FAILURE;
		} else {
			status = answer(&set);
		}
	}
	for (size_t i = 0; i < set.nr; i++)
		thp_target_close(set.items[i].target);
	free(set.items);
	free(request.args);
	thp_close(set.ctx);
	return status;
}
