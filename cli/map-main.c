// SPDX-License-Identifier: MIT
/* thpctl map: its command line, and the walk that fills its answer. */
#include "cli.h"
#include "front.h"
#include "map.h"
#include "options.h"
#include "output.h"

#include "../common/escape.h"
#include "../common/number.h"
#include "../common/say.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_CELLS 72

static const char usage_text[] =
	"usage: thpctl map [--json] [--svg FILE] [--sizes] [--nodes] [--advice] PID [RANGE]\n"
	"       thpctl map [--json] --tree PID | --cgroup GROUP\n"
	"Show which memory of a process is in huge pages and which is not, mapping by mapping, "
	"with\n"
	"a picture: a character for each block that a huge page could map, or more.\n"
	"\n"
	"  RANGE               addresses as in /proc/PID/maps: START-END, or one, for its mapping\n"
	"  -s, --sizes         also smaller huge pages, and huge pages in small pieces; for root\n"
	"  -n, --nodes         where pages are, even if to find out takes long\n"
	"  -a, --advice        advice and causes, even if to read them holds up the process\n"
	"      --svg FILE      write the picture to FILE too\n"
	"  -j, --json          as JSON, see man thpctl-map\n"
	"  -t, --tree PID      totals of a process and its descendants\n"
	"  -g, --cgroup GROUP  totals of a control group, a path as in /proc/PID/cgroup\n"
	"      --color WHEN    always, never, or auto (if the output is a terminal)\n"
	"      --sysroot DIR   read /proc and /sys below DIR, a captured tree\n"
	"  -h, --help          show this text\n"
	"\n"
	"Exit status: 0, 1 the process is gone or hidden, 2 wrong usage.\n";

static int take_pid(const char *text, pid_t *ret_pid)
{
	char shown[CLI_SHOWN_MAX];

	if (number_pid(text, ret_pid) == 0)
		return 0;
	say("map: '%s' is not a process id: a whole number from 1",
	    escape_text(shown, sizeof(shown), text));
	return -1;
}

static int take_range(const char *text, struct map_request *request)
{
	char shown[CLI_SHOWN_MAX];

	if (number_range(text, &request->start, &request->end) == 0) {
		/* One address is the mapping that holds it. */
		if (request->end - request->start == 1)
			request->use |= THP_USE_WHOLE;
		return 0;
	}
	say("map: '%s' is not a range of addresses: START-END as in /proc/PID/maps",
	    escape_text(shown, sizeof(shown), text));
	return -1;
}

static int take_colour(const char *when, struct map_request *request)
{
	char shown[CLI_SHOWN_MAX];

	if (strcmp(when, "always") == 0)
		request->colour = true;
	else if (strcmp(when, "never") == 0)
		request->colour = false;
	else if (strcmp(when, "auto") != 0) {
		say("map: --color '%s': always, never or auto",
		    escape_text(shown, sizeof(shown), when));
		return -1;
	}
	return 0;
}

static int take_operands(int nr, char **operands, struct map_request *request)
{
	bool group = request->tree || request->cgroup;

	if (request->tree && request->cgroup) {
		say("map: --tree and --cgroup exclude each other: give one of them");
		return CLI_USAGE;
	}
	if (group && (nr > 0 || request->svg || request->use)) {
		say("map: --tree and --cgroup give totals only, without PID, RANGE, --svg, "
		    "--sizes, --nodes and --advice");
		return CLI_USAGE;
	}
	if (group)
		return -1;
	if (nr < 1 || nr > 2) {
		say("map: give one PID, and at most one RANGE: 'thpctl help map' tells more");
		return CLI_USAGE;
	}
	if (take_pid(operands[0], &request->pid) < 0 ||
	    (nr == 2 && take_range(operands[1], request) < 0))
		return CLI_USAGE;
	return -1;
}

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct map_request *request)
{
	enum { SVG = 256, COLOUR, SYSROOT };
	static const struct option options[] = {
		{"sizes", no_argument, NULL, 's'},
		{"nodes", no_argument, NULL, 'n'},
		{"advice", no_argument, NULL, 'a'},
		{"svg", required_argument, NULL, SVG},
		{"json", no_argument, NULL, 'j'},
		{"tree", required_argument, NULL, 't'},
		{"cgroup", required_argument, NULL, 'g'},
		{"color", required_argument, NULL, COLOUR},
		{"sysroot", required_argument, NULL, SYSROOT},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int opt;

	opterr = 0;
	request->colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	while ((opt = getopt_long(argc, argv, ":snajt:g:h", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			request->use |= THP_USE_SIZES;
			break;
		case 'n':
			request->use |= THP_USE_NODES;
			break;
		case 'a':
			request->use |= THP_USE_WHY;
			break;
		case SVG:
			request->svg = optarg;
			break;
		case 'j':
			request->json = true;
			break;
		case 't':
			if (take_pid(optarg, &request->tree) < 0)
				return CLI_USAGE;
			break;
		case 'g':
			if (option_group("map", optarg, &request->cgroup) != 0)
				return CLI_USAGE;
			break;
		case COLOUR:
			if (take_colour(optarg, request) < 0)
				return CLI_USAGE;
			break;
		case SYSROOT:
			request->sysroot = optarg;
			break;
		case 'h':
			return output_usage("map", usage_text);
		default:
			return option_error("map", opt, argv);
		}
	}
	return take_operands(argc - optind, argv + optind, request);
}

struct walk {
	struct map *map;
	const struct map_form *form;
	struct map_svg *svg; /* NULL: not asked for */
};

static void take_range_of(void *arg, const struct thp_mapping *mapping, uint64_t start,
			  uint64_t end, enum thp_range_kind kind)
{
	struct walk *walk = arg;
	struct map *map = walk->map;

	if (!map->request->json) {
		if (map->picture.mapping != mapping->start)
			picture_begin(&map->picture, mapping, map->info.block, TEXT_CELLS);
		picture_add(&map->picture, start, end, kind);
	}
	if (walk->svg)
		map_svg_range(walk->svg, map, mapping, start, end, kind);
}

static int print_mappings(struct walk *walk, struct thp_usage *usage)
{
	struct thp_mapping mapping = {.size = sizeof(mapping)};
	struct map *map = walk->map;
	int r = walk->form->begin(map);

	while (r == 0 && (r = thp_usage_next(usage, &mapping)) > 0) {
		r = walk->form->mapping(map, &mapping);
		if (walk->svg)
			map_svg_mapping(walk->svg, map, &mapping);
		thp_counts_add(&map->total, &mapping.counts);
		thp_why_add(&map->why, &mapping.why);
		map->nr_mappings++;
	}
	return r < 0 ? r : walk->form->end(map);
}

static int failure(const struct map *map, int r)
{
	if (r == -ENOMEM)
		say("map: %s", strerror(ENOMEM));
	else if (r == -ESRCH)
		say("PID %d: no such process, or hidden from you (hidepid)", map->request->pid);
	else
		say("PID %d: cannot be mapped: %s", map->request->pid, thp_reason(map->ctx));
	return CLI_FAILURE;
}

/* The file is finished even after a failed walk, whose status then stands. */
static int end_svg(const struct walk *walk, int status)
{
	const char *path = walk->map->request->svg;
	char shown[CLI_SHOWN_MAX];
	int r = map_svg_end(walk->svg, walk->map, path);

	if (r == 0)
		return status;
	say("map: cannot write %s: %s", escape_text(shown, sizeof(shown), path), strerror(-r));
	return CLI_FAILURE;
}

static int map_process(struct thp_ctx *ctx, const struct map_request *request,
		       const struct map_form *form)
{
	struct map map = {
		.ctx = ctx,
		.request = request,
		.info = {.size = sizeof(map.info)},
		.picture = {.mapping = UINT64_MAX},
	};
	struct map_svg svg = {0};
	struct walk walk = {.map = &map, .form = form, .svg = request->svg ? &svg : NULL};
	struct thp_usage_request wanted = {
		.size = sizeof(wanted),
		.flags = request->use | THP_USE_CHEAP,
		.start = request->start,
		.end = request->end,
		.on_range = take_range_of,
		.arg = &walk,
	};
	struct thp_usage *usage;
	int status = CLI_OK;
	int r = thp_usage_open(ctx, request->pid, &wanted, &usage);

	if (r == 0)
		r = thp_usage_describe(usage, &map.info);
	if (r < 0)
		return failure(&map, r);
	if (walk.svg && (r = map_svg_begin(&svg)) < 0) {
		say("map: --svg: cannot make a temporary file: %s", strerror(-r));
		thp_usage_close(usage);
		return CLI_FAILURE;
	}
	r = print_mappings(&walk, usage);
	thp_usage_close(usage);
	if (r < 0) {
		status = failure(&map, r);
	} else if (map.nr_mappings == 0 && request->end) {
		say("PID %d: nothing is mapped from %" PRIx64 " to %" PRIx64, request->pid,
		    request->start, request->end);
		status = CLI_FAILURE;
	}
	if (walk.svg)
		status = end_svg(&walk, status);
	return output_end("map", status);
}

int map_main(int argc, char **argv, const struct map_form *form)
{
	struct map_request request = {0};
	char shown[CLI_SHOWN_MAX];
	int status = parse(argc, argv, &request);
	struct thp_ctx *ctx;
	int r;

	if (status >= 0)
		return status;
	if (request.json && !form->json)
		return exec_verb("map-json", argv);
	r = thp_open(&ctx, request.sysroot);
	if (r < 0) {
		say("map: cannot open '%s': %s",
		    escape_text(shown, sizeof(shown), request.sysroot ? request.sysroot : "/"),
		    strerror(-r));
		return CLI_FAILURE;
	}
	if (request.tree || request.cgroup)
		status = map_group(ctx, &request, form);
	else
		status = map_process(ctx, &request, form);
	thp_close(ctx);
	return status;
}
