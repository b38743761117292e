// SPDX-License-Identifier: MIT
/* thpctl rules: thpd's rules: what is wrong with them, which one a process is under, who runs. */
#include "cli.h"
#include "options.h"
#include "output.h"
#include "rules.h"

#include "../common/escape.h"
#include "../common/nearest.h"
#include "../common/say.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: thpctl rules test [--rules DIR] [--json] [--sysroot DIR] PID...\n"
	"       thpctl rules test [...] --exec PATH [--command NAME] [--cpuset GROUP]\n"
	"                         [--cgroup GROUP]... [--user USER] [--group GROUP] [--parent "
	"RULE]\n"
	"       thpctl rules check [--rules DIR]\n"
	"       thpctl rules status [--processes] [--json] [--socket PATH]\n"
	"Tell which of thpd's rules a process is under, and why that one.\n"
	"\n"
	"  test    processes that run, or one that is only thought of\n"
	"  check   what is wrong with the rules, each line of it\n"
	"  status  what the running thpd has done\n"
	"\n"
	"  -e, --exec PATH      a program or script that would be executed\n"
	"      --command NAME   its name, if that is not the last part of its path\n"
	"      --cpuset GROUP   its cpuset, a path as in /proc/PID/cpuset\n"
	"  -g, --cgroup GROUP   its control group in version 2; CONTROLLER:GROUP in version 1\n"
	"  -u, --user USER      who would execute it, with the groups that USER has\n"
	"      --group GROUP    its only group\n"
	"      --parent RULE    the rule that its parent is under; '' none\n"
	"  -r, --rules DIR      where the rules are (/etc/thpctl/rules.d), or one file\n"
	"  -s, --socket PATH    where thpd answers (/run/thpd/socket)\n"
	"  -p, --processes      each process that is under a rule; of others than yours only root\n"
	"      --sysroot DIR    read /proc below DIR, a captured tree\n"
	"  -j, --json           as JSON, see man thpctl-rules\n"
	"  -h, --help           show this text\n"
	"\n"
	"Exit status: 0, 1 it cannot be told or the rules are wrong, 2 wrong usage.\n";

enum { COMMAND = 256, CPUSET, GROUP, PARENT, SYSROOT };

static const struct option options[] = {
	{"exec", required_argument, NULL, 'e'},
	{"command", required_argument, NULL, COMMAND},
	{"cpuset", required_argument, NULL, CPUSET},
	{"cgroup", required_argument, NULL, 'g'},
	{"user", required_argument, NULL, 'u'},
	{"group", required_argument, NULL, GROUP},
	{"parent", required_argument, NULL, PARENT},
	{"rules", required_argument, NULL, 'r'},
	{"socket", required_argument, NULL, 's'},
	{"processes", no_argument, NULL, 'p'},
	{"sysroot", required_argument, NULL, SYSROOT},
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* ---- the command line --------------------------------------------------------------------------
 */

static int take_action(const char *name, struct rules_request *request)
{
	static const char *const names[] = {"test", "check", "status"};
	char shown[CLI_SHOWN_MAX];
	const char *near;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0) {
			request->action = i;
			return 0;
		}
	}
	near = nearest(name, names, 3);
	say("rules: '%s' is not test, check or status%s%s%s",
	    escape_text(shown, sizeof(shown), name), near ? ": did you mean '" : "",
	    near ? near : "", near ? "'?" : "");
	return CLI_USAGE;
}

static bool imagines(const struct rules_request *request)
{
	return request->exec || request->command || request->cpuset || request->nr_cgroups ||
	       request->user || request->group || request->parent;
}

static int check(const struct rules_request *request)
{
	if (request->action != RULES_TEST && (imagines(request) || request->nr_pids)) {
		say("rules: PID, --exec and what goes with it are for 'thpctl rules test'");
		return CLI_USAGE;
	}
	if (request->action != RULES_TEST)
		return 0;
	if (request->nr_pids && imagines(request)) {
		say("rules: a PID and --exec or what goes with it exclude each other");
		return CLI_USAGE;
	}
	if (!request->nr_pids && !imagines(request)) {
		say("rules: no process given: PID..., or --exec PATH for one that is only thought "
		    "of");
		return CLI_USAGE;
	}
	return 0;
}

static int take_operands(int nr, char **operands, struct rules_request *request)
{
	int status;

	if (nr == 0) {
		say("rules: no action given: test, check or status");
		return CLI_USAGE;
	}
	status = take_action(operands[0], request);
	request->pids = operands + 1;
	request->nr_pids = nr - 1;
	return status ? status : check(request);
}

/* "GROUP" or "CONTROLLER:GROUP". */
static int take_cgroup(struct rules_request *request, const char *text)
{
	const char *colon = strchr(text, ':'), *group = text;

	if (text[0] != '/' && colon && colon > text)
		group = colon + 1;
	if (option_group("rules", group, &group) != 0)
		return CLI_USAGE;
	request->cgroups[request->nr_cgroups++] = text;
	return 0;
}

/* 0, or an exit status. */
static int take_option(struct rules_request *request, int opt, char **argv)
{
	switch (opt) {
	case 'e':
		request->exec = optarg;
		break;
	case COMMAND:
		request->command = optarg;
		break;
	case CPUSET:
		return option_group("rules", optarg, &request->cpuset);
	case 'g':
		return take_cgroup(request, optarg);
	case 'u':
		request->user = optarg;
		break;
	case GROUP:
		request->group = optarg;
		break;
	case PARENT:
		request->parent = optarg;
		break;
	case 'r':
		request->dir = optarg;
		break;
	case 's':
		request->socket_path = optarg;
		break;
	case 'p':
		request->processes = true;
		break;
	case SYSROOT:
		request->sysroot = optarg;
		break;
	case 'j':
		request->json = true;
		break;
	default:
		return option_error("rules", opt, argv);
	}
	return 0;
}

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct rules_request *request)
{
	int opt, status = 0;

	opterr = 0;
	while (status == 0 &&
	       (opt = getopt_long(argc, argv, ":e:g:u:r:s:pjh", options, NULL)) != -1) {
		if (opt == 'h')
			return output_usage("rules", usage);
		status = take_option(request, opt, argv);
	}
	if (status == 0)
		status = take_operands(argc - optind, argv + optind, request);
	return status ? status : -1;
}

/* ---- the rules ---------------------------------------------------------------------------------
 */

struct count {
	unsigned faults;
	unsigned warnings;
};

static void tell(void *arg, const struct rules_remark *remark)
{
	struct count *count = arg;
	char file[CLI_SHOWN_MAX], line[16] = "";

	if (remark->line)
		snprintf(line, sizeof(line), ":%u", remark->line);
	say("rules: %s%s: %s%s", escape_text(file, sizeof(file), remark->file), line,
	    remark->is_warning ? "warning: " : "", remark->text);
	if (remark->is_warning)
		count->warnings++;
	else
		count->faults++;
}

int rules_read(const struct rules_request *request, struct rules **ret_rules)
{
	struct count count = {0};
	int r = rules_load(request->dir, tell, &count, ret_rules);

	if (r < 0 && count.faults == 0)
		say("rules: %s", strerror(-r));
	return r;
}

static int check_rules(const struct rules_request *request)
{
	struct count count = {0};
	struct rules *rules;
	int r = rules_load(request->dir, tell, &count, &rules);

	if (r < 0) {
		say("rules: %u of the lines above must be mended before thpd uses them",
		    count.faults);
		return CLI_FAILURE;
	}
	printf("%zu rule%s, %u warning%s\n", rules->nr, rules->nr == 1 ? "" : "s", count.warnings,
	       count.warnings == 1 ? "" : "s");
	rules_free(rules);
	return output_end("rules", CLI_OK);
}

int main(int argc, char **argv)
{
	struct rules_request request = {
		.dir = "/etc/thpctl/rules.d",
		.socket_path = "/run/thpd/socket",
	};
	int status;

	request.cgroups = calloc((size_t)argc, sizeof(*request.cgroups));
	if (!request.cgroups)
		return CLI_FAILURE;
	status = parse(argc, argv, &request);
	if (status < 0 && request.action == RULES_CHECK)
		status = check_rules(&request);
	else if (status < 0 && request.action == RULES_STATUS)
		status = rules_status(&request);
	else if (status < 0)
		status = rules_test(&request);
	free(request.cgroups);
	return status;
}
