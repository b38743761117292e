// SPDX-License-Identifier: MIT
/* thpctl predict: what huge pages would do to a program's time on a described machine. */
#include "cli.h"
#include "options.h"
#include "output.h"

#include "predict/predict.h"

#include "../common/say.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef DATADIR
#error "DATADIR is where make install puts the descriptions of machines"
#endif

static const char usage[] =
	"usage: thpctl predict --machine FILE [--json] COUNTS\n"
	"       thpctl predict --machine FILE [--json] --off SAMPLES --on SAMPLES\n"
	"How much faster programs may be without huge pages than with them on a described\n"
	"machine: a model, told as a range, with its formula and what it takes for known.\n"
	"\n"
	"  COUNTS              what the project's lab counted: lab/numa --json\n"
	"\n"
	"  -m, --machine FILE  a description, or the name of one that comes with thpctl:\n"
	"                      uv2-like, two-socket\n"
	"      --off FILE      a run without huge pages, with 'perf mem record', as\n"
	"                      'perf script -F period,data_src' prints it\n"
	"      --on FILE       a run with huge pages\n"
	"  -j, --json          as JSON, see man thpctl-predict\n"
	"  -h, --help          show this text\n"
	"\n"
	"Exit status: 0, 1 a file cannot be used, 2 wrong usage.\n";

struct request {
	const char *host, *off, *on, *counts;
	bool json;
};

static int check(const struct request *request)
{
	if (!request->host) {
		say("predict: which machine? --machine FILE, or uv2-like, two-socket");
		return CLI_USAGE;
	}
	if (request->counts && (request->off || request->on)) {
		say("predict: either COUNTS, or --off and --on");
		return CLI_USAGE;
	}
	if (!request->counts && !(request->off && request->on)) {
		say("predict: from what? a file of counts, or samples with --off and --on");
		return CLI_USAGE;
	}
	return -1;
}

/* An exit status, or -1 to go on. */
static int parse(int argc, char **argv, struct request *request)
{
	enum { OFF = 256, ON };
	static const struct option known[] = {
		{"machine", required_argument, NULL, 'm'}, {"off", required_argument, NULL, OFF},
		{"on", required_argument, NULL, ON},       {"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
	};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":m:jh", known, NULL)) != -1) {
		switch (opt) {
		case 'm':
			request->host = optarg;
			break;
		case OFF:
			request->off = optarg;
			break;
		case ON:
			request->on = optarg;
			break;
		case 'j':
			request->json = true;
			break;
		case 'h':
			return output_usage("predict", usage);
		default:
			return option_error("predict", opt, argv);
		}
	}
	if (optind < argc)
		request->counts = argv[optind++];
	if (optind < argc) {
		say("predict: one file of counts, not more");
		return CLI_USAGE;
	}
	return check(request);
}

/* A name without a slash that is no file is one of the descriptions installed. */
static char *host_path(const char *name)
{
	char *path;

	if (strchr(name, '/') || access(name, F_OK) == 0)
		return strdup(name);
	return asprintf(&path, "%s/thpctl/machines/%s.ini", DATADIR, name) < 0 ? NULL : path;
}

static int collect(const struct request *request, const char *path, struct forecast *forecast)
{
	struct counted *counted = &forecast->counted;
	int r = host_read(path, &forecast->host);

	if (r == 0)
		r = request->counts
			    ? counts_read(request->counts, &forecast->host, counted)
			    : samples_read(request->off, request->on, &forecast->host, counted);
	if (r < 0)
		return r;
	forecast->predictions = calloc(counted->nr_programs, sizeof(*forecast->predictions));
	if (!forecast->predictions)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < counted->nr_programs; i++) {
		r = predict(&forecast->host, counted, &counted->programs[i],
			    &forecast->predictions[i]);
		if (r < 0)
			say("predict: nothing that program %zu did was counted", i + 1);
	}
	return r;
}

int main(int argc, char **argv)
{
	struct request request = {0};
	struct forecast forecast = {0};
	int status = parse(argc, argv, &request), r;
	char *path;

	if (status >= 0 || !request.host)
		return status;
	path = host_path(request.host);
	r = path ? collect(&request, path, &forecast) : -ENOMEM;
	if (r == 0) {
		if (request.json)
			r = forecast_print_json(&forecast);
		else
			forecast_print(&forecast);
	}
	if (r == -ENOMEM)
		say("predict: %s", strerror(ENOMEM));
	host_free(&forecast.host);
	counts_free(&forecast.counted);
	free(forecast.predictions);
	free(path);
	return output_end("predict", r < 0 ? CLI_FAILURE : CLI_OK);
}
