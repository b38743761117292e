// SPDX-License-Identifier: MIT
/* thpd: gives processes the THP modes that rules say. */
#include "rules.h"
#include "thpd.h"

#include "../common/number.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: thpd [OPTION...]\n"
	"Give processes the transparent huge page mode that rules say, from their start.\n\n"
	"  -r, --rules DIR        where the rules are (/etc/thpctl/rules.d)\n"
	"  -c, --check            only say what is wrong with them\n"
	"  -s, --socket PATH      where to tell of itself (/run/thpd/socket); '' nowhere\n"
	"  -t, --state FILE       what [system] default has to put back (/run/thpd/state)\n"
	"  -R, --restore          only put that back, after thpd was killed\n"
	"  -m, --metrics FILE     write OpenMetrics text there, every 10 s\n"
	"  -w, --walk SECONDS     look at all processes so often (60); 0 only when needed\n"
	"  -b, --buffer SIZE      room for process events in the kernel (4M)\n"
	"  -n, --hands N          processes that change others at a time (2)\n"
	"  -S, --syslog           log to syslog, not to standard error\n"
	"  -v, --verbose          say more\n"
	"      --no-gate          catch programs only after they have started\n"
	"      --no-events        do not use the kernel's process events\n"
	"  -h, --help             show this text\n"
	"  -V, --version          show the version\n";

enum { OPT_NO_GATE = 256, OPT_NO_EVENTS };

static const struct option long_options[] = {
	{"rules", required_argument, NULL, 'r'},
	{"check", no_argument, NULL, 'c'},
	{"socket", required_argument, NULL, 's'},
	{"state", required_argument, NULL, 't'},
	{"restore", no_argument, NULL, 'R'},
	{"metrics", required_argument, NULL, 'm'},
	{"walk", required_argument, NULL, 'w'},
	{"buffer", required_argument, NULL, 'b'},
	{"hands", required_argument, NULL, 'n'},
	{"syslog", no_argument, NULL, 'S'},
	{"verbose", no_argument, NULL, 'v'},
	{"no-gate", no_argument, NULL, OPT_NO_GATE},
	{"no-events", no_argument, NULL, OPT_NO_EVENTS},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

#define EXIT_USAGE 2

static int number(const char *text, unsigned most, unsigned *ret)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value > most)
		return -1;
	*ret = (unsigned)value;
	return 0;
}

static int check(const char *dir)
{
	struct rules *rules;

	if (rules_load(dir, thpd_remark, NULL, &rules) < 0)
		return EXIT_FAILURE;
	printf("%zu rules\n", rules->nr);
	rules_free(rules);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct thpd_options options = {
		.rules_dir = "/etc/thpctl/rules.d",
		.socket_path = "/run/thpd/socket",
		.state_path = "/run/thpd/state",
		.event_buffer = 4 << 20,
		.walk_seconds = 60,
		.nr_hands = 2,
	};
	bool only_check = false, only_restore = false, to_syslog = false;
	int opt, least = LOG_INFO;
	uint64_t bytes;

	while ((opt = getopt_long(argc, argv, "r:cs:t:Rm:w:b:n:SvhV", long_options, NULL)) >= 0) {
		int bad = 0;

		switch (opt) {
		case 'r':
			options.rules_dir = optarg;
			break;
		case 'c':
			only_check = true;
			break;
		case 's':
			options.socket_path = optarg;
			break;
		case 't':
			options.state_path = optarg;
			break;
		case 'R':
			only_restore = true;
			break;
		case 'm':
			options.metrics_path = optarg;
			break;
		case 'w':
			bad = number(optarg, 86400, &options.walk_seconds);
			break;
		case 'b':
			bad = number_size(optarg, &bytes);
			options.event_buffer = (size_t)bytes;
			break;
		case 'n':
			bad = number(optarg, HANDS_MAX, &options.nr_hands);
			bad = bad || options.nr_hands == 0;
			break;
		case 'S':
			to_syslog = true;
			break;
		case 'v':
			least = LOG_DEBUG;
			break;
		case OPT_NO_GATE:
			options.no_gate = true;
			break;
		case OPT_NO_EVENTS:
			options.no_events = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
		case 'V':
			puts("thpd " THP_VERSION);
			return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
		default:
			return EXIT_USAGE;
		}
		if (bad) {
			fprintf(stderr, "thpd: bad value '%s'\n", optarg);
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "thpd: takes no arguments: '%s'\n", argv[optind]);
		return EXIT_USAGE;
	}
	log_open(to_syslog, least);
	if (only_check)
		return check(options.rules_dir);
	return only_restore ? invert_restore(options.state_path) : thpd_run(&options);
}
