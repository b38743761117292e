// SPDX-License-Identifier: MIT
/* thpctl top: huge memory of all processes, live. */
#include "cli.h"
#include "options.h"
#include "output.h"
#include "top.h"

#include "../common/clock.h"
#include "../common/escape.h"
#include "../common/say.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
	"usage: thpctl top [--batch [--iterations N]] [--delay SECONDS] [--sort COLUMN]\n"
	"                  [--filter TEXT] [--tree] [--budget PERCENT]\n"
	"A live screen of the processes that use huge pages, and of what the system does with "
	"them.\n"
	"The key ? lists the keys.\n"
	"\n"
	"  -b, --batch            print once, for scripts\n"
	"  -n, --iterations N     print N times\n"
	"  -d, --delay SECONDS    between two looks (2)\n"
	"  -s, --sort COLUMN      huge, resident, share, pid or name\n"
	"  -f, --filter TEXT      processes with TEXT in their name, or that PID\n"
	"  -t, --tree             parents with their children\n"
	"  -p, --budget PERCENT   of one processor for looking at page tables (5)\n"
	"  -h, --help             show this text\n"
	"\n"
	"Exit status: 0, 1 failure, 2 wrong usage.\n";

struct request {
	bool batch;
	unsigned long iterations;
	double delay, percent;
};

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

/* A number in a range, or a word about it. */
static int take_number(const char *option, const char *text, double least, double most,
		       double *ret_value)
{
	char shown[CLI_SHOWN_MAX];
	char *tail;
	double value;

	errno = 0;
	value = strtod(text, &tail);
	if (tail != text && *tail == '\0' && errno == 0 && isfinite(value) && value >= least &&
	    value <= most) {
		*ret_value = value;
		return 0;
	}
	say("top: %s '%s': a number from %g to %g", option, escape_text(shown, sizeof(shown), text),
	    least, most);
	return -1;
}

static int take_sort(const char *name, struct top_view *view)
{
	char shown[CLI_SHOWN_MAX];

	if (top_sort_parse(name, &view->sort) == 0)
		return 0;
	say("top: --sort '%s': huge, resident, share, pid or name",
	    escape_text(shown, sizeof(shown), name));
	return -1;
}

static int take_filter(const char *text, struct top_view *view)
{
	if (strlen(text) < sizeof(view->filter)) {
		strcpy(view->filter, text);
		return 0;
	}
	say("top: --filter: at most %zu bytes", sizeof(view->filter) - 1);
	return -1;
}

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct request *request, struct top_view *view)
{
	static const struct option options[] = {
		{"batch", no_argument, NULL, 'b'},
		{"iterations", required_argument, NULL, 'n'},
		{"delay", required_argument, NULL, 'd'},
		{"sort", required_argument, NULL, 's'},
		{"filter", required_argument, NULL, 'f'},
		{"tree", no_argument, NULL, 't'},
		{"budget", required_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	double iterations = 1;
	int opt, r = 0;

	opterr = 0;
	while (r == 0 && (opt = getopt_long(argc, argv, ":bn:d:s:f:tp:h", options, NULL)) != -1) {
		switch (opt) {
		case 'b':
			request->batch = true;
			break;
		case 'n':
			r = take_number("--iterations", optarg, 1, 1e9, &iterations);
			break;
		case 'd':
			r = take_number("--delay", optarg, 0.1, 3600, &request->delay);
			break;
		case 's':
			r = take_sort(optarg, view);
			break;
		case 'f':
			r = take_filter(optarg, view);
			break;
		case 't':
			view->tree = true;
			break;
		case 'p':
			r = take_number("--budget", optarg, 0.1, 100, &request->percent);
			break;
		case 'h':
			return output_usage("top", usage);
		default:
			return option_error("top", opt, argv);
		}
	}
	if (r < 0)
		return CLI_USAGE;
	request->iterations = (unsigned long)iterations;
	if (optind < argc) {
		char shown[CLI_SHOWN_MAX];

		say("top: unexpected '%s': thpctl top --filter shows some processes only",
		    escape_text(shown, sizeof(shown), argv[optind]));
		return CLI_USAGE;
	}
	return -1;
}

static int failure(const struct top_model *model, int r)
{
	say("top: %s", r == -ENOMEM ? strerror(ENOMEM) : thp_reason(model->ctx));
	return CLI_FAILURE;
}

static void pause_for(double seconds)
{
	struct timespec time = {.tv_sec = (time_t)seconds};

	time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
	nanosleep(&time, NULL);
}

static int run_batch(struct top_model *model, struct top_view *view, const struct request *request)
{
	char text[TOP_TEXT_MAX];

	for (unsigned long i = 0; i < request->iterations && !ended; i++) {
		int r;

		if (i > 0) {
			putchar('\n');
			fflush(stdout);
			pause_for(request->delay);
		}
		r = top_model_refresh_all(model);
		if (r == 0)
			r = top_view_arrange(view, model);
		if (r < 0)
			return failure(model, r);
		for (unsigned line = 0; line < TOP_HEADINGS; line++)
			puts(top_text_heading(text, model, line));
		puts(top_text_columns(text, view));
		for (size_t line = 0; line < view->nr; line++)
			puts(top_text_line(text, model, &view->lines[line]));
	}
	return output_end("top", CLI_OK);
}

static int live(struct top_model *model, struct top_view *view, const struct request *request)
{
	enum top_action action = TOP_REFRESH;
	double next = 0;

	while (!ended && action != TOP_QUIT) {
		double left;
		int key, r = 0;

		if (clock_now() >= next)
			action = TOP_REFRESH;
		if (action == TOP_REFRESH) {
			r = top_model_refresh(model);
			next = clock_now() + request->delay;
		}
		if (r == 0 && action != TOP_STAY)
			r = top_view_arrange(view, model);
		if (r < 0)
			return r;
		if (action != TOP_STAY)
			top_screen_draw(view, model);
		left = next - clock_now();
		key = top_screen_key(left > 0 ? (int)(left * 1000) + 1 : 0);
		action = key == -1 ? TOP_STAY : top_input(view, model, key);
	}
	return 0;
}

static int run_screen(struct top_model *model, struct top_view *view, const struct request *request)
{
	int r;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
		say("top: no terminal here: --batch prints once");
		return CLI_FAILURE;
	}
	r = top_screen_open();
	if (r < 0) {
		say("top: the terminal '%s' cannot show it: --batch prints once",
		    getenv("TERM") ? getenv("TERM") : "");
		return CLI_FAILURE;
	}
	r = live(model, view, request);
	top_screen_close();
	return r < 0 ? failure(model, r) : CLI_OK;
}

int main(int argc, char **argv)
{
	struct request request = {.delay = 2, .percent = 5};
	struct sigaction action = {.sa_handler = end};
	struct top_view view = {0};
	struct top_model model;
	struct thp_ctx *ctx;
	int status = parse(argc, argv, &request, &view);

	if (status >= 0)
		return status;
	if (thp_open(&ctx, NULL) < 0) {
		say("top: %s", strerror(ENOMEM));
		return CLI_FAILURE;
	}
	/* The screen is put back on the way out. */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	top_model_init(&model, ctx, request.percent);
	status = request.batch ? run_batch(&model, &view, &request)
			       : run_screen(&model, &view, &request);
	top_view_free(&view);
	top_model_free(&model);
	thp_close(ctx);
	return status;
}
