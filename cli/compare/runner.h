/* SPDX-License-Identifier: MIT */
/* Starts one run in its mode, watches it from outside, and collects what it used. */
#ifndef CLI_COMPARE_RUNNER_H
#define CLI_COMPARE_RUNNER_H

#include "compare.h"
#include "sample.h"

#include <signal.h>

struct runner {
	struct thp_ctx *ctx;
	bool best_effort;
	unsigned nodes;
	double began;          /* of the comparison, on clock_now() */
	int signal;            /* SIGINT and the like that came; 0: none */
	struct thp_system thp; /* the system's settings at the beginning */
	sigset_t mask;         /* of signals, as this process and each command has it */
	bool ignored;          /* SIGCHLD, likewise */
	struct pids strangers; /* children that a shell had before it became this process */
};

/*
 * Takes over this process's signals and its descendants' orphans: they are watched, and ended with
 * the run that left them. Once per process.
 */
int runner_open(struct runner *runner, struct thp_ctx *ctx, bool best_effort);

/*
 * Whether a mode can be had: 0 and nothing, or the -errno of thp_self_set() and the reason. Tried
 * in a child, for the flag of this process stays as it is.
 */
int runner_try_mode(struct runner *runner, enum thp_mode mode, char reason[COMPARE_REASON_MAX]);

/*
 * One run. program, arm, round and position of ret_run are the caller's, all else is written. 0,
 * whatever became of the run; -EINTR: a signal came, the run was ended and counts nothing; or
 * -errno of this process's own trouble. learnt is kept from run to run of the same program and arm.
 */
int runner_run(struct runner *runner, const struct program *program, const struct arm *arm,
	       struct sampling *learnt, struct run *ret_run);

/* Gives the signals back. */
void runner_close(struct runner *runner);

#endif /* CLI_COMPARE_RUNNER_H */
