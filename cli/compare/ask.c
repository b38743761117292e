// SPDX-License-Identifier: MIT
#include "ask.h"

#include "../../common/escape.h"
#include "../../common/say.h"
#include "../cli.h"
#include "../options.h"
#include "../output.h"
#include "program.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RUNS 20

const char compare_usage[] =
	"usage: thpctl compare [options] [--] COMMAND [ARG...]\n"
	"       thpctl compare [options] --suite FILE\n"
	"       thpctl compare [options] --resume FILE\n"
	"Run a command in several THP modes, interleaved in random order, and tell by how\n"
	"much they differ, with a 95 % confidence interval.\n"
	"\n"
	"  -m, --modes MODE,MODE...    default never,always. The ratio is of performance\n"
	"                              in each mode to performance in the last\n"
	"      --invert                the ratio the other way round\n"
	"      --noise-floor           the last mode twice, as two arms: noise\n"
	"\n"
	"  -n, --runs N                so many runs of each mode; default 20\n"
	"  -t, --time T                for about T in all: 90, 90s, 15m, 8h\n"
	"      --until-ci P            until the interval is within P % of the ratio\n"
	"  -w, --warmup N              first N runs of each that do not count; default 1\n"
	"      --matters P             smallest difference of interest in %; default 1\n"
	"      --seed N                for the order of runs; default random, told\n"
	"\n"
	"      --metric REGEX          a number of the output (first group), more is good\n"
	"      --less-is-better        less of the metric is good\n"
	"      --wall                  wall time even where the suite names a metric\n"
	"      --expect-output REGEX   must match, with the same text in each run\n"
	"      --expect-status N       the exit status that is no failure; default 0\n"
	"  -p, --prepare COMMAND       shell command before each run, not measured\n"
	"  -s, --suite FILE            many programs, one section each\n"
	"\n"
	"  -e, --export FORMAT[:FILE]  json, csv, md, svg, png or html; default file\n"
	"                              compare.FORMAT, '-' standard output; may be repeated\n"
	"  -j, --json                  the same as --export json:-\n"
	"  -c, --checkpoint FILE       keep each finished run there\n"
	"  -r, --resume FILE           go on with the comparison that FILE keeps\n"
	"  -b, --best-effort           also with modes that cannot be had, told as such\n"
	"  -q, --quiet                 no progress\n"
	"  -h, --help                  show this text\n"
	"\n"
	"Exit status: 0; 1 a run failed or differed; 2 wrong usage; 3 a mode cannot be\n"
	"had. Interrupted: what was measured is told first, then it ends by the signal.\n";

void ask_defaults(struct settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	settings->warmup = 1;
	settings->matters = 0.01;
}

static int wrong(const char *option, const char *value, const char *what)
{
	char shown[CLI_SHOWN_MAX];

	say("compare: %s '%s' is not %s", option, escape_text(shown, sizeof(shown), value), what);
	return CLI_USAGE;
}

static int take_number(const char *option, const char *text, double least, double most,
		       double *ret_value)
{
	char *end, what[64];
	double value = strtod(text, &end);

	snprintf(what, sizeof(what), "a number from %g to %g", least, most);
	if (end == text || *end || !(value >= least && value <= most))
		return wrong(option, text, what);
	*ret_value = value;
	return -1;
}

static int take_count(const char *option, const char *text, double least, double most,
		      size_t *ret_value)
{
	double value;
	int r;

	if (text[strspn(text, "0123456789")] != '\0')
		return wrong(option, text, "a whole number");
	r = take_number(option, text, least, most, &value);
	if (r < 0)
		*ret_value = (size_t)value;
	return r;
}

static int take_time(const char *text, double *ret_seconds)
{
	char *end;
	double value = strtod(text, &end);
	static const char units[] = "smhd";
	static const double seconds[] = {1, 60, 3600, 86400};
	const char *unit = *end ? strchr(units, *end) : units;

	if (end == text || !unit || (*end && end[1]) || !(value > 0) || !isfinite(value))
		return wrong("--time", text, "a time: 90, 90s, 15m, 8h, 1d");
	*ret_seconds = value * seconds[unit - units];
	return -1;
}

/* "never", and "never/2" for its second: each arm has a name of its own. */
static void add_arm(struct settings *settings, enum thp_mode mode)
{
	struct arm *arm = &settings->arms[settings->nr_arms++];
	int same = 1;

	memset(arm, 0, sizeof(*arm));
	arm->mode = mode;
	for (struct arm *other = settings->arms; other < arm; other++)
		same += other->mode == mode;
	snprintf(arm->label, sizeof(arm->label), same > 1 ? "%s/%d" : "%s", thp_mode_name(mode),
		 same);
}

static int take_modes(const char *text, struct settings *settings)
{
	settings->nr_arms = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		enum thp_mode mode;
		char name[16], shown[CLI_SHOWN_MAX];

		snprintf(name, sizeof(name), "%.*s", len < sizeof(name) ? (int)len : 0, text);
		if (thp_mode_parse(name, &mode) < 0) {
			say("compare: --modes: '%.*s' is no mode: it is one of never, madvise, "
			    "always, default",
			    (int)strcspn(escape_text(shown, sizeof(shown), text), ","), shown);
			return CLI_USAGE;
		}
		/* One place is kept for the noise floor. */
		if (settings->nr_arms == COMPARE_ARMS_MAX - 1) {
			say("compare: --modes: at most %d modes", COMPARE_ARMS_MAX - 1);
			return CLI_USAGE;
		}
		add_arm(settings, mode);
		if (text[len] == '\0')
			break;
		text += len + 1;
	}
	if (settings->nr_arms < 2) {
		say("compare: --modes: one mode has nothing to be compared with: name two, as in "
		    "never,always");
		return CLI_USAGE;
	}
	return -1;
}

static int take_export(const char *text, struct settings *settings)
{
	static const char *const formats[] = {"json", "csv", "md", "svg", "png", "html"};
	static const char *const files[] = {"compare.json", "compare.csv", "compare.md",
					    "compare.svg",  "compare.png", "compare.html"};
	size_t len = strcspn(text, ":");

	if (settings->nr_exports == COMPARE_EXPORTS_MAX) {
		say("compare: --export: at most %d times", COMPARE_EXPORTS_MAX);
		return CLI_USAGE;
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strlen(formats[i]) != len || strncmp(text, formats[i], len) != 0)
			continue;
		if (text[len] == ':' && text[len + 1] == '\0')
			return wrong("--export", text, "FORMAT:FILE with a file");
		settings->exports[settings->nr_exports++] = (struct export){
			.format = (enum export_format)i,
			.path = text[len] ? text + len + 1 : files[i],
		};
		return -1;
	}
	return wrong("--export", text,
		     "one of json, csv, md, svg, png, html, each with :FILE or not");
}

static int replace(char **place, const char *value)
{
	free(*place);
	*place = strdup(value);
	return *place ? -1 : CLI_FAILURE;
}

static int take_command(char **argv, struct program *program)
{
	size_t nr = 0;

	while (argv[nr])
		nr++;
	program->argv = calloc(nr + 1, sizeof(*program->argv));
	if (!program->argv)
		return CLI_FAILURE;
	for (size_t i = 0; i < nr; i++)
		program->argv[i] = strdup(argv[i]);
	return replace(&program->name, argv[0]);
}

enum {
	INVERT = 256,
	NOISE_FLOOR,
	UNTIL_CI,
	MATTERS,
	SEED,
	METRIC,
	LESS,
	WALL,
	EXPECT_OUTPUT,
	EXPECT_STATUS,
};

/* Options that tell how the program is to be run and judged. */
static int take_program(int opt, struct program *program)
{
	size_t status = 0;
	int r = -1;

	switch (opt) {
	case METRIC:
		return replace(&program->metric, optarg);
	case LESS:
		program->less_is_better = true;
		return -1;
	case EXPECT_OUTPUT:
		return replace(&program->expect, optarg);
	case EXPECT_STATUS:
		r = take_count("--expect-status", optarg, 0, 255, &status);
		program->expect_status = (int)status;
		return r;
	default:
		return replace(&program->prepare, optarg);
	}
}

/* Options that tell when it is enough. */
static int take_extent(int opt, struct settings *settings)
{
	double percent = 0;
	int r;

	switch (opt) {
	case 'n':
		return take_count("--runs", optarg, 1, 1e6, &settings->runs);
	case 't':
		return take_time(optarg, &settings->seconds);
	case 'w':
		return take_count("--warmup", optarg, 0, 1000, &settings->warmup);
	case UNTIL_CI:
		r = take_number("--until-ci", optarg, 0.01, 100, &percent);
		settings->until_ci = percent / 100;
		return r;
	default:
		r = take_number("--matters", optarg, 0.01, 100, &percent);
		settings->matters = percent / 100;
		return r;
	}
}

static int take_option(int opt, char **argv, struct settings *settings)
{
	size_t seed = 0;
	int r;

	switch (opt) {
	case 'm':
		return take_modes(optarg, settings);
	case INVERT:
		settings->invert = true;
		return -1;
	case NOISE_FLOOR:
		settings->noise_floor = true;
		return -1;
	case 'n':
	case 't':
	case 'w':
	case UNTIL_CI:
	case MATTERS:
		return take_extent(opt, settings);
	case SEED:
		r = take_count("--seed", optarg, 0, 9e15, &seed);
		settings->seed = seed;
		settings->seeded = true;
		return r;
	case METRIC:
	case LESS:
	case EXPECT_OUTPUT:
	case EXPECT_STATUS:
	case 'p':
		return take_program(opt, &settings->alone);
	case WALL:
		settings->wall = true;
		return -1;
	case 's':
		settings->suite = optarg;
		return -1;
	case 'e':
		return take_export(optarg, settings);
	case 'j':
		return take_export("json:-", settings);
	case 'c':
		settings->checkpoint = optarg;
		return -1;
	case 'r':
		settings->resume = optarg;
		return -1;
	case 'b':
		settings->best_effort = true;
		return -1;
	case 'q':
		settings->quiet = true;
		return -1;
	case 'h':
		return output_usage("compare", compare_usage);
	default:
		return option_error("compare", opt, argv);
	}
}

int ask_parse(int argc, char **argv, struct settings *settings)
{
	static const struct option options[] = {
		{"modes", required_argument, NULL, 'm'},
		{"invert", no_argument, NULL, INVERT},
		{"noise-floor", no_argument, NULL, NOISE_FLOOR},
		{"runs", required_argument, NULL, 'n'},
		{"time", required_argument, NULL, 't'},
		{"until-ci", required_argument, NULL, UNTIL_CI},
		{"warmup", required_argument, NULL, 'w'},
		{"matters", required_argument, NULL, MATTERS},
		{"seed", required_argument, NULL, SEED},
		{"metric", required_argument, NULL, METRIC},
		{"less-is-better", no_argument, NULL, LESS},
		{"wall", no_argument, NULL, WALL},
		{"expect-output", required_argument, NULL, EXPECT_OUTPUT},
		{"expect-status", required_argument, NULL, EXPECT_STATUS},
		{"prepare", required_argument, NULL, 'p'},
		{"suite", required_argument, NULL, 's'},
		{"export", required_argument, NULL, 'e'},
		{"json", no_argument, NULL, 'j'},
		{"checkpoint", required_argument, NULL, 'c'},
		{"resume", required_argument, NULL, 'r'},
		{"best-effort", no_argument, NULL, 'b'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int opt, r;

	opterr = 0;
	optind = 0; /* again from the start: a resumed comparison has two command lines */
	/* The first operand is the command: what is behind it is the command's. */
	while ((opt = getopt_long(argc, argv, "+:m:n:t:w:p:s:e:jc:r:bqh", options, NULL)) != -1) {
		r = take_option(opt, argv, settings);
		if (r >= 0)
			return r;
	}
	if (!argv[optind])
		return -1;
	if (settings->alone.argv) {
		say("compare: a resumed comparison has its command: give none");
		return CLI_USAGE;
	}
	return take_command(argv + optind, &settings->alone);
}

int ask_check(struct settings *settings)
{
	if (settings->suite && settings->alone.argv) {
		say("compare: a suite names its commands: give --suite or a command, not both");
		return CLI_USAGE;
	}
	if (!settings->suite && !settings->alone.argv) {
		say("compare: no command given: thpctl compare [options] [--] COMMAND [ARG...]");
		return CLI_USAGE;
	}
	if (settings->suite && (settings->alone.metric || settings->alone.expect ||
				settings->alone.prepare || settings->alone.expect_status)) {
		say("compare: a suite tells metric, expect, status and prepare for each program: "
		    "[defaults] there is for all");
		return CLI_USAGE;
	}
	if (settings->wall && settings->alone.metric) {
		say("compare: --wall and --metric exclude each other: give one of them");
		return CLI_USAGE;
	}
	if (settings->nr_arms == 0) {
		add_arm(settings, THP_MODE_NEVER);
		add_arm(settings, THP_MODE_ALWAYS);
	}
	settings->base = settings->nr_arms - 1;
	if (settings->noise_floor)
		add_arm(settings, settings->arms[settings->base].mode);
	if (settings->runs == 0 && settings->seconds == 0 && settings->until_ci == 0)
		settings->runs = DEFAULT_RUNS;
	return program_ready(&settings->alone, "command line") < 0 ? CLI_USAGE : -1;
}

void ask_free(struct settings *settings)
{
	program_free(&settings->alone);
}
