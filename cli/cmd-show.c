// SPDX-License-Identifier: MIT
/* thpctl show: the system's settings, or the mode and memory of processes. */
#include "cli.h"
#include "options.h"
#include "output.h"
#include "show-why.h"
#include "show.h"

#include "../common/escape.h"
#include "../common/number.h"
#include "../common/say.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: thpctl show [--json] [--no-size] [--exact] [--sysroot DIR]\n"
	"                   [PID... | --all | --tree PID]\n"
	"       thpctl show --why [--json] PID [ADDRESS]\n"
	"       thpctl show --openmetrics [--no-size] [PID... | --all | --tree PID]\n"
	"Show the system's settings and what memory gets by them; or of processes their mode, its\n"
	"effect, resident and huge memory, and who they inherited the mode from.\n"
	"\n"
	"  -a, --all          all processes that have memory\n"
	"  -t, --tree PID     a process with its ancestors and descendants\n"
	"  -w, --why          why memory of PID, or its mapping at ADDRESS, is not huge, with "
	"what\n"
	"                     would help; reads smaps, which holds a large process up for a "
	"moment\n"
	"  -j, --json         as JSON, see man thpctl-show\n"
	"      --openmetrics  for monitoring, in OpenMetrics' text form\n"
	"  -n, --no-size      do not read huge memory: no walk of page tables, a fast answer\n"
	"  -x, --exact        ask inside a process for a mode that cannot be seen from outside: "
	"stops\n"
	"                     it for less than a millisecond, as thpctl set does\n"
	"      --sysroot DIR  read /proc and /sys below DIR, a captured tree\n"
	"  -h, --help         show this text\n"
	"\n"
	"Exit status: 0, 1 a process is gone or hidden, 2 wrong usage.\n";

static int take_pid(const char *text, pid_t *ret_pid)
{
	char shown[CLI_SHOWN_MAX];

	if (number_pid(text, ret_pid) == 0)
		return 0;
	say("show: '%s' is not a process id: a whole number from 1",
	    escape_text(shown, sizeof(shown), text));
	return -1;
}

/* --why takes one process, and at most one address in it. */
static int take_why(char **operands, struct show_request *request)
{
	char shown[CLI_SHOWN_MAX];

	if (request->all || request->tree || request->metrics || request->nr_pids < 1 ||
	    request->nr_pids > 2) {
		say("show: --why takes one PID, and at most one ADDRESS in it");
		return CLI_USAGE;
	}
	if (request->nr_pids == 1)
		return 0;
	request->nr_pids = 1;
	if (number_range(operands[1], &request->start, &request->end) == 0)
		return 0;
	say("show: '%s' is not an address: hexadecimal, as in /proc/PID/maps",
	    escape_text(shown, sizeof(shown), operands[1]));
	return CLI_USAGE;
}

/* Returns -1 to go on, else an exit status. The caller frees request->pids. */
static int take_operands(int nr, char **operands, struct show_request *request)
{
	request->nr_pids = (size_t)nr;
	if (request->why && take_why(operands, request) != 0)
		return CLI_USAGE;
	if (request->json && request->metrics) {
		say("show: --json and --openmetrics exclude each other: give one of them");
		return CLI_USAGE;
	}
	if (request->all + (request->tree != 0) + (request->nr_pids > 0) > 1) {
		say("show: PIDs, --all and --tree exclude each other: give one of them");
		return CLI_USAGE;
	}
	if (request->exact && request->sysroot) {
		say("show: --exact asks living processes: it cannot go with --sysroot");
		return CLI_USAGE;
	}
	request->pids = calloc(request->nr_pids + 1, sizeof(*request->pids));
	if (!request->pids) {
		say("show: %s", strerror(ENOMEM));
		return CLI_FAILURE;
	}
	for (size_t i = 0; i < request->nr_pids; i++) {
		if (take_pid(operands[i], &request->pids[i]) < 0)
			return CLI_USAGE;
	}
	return -1;
}

/* Returns -1 to go on, else an exit status. The caller frees request->pids. */
static int parse(int argc, char **argv, struct show_request *request)
{
	enum { SYSROOT = 256, METRICS };
	static const struct option options[] = {
		{"all", no_argument, NULL, 'a'},
		{"tree", required_argument, NULL, 't'},
		{"json", no_argument, NULL, 'j'},
		{"no-size", no_argument, NULL, 'n'},
		{"why", no_argument, NULL, 'w'},
		{"exact", no_argument, NULL, 'x'},
		{"openmetrics", no_argument, NULL, METRICS},
		{"sysroot", required_argument, NULL, SYSROOT},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":at:jnwxh", options, NULL)) != -1) {
		switch (opt) {
		case 'a':
			request->all = true;
			break;
		case 't':
			if (take_pid(optarg, &request->tree) < 0)
				return CLI_USAGE;
			break;
		case 'j':
			request->json = true;
			break;
		case 'n':
			request->no_size = true;
			break;
		case 'w':
			request->why = true;
			break;
		case 'x':
			request->exact = true;
			break;
		case METRICS:
			request->metrics = true;
			break;
		case SYSROOT:
			request->sysroot = optarg;
			break;
		case 'h':
			return output_usage("show", usage);
		default:
			return option_error("show", opt, argv);
		}
	}
	return take_operands(argc - optind, argv + optind, request);
}

static void print_text(const struct show *show, const struct show_request *request,
		       const struct family *family, const struct show_rows *rows)
{
	if (request->nr_pids == 0) {
		show_text_table(show, family, rows);
		return;
	}
	for (size_t i = 0; i < rows->nr; i++)
		show_text_process(show, family, rows->rows[i].process);
}

/* rows is NULL where the system alone was asked for. Returns 0 or -errno, having said why. */
static int print(const struct show *show, const struct show_request *request,
		 const struct family *family, const struct show_rows *rows)
{
	int r = 0;

	if (request->metrics)
		r = show_metrics(show, rows);
	else if (request->json)
		r = show_json(show, family, rows);
	else if (rows)
		print_text(show, request, family, rows);
	else
		show_text_system(show);
	if (r < 0)
		say("show: %s", r == -ENOMEM ? strerror(ENOMEM) : thp_reason(show->ctx));
	return r;
}

static int answer_why(const struct show *show, const struct show_request *request)
{
	struct show_why_request why = {
		.pid = request->pids[0],
		.start = request->start,
		.end = request->end,
		.json = request->json,
	};

	return output_end("show", show_why(show->ctx, &why));
}

static int answer(const struct show *show, const struct show_request *request)
{
	struct show_rows rows = {0};
	struct family family = {0};
	int status = CLI_OK;

	if (request->why && request->pids)
		return answer_why(show, request);
	if (!request->all && !request->tree && request->nr_pids == 0) {
		if (print(show, request, NULL, NULL) < 0)
			status = CLI_FAILURE;
	} else {
		status = show_collect(show, request, &family, &rows);
		if (status < 0)
			say("show: %s",
			    status == -ENOMEM ? strerror(ENOMEM) : thp_reason(show->ctx));
		else if (print(show, request, &family, &rows) < 0)
			status = CLI_FAILURE;
	}
	free(rows.rows);
	family_free(&family);
	return output_end("show", status < 0 ? CLI_FAILURE : status);
}

int main(int argc, char **argv)
{
	struct show_request request = {0};
	struct show show = {.system = {.size = sizeof(show.system)}};
	char shown[CLI_SHOWN_MAX];
	int status = parse(argc, argv, &request);
	int r;

	if (status < 0) {
		show.no_size = request.no_size;
		show.exact = request.exact;
		r = thp_open(&show.ctx, request.sysroot);
		if (r < 0) {
			say("show: cannot open '%s': %s",
			    escape_text(shown, sizeof(shown),
					request.sysroot ? request.sysroot : "/"),
			    strerror(-r));
			status = CLI_FAILURE;
		} else if (thp_system_read(show.ctx, &show.system) < 0) {
			say("show: %s", thp_reason(show.ctx));
			status = CLI_FAILURE;
		} else {
			status = answer(&show, &request);
		}
		thp_close(show.ctx);
	}
	free(request.pids);
	return status;
}
