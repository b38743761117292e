// SPDX-License-Identifier: MIT
#include "runner.h"

#include "../../common/clock.h"
#include "../cli.h"
#include "../front.h"
#include "counters.h"
#include "descendants.h"
#include "numa.h"
#include "output.h"
#include "perf.h"
#include "sample.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE 2.0 /* seconds that an interrupted run has to end by itself */

/* What the child tells before it becomes the command; in memory that both share. */
struct note {
	double start;         /* clock_now() just before execve(2); 0: it did not come so far */
	struct rusage before; /* what it had used by then is ours */
	char reason[COMPARE_REASON_MAX]; /* the mode could not be set */
	int error;
};

static void watched_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

static void read_settings(struct runner *runner, struct thp_system *ret_thp)
{
	*ret_thp = (struct thp_system){.size = sizeof(*ret_thp)};
	if (thp_system_read(runner->ctx, ret_thp) < 0)
		ret_thp->presence = THP_HIDDEN;
}

/* Whether the system's settings are others than at the beginning: a run is then of neither. */
static bool settings_changed(struct runner *runner)
{
	const struct thp_system *then = &runner->thp;
	struct thp_system now;

	read_settings(runner, &now);
	if (now.enabled != then->enabled || now.defrag != then->defrag ||
	    now.shmem_enabled != then->shmem_enabled || now.nr_sizes != then->nr_sizes)
		return true;
	for (unsigned i = 0; i < now.nr_sizes; i++) {
		if (now.sizes[i].enabled != then->sizes[i].enabled)
			return true;
	}
	return false;
}

int runner_open(struct runner *runner, struct thp_ctx *ctx, bool best_effort)
{
	sigset_t set;
	int r;

	memset(runner, 0, sizeof(*runner));
	runner->ctx = ctx;
	runner->best_effort = best_effort;
	runner->nodes = numa_nodes();
	runner->began = clock_now();
	read_settings(runner, &runner->thp);
	r = descendants_children(getpid(), &runner->strangers);
	if (r < 0)
		return r;
	watched_signals(&set);
	if (sigprocmask(SIG_BLOCK, &set, &runner->mask) < 0 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return -errno;
	/* Ignored by whoever started us, it would take the status away. */
	runner->ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	return 0;
}

void runner_close(struct runner *runner)
{
	sigprocmask(SIG_SETMASK, &runner->mask, NULL);
	pids_free(&runner->strangers);
}

static struct note *note_new(void)
{
	void *at = mmap(NULL, sizeof(struct note), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* In the child. A mode that is not in force ends it, unless the best was asked for. */
static void enter_mode(struct runner *runner, enum thp_mode mode, struct note *note)
{
	int r = thp_self_set(runner->ctx, mode, NULL);

	if (r == 0)
		return;
	note->error = r;
	snprintf(note->reason, sizeof(note->reason), "%s", thp_reason(runner->ctx));
	if (!runner->best_effort)
		_exit(CLI_RUN_FAILED);
	if (mode == THP_MODE_ALWAYS) /* as near to it as can be: an inherited flag is cleared */
		thp_self_set(runner->ctx, THP_MODE_DEFAULT, NULL);
}

int runner_try_mode(struct runner *runner, enum thp_mode mode, char reason[COMPARE_REASON_MAX])
{
	struct note *note = note_new();
	int r = 0;
	pid_t pid;

	if (!note)
		return -ENOMEM;
	pid = fork();
	if (pid == 0) {
		enter_mode(runner, mode, note);
		_exit(0);
	}
	if (pid < 0)
		r = -errno;
	else if (waitpid(pid, NULL, 0) == pid)
		r = note->error;
	if (r < 0)
		snprintf(reason, COMPARE_REASON_MAX, "%s",
			 note->reason[0] ? note->reason : strerror(-r));
	munmap(note, sizeof(*note));
	return r;
}

static bool set_up(const struct program *program, int out, int err)
{
	int null = open("/dev/null", O_RDWR);
	bool captured = program->metric || program->expect;

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(captured ? out : null, STDOUT_FILENO) < 0 ||
	    dup2(captured ? out : err, STDERR_FILENO) < 0)
		return false;
	if (null > STDERR_FILENO)
		close(null);
	for (char **entry = program->environment; entry && *entry; entry++) {
		if (putenv(*entry) != 0)
			return false;
	}
	return !program->directory || chdir(program->directory) == 0;
}

/* The child: becomes the command. Its group is its own, so that all of it can be ended at once. */
static _Noreturn void become(struct runner *runner, const struct program *program,
			     const struct arm *arm, int go, int out, int err, struct note *note)
{
	char byte;

	setpgid(0, 0);
	/* The parent opens its counters first; it died if there is nothing to read. */
	if (read(go, &byte, 1) != 1)
		_exit(CLI_RUN_FAILED);
	close(go);
	enter_mode(runner, arm->mode, note);
	if (!set_up(program, out, err)) {
		note->error = -errno;
		snprintf(note->reason, sizeof(note->reason), "%s: %s",
			 program->directory ? program->directory : "cannot set up the run",
			 strerror(errno));
		_exit(CLI_RUN_FAILED);
	}
	if (runner->ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &runner->mask, NULL);
	getrusage(RUSAGE_SELF, &note->before);
	note->start = clock_now();
	_exit(exec_command(program->argv));
}

/* Ends what is left of a run: its group, and whoever left the group but is a descendant still. */
static void sweep(struct runner *runner, pid_t group)
{
	struct pids pids;
	pid_t done;
	bool some;

	do {
		kill(-group, SIGKILL);
		if (descendants_list(getpid(), &runner->strangers, &pids) < 0)
			return;
		for (size_t i = 0; i < pids.nr; i++)
			kill(pids.list[i], SIGKILL);
		some = pids.nr > 0;
		pids_free(&pids);
		done = some ? waitpid(-1, NULL, 0) : 0;
		if (done > 0)
			pids_remove(&runner->strangers, done);
	} while (some && done >= 0);
}

/* Waits for the end of a run and takes samples meanwhile. Returns -EINTR if a signal came. */
static int watch(struct runner *runner, pid_t pid, const struct note *note, struct sampler *sampler,
		 double *ret_end, int *ret_status, struct rusage *ret_usage)
{
	double start = clock_now(), give_up = INFINITY;
	sigset_t set;

	watched_signals(&set);
	for (;;) {
		double now = clock_now(), begin = note->start > 0 ? note->start : start;
		double pause = fmin(fmax(begin + sampler->next - now, 0), 1);
		struct timespec timeout = {.tv_sec = (time_t)pause};
		int sig;

		timeout.tv_nsec = (long)((pause - (double)timeout.tv_sec) * 1e9);
		sig = sigtimedwait(&set, NULL, &timeout);
		*ret_end = clock_now();
		if (sig == SIGCHLD) {
			pid_t done;

			/* Orphans of the run are ours to collect; they change nothing. */
			while ((done = wait4(-1, ret_status, WNOHANG, ret_usage)) > 0) {
				if (done == pid)
					return runner->signal ? -EINTR : 0;
				/* Its number may become that of a run's process. */
				pids_remove(&runner->strangers, done);
			}
		} else if (sig > 0) {
			runner->signal = sig;
			kill(-pid, sig);
			give_up = *ret_end + GRACE;
		} else if (*ret_end > begin + sampler->next) {
			sampler_take(sampler, *ret_end - begin);
		}
		if (*ret_end > give_up)
			kill(-pid, SIGKILL);
	}
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void take_usage(const struct rusage *before, const struct rusage *usage, struct run *run)
{
	/* The kernel splits time by ticks and may correct the split later: never below 0. */
	run->values[MEASURE_USER] = fmax(seconds(usage->ru_utime) - seconds(before->ru_utime), 0);
	run->values[MEASURE_SYSTEM] = fmax(seconds(usage->ru_stime) - seconds(before->ru_stime), 0);
	run->values[MEASURE_MINOR_FAULTS] = (double)(usage->ru_minflt - before->ru_minflt);
	run->values[MEASURE_MAJOR_FAULTS] = (double)(usage->ru_majflt - before->ru_majflt);
	run->values[MEASURE_PREEMPTED] = (double)(usage->ru_nivcsw - before->ru_nivcsw);
	run->values[MEASURE_PEAK_RSS] = (double)usage->ru_maxrss * 1024;
}

static void take_status(const struct program *program, const struct note *note, int status,
			struct run *run)
{
	if (note->start == 0) {
		run->outcome = OUTCOME_MODE;
		run->said = strdup(note->reason);
	} else if (WIFSIGNALED(status)) {
		run->outcome = OUTCOME_SIGNAL;
		run->detail = WTERMSIG(status);
	} else if (WEXITSTATUS(status) != program->expect_status) {
		run->outcome = OUTCOME_STATUS;
		run->detail = WEXITSTATUS(status);
	}
}

/* The prepare command: in the program's directory, in no mode of ours, not measured. */
static int prepare(struct runner *runner, const struct program *program, struct run *run)
{
	static char shell[] = "/bin/sh", option[] = "-c";
	char *argv[] = {shell, option, program->prepare, NULL};
	struct program command = {
		.argv = argv, .directory = program->directory, .environment = program->environment};
	struct arm arm = {.mode = THP_MODE_DEFAULT};
	struct sampling learnt = {0};
	struct run result = {0};
	int r = runner_run(runner, &command, &arm, &learnt, &result);

	if (r == 0 && result.outcome != OUTCOME_OK) {
		run->outcome = OUTCOME_PREPARE;
		run->detail = result.detail;
		run->said = result.said;
		result.said = NULL;
	}
	free(result.said);
	return r;
}

static int run_child(struct runner *runner, const struct program *program, const struct arm *arm,
		     struct sampling *learnt, int out, int err, struct note *note, struct run *run)
{
	struct thp_activity before, after;
	struct sampler sampler;
	struct rusage usage;
	struct perf perf;
	int go[2], status, r;
	double end;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) < 0)
		return -errno;
	counters_read(runner->ctx, &before);
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		become(runner, program, arm, go[0], out, err, note);
	}
	close(go[0]);
	if (pid < 0) {
		r = -errno;
		close(go[1]);
		return r;
	}
	setpgid(pid, pid); /* in either process first: a signal must find the group */
	perf_open(&perf, pid);
	sampler_start(&sampler, runner->ctx, runner->nodes, &runner->strangers, learnt);
	run->start = clock_now() - runner->began;
	if (write(go[1], "", 1) != 1)
		kill(pid, SIGKILL);
	close(go[1]);
	r = watch(runner, pid, note, &sampler, &end, &status, &usage);
	counters_read(runner->ctx, &after);
	run->changed = settings_changed(runner);
	perf_close(&perf, run->values);
	sweep(runner, pid);
	if (r < 0)
		return r;
	run->values[MEASURE_WALL] = end - note->start;
	take_usage(&note->before, &usage, run);
	counters_since(&before, &after, run->values);
	run->samples = sampler.seen;
	sampler_end(&sampler, run->values);
	take_status(program, note, status, run);
	return 0;
}

int runner_run(struct runner *runner, const struct program *program, const struct arm *arm,
	       struct sampling *learnt, struct run *ret_run)
{
	struct note *note;
	int out, err, r = 0;

	ret_run->outcome = OUTCOME_OK;
	for (size_t i = 0; i < NR_MEASURES; i++)
		ret_run->values[i] = NAN;
	if (program->prepare) {
		r = prepare(runner, program, ret_run);
		if (r < 0 || ret_run->outcome != OUTCOME_OK)
			return r;
	}
	note = note_new();
	out = output_file();
	err = output_file();
	if (!note || out < 0 || err < 0)
		r = !note ? -ENOMEM : out < 0 ? out : err;
	else
		r = run_child(runner, program, arm, learnt, out, err, note, ret_run);
	if (r == 0 && ret_run->outcome != OUTCOME_MODE)
		output_judge(program, out, program->metric || program->expect ? out : err, ret_run);
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	if (note)
		munmap(note, sizeof(*note));
	return r;
}
