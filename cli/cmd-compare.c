// SPDX-License-Identifier: MIT
/* thpctl compare: THP modes side by side. */
#include "cli.h"
#include "output.h"

#include "compare/ask.h"
#include "compare/campaign.h"
#include "compare/export.h"
#include "compare/program.h"
#include "compare/record.h"

#include "../common/escape.h"
#include "../common/say.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* The comparison as this program holds it. */
struct session {
	struct settings settings;
	struct compare compare;
	struct machine machine;
	struct runner runner;
	struct checkpoint checkpoint;
	json_t *lines; /* of the checkpoint that is resumed; its words are the settings' strings */
	char **words;
	int argc;
	char **argv;
};

static int fail_with(int err)
{
	say("compare: %s", strerror(-err));
	return CLI_FAILURE;
}

/* The words a resumed comparison was started with. */
static int old_words(struct session *session, int *ret_nr)
{
	json_t *argv = json_object_get(json_array_get(session->lines, 0), "argv");
	size_t nr = json_array_size(argv);

	session->words = calloc(nr + 1, sizeof(*session->words));
	if (!session->words)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		/* getopt_long(3) only moves the pointers, jansson keeps the letters. */
		session->words[i] = (char *)json_string_value(json_array_get(argv, i));
		if (!session->words[i])
			return -EBADMSG;
	}
	*ret_nr = (int)nr;
	return 0;
}

/* Modes and order are what the recorded runs were made with: they cannot change. */
static bool same_plan(const struct settings *a, const struct settings *b)
{
	bool same = a->nr_arms == b->nr_arms && a->noise_floor == b->noise_floor &&
		    a->suite == b->suite && !b->seeded == !a->seeded;

	for (size_t i = 0; same && i < a->nr_arms; i++)
		same = a->arms[i].mode == b->arms[i].mode;
	return same && (!a->seeded || a->seed == b->seed);
}

static int parse_resumed(struct session *session)
{
	struct settings *settings = &session->settings, before;
	const char *path = settings->resume;
	json_t *first;
	int nr, r;

	if (checkpoint_read(path, &session->lines) < 0)
		return CLI_FAILURE;
	r = old_words(session, &nr);
	if (r < 0)
		return fail_with(r);
	ask_free(settings);
	ask_defaults(settings);
	r = ask_parse(nr, session->words, settings);
	if (r >= 0)
		return r;
	before = *settings;
	settings->nr_exports = 0; /* asked for anew, or not */
	r = ask_parse(session->argc, session->argv, settings);
	if (r >= 0)
		return r;
	if (!same_plan(&before, settings)) {
		say("compare: a resumed comparison keeps its modes, seed and suite");
		return CLI_USAGE;
	}
	if (settings->nr_exports == 0) {
		memcpy(settings->exports, before.exports, sizeof(before.exports));
		settings->nr_exports = before.nr_exports;
	}
	settings->checkpoint = NULL;
	settings->resume = path;
	first = json_array_get(session->lines, 0);
	settings->seed = (uint64_t)json_integer_value(json_object_get(first, "seed"));
	settings->seeded = true;
	if (chdir(json_string_value(json_object_get(first, "directory"))) < 0)
		return fail_with(-errno);
	return -1;
}

static int parse(struct session *session)
{
	struct settings *settings = &session->settings;
	int r;

	ask_defaults(settings);
	r = ask_parse(session->argc, session->argv, settings);
	if (r < 0 && settings->resume)
		r = parse_resumed(session);
	if (r < 0)
		r = ask_check(settings);
	/* 48 bits, which JSON and everybody's spreadsheet hold exactly. */
	if (r < 0 && !settings->seeded &&
	    getrandom(&settings->seed, sizeof(settings->seed), 0) == sizeof(settings->seed))
		settings->seed >>= 16;
	return r;
}

/* One program of the command line, or those of a suite. */
static int take_programs(struct compare *compare)
{
	struct settings *settings = compare->settings;

	if (settings->suite) {
		if (suite_read(settings->suite, &compare->programs, &compare->nr_programs) < 0)
			return CLI_USAGE;
		for (size_t i = 0; settings->wall && i < compare->nr_programs; i++) {
			free(compare->programs[i].metric);
			compare->programs[i].metric = NULL;
		}
		return -1;
	}
	compare->programs = malloc(sizeof(*compare->programs));
	if (!compare->programs)
		return fail_with(-ENOMEM);
	compare->programs[0] = settings->alone;
	compare->nr_programs = 1;
	memset(&settings->alone, 0, sizeof(settings->alone)); /* it has a new owner */
	return -1;
}

/* Before any run: a mode that cannot be had is told, not found out after an hour. */
static int check_modes(struct session *session)
{
	struct settings *settings = &session->settings;
	int status = -1;

	for (size_t i = 0; i < settings->nr_arms; i++) {
		struct arm *arm = &settings->arms[i];
		char why[COMPARE_REASON_MAX];
		int r = runner_try_mode(&session->runner, arm->mode, why);

		if (r == 0)
			continue;
		if (settings->best_effort) {
			snprintf(arm->missing, sizeof(arm->missing), "%s", why);
			continue;
		}
		say("compare: cannot run with %s: %s; other modes by --modes, as in never,default; "
		    "--best-effort compares all the same",
		    arm->label, why);
		status = r == -EOPNOTSUPP ? CLI_UNSUPPORTED : CLI_FAILURE;
	}
	return status;
}

/* Takes over the runs of a checkpoint. */
static int take_runs(struct session *session)
{
	for (size_t i = 1; i < json_array_size(session->lines); i++) {
		struct run run;
		int r = record_read_run(&session->compare, json_array_get(session->lines, i), &run);

		if (r == 0)
			r = campaign_add(&session->compare, &run);
		if (r < 0) {
			say("compare: line %zu of the checkpoint is no run of this comparison",
			    i + 1);
			return CLI_FAILURE;
		}
	}
	return -1;
}

static int open_checkpoint(struct session *session)
{
	const struct settings *settings = &session->settings;

	if (settings->resume) {
		if (checkpoint_same_machine(session->lines, &session->machine) < 0 &&
		    !settings->best_effort)
			return CLI_FAILURE;
		if (take_runs(session) >= 0 ||
		    checkpoint_continue(&session->checkpoint, settings->resume) < 0)
			return CLI_FAILURE;
	} else if (settings->checkpoint &&
		   checkpoint_create(&session->checkpoint, settings->checkpoint, session->argc,
				     session->argv, settings->seed, &session->machine) < 0) {
		return CLI_FAILURE;
	}
	return -1;
}

static int tell(struct session *session)
{
	struct report report = {.compare = &session->compare, .machine = &session->machine};
	struct result result;
	int status = CLI_OK, r = result_make(&session->compare, &result);

	if (r < 0)
		return fail_with(r);
	report.result = &result;
	if (!export_takes_stdout(&session->settings))
		report_print(&report);
	if (export_all(&report) < 0 || result.invalid)
		status = CLI_FAILURE;
	result_free(&result);
	return output_end("compare", status);
}

/* What was asked, from the checks before any run to the report. */
static int carry_out(struct session *session)
{
	int status = take_programs(&session->compare), r;

	if (status >= 0)
		return status;
	machine_read(session->compare.ctx, &session->machine);
	session->compare.pmd_bytes = session->machine.thp.pmd_bytes;
	r = runner_open(&session->runner, session->compare.ctx, session->settings.best_effort);
	if (r < 0)
		return fail_with(r);
	status = check_modes(session);
	if (status < 0)
		status = open_checkpoint(session);
	if (status < 0)
		status = campaign_run(&session->compare, &session->runner, &session->checkpoint) < 0
				 ? CLI_FAILURE
				 : tell(session);
	runner_close(&session->runner);
	return status;
}

static void close_session(struct session *session)
{
	checkpoint_close(&session->checkpoint);
	for (size_t i = 0; i < session->compare.nr_runs; i++)
		run_free(&session->compare.runs[i]);
	for (size_t i = 0; i < session->compare.nr_programs; i++)
		program_free(&session->compare.programs[i]);
	free(session->compare.runs);
	free(session->compare.programs);
	ask_free(&session->settings);
	thp_close(session->compare.ctx);
	free(session->words);
	json_decref(session->lines);
}

int main(int argc, char **argv)
{
	struct session session = {.argc = argc, .argv = argv, .checkpoint = {.fd = -1}};
	int status = parse(&session), r, sig;

	session.compare.settings = &session.settings;
	if (status < 0) {
		r = thp_open(&session.compare.ctx, NULL);
		status = r < 0 ? fail_with(r) : carry_out(&session);
	}
	sig = session.compare.signal;
	close_session(&session);
	if (sig) {
		/* Who waits for us sees an interrupt, as a shell's loop must to end. */
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return status;
}
