// SPDX-License-Identifier: MIT
#include "thpd.h"

#include "child.h"
#include "notify.h"
#include "rules.h"
#include "status.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000u

#define PRIORITY (-20)

/* Without events of the kernel, walks are all there is. */
#define BLIND_WALK_NS (2 * (uint64_t)SECOND)

/* What is under way may come to its end when thpd is told to stop. */
#define STOP_NS (3 * (uint64_t)SECOND)

/* A machine full of processes is given back its modes. */
#define GIVE_BACK_NS (60 * (uint64_t)SECOND)

/* How often to look whether what was begun is done. */
#define SETTLE_NS 10000000u

#define METRICS_NS (10 * (uint64_t)SECOND)

void thpd_remark(void *arg, const struct rules_remark *remark)
{
	int level = remark->is_warning ? LOG_WARNING : LOG_ERR;
	const char *kind = remark->is_warning ? "warning: " : "";

	(void)arg;
	if (remark->line)
		log_line(level, "%s:%u: %s%s", remark->file, remark->line, kind, remark->text);
	else
		log_line(level, "%s: %s%s", remark->file, kind, remark->text);
}

static const char *rule_name(const struct rules *rules, int rule)
{
	return (size_t)rule < rules->nr ? rules->rules[rule].name : "[system] default";
}

/* ---- what the parts tell each other ------------------------------------------------------------
 */

static void on_changed(void *arg, pid_t pid, uint64_t at, bool executed)
{
	struct thpd *thpd = arg;

	apply_judge(&thpd->apply, pid, executed ? WHY_EXEC : WHY_CHANGE, at);
}

static void on_forked(void *arg, pid_t parent, pid_t child, uint64_t at)
{
	struct thpd *thpd = arg;

	apply_forked(&thpd->apply, parent, child, at);
}

static void on_lost(void *arg)
{
	struct thpd *thpd = arg;

	apply_lost(&thpd->apply);
	rescan_want(&thpd->rescan, WHY_LOST);
}

/* The gate's news of an execve(2) are to be known before the kernel's. */
static void tell_gate(void *arg)
{
	struct thpd *thpd = arg;

	catch_exec_drain(&thpd->exec);
}

static void tell_forks(void *arg)
{
	struct thpd *thpd = arg;

	catch_proc_drain(&thpd->proc);
}

static void open_moves(struct thpd *thpd);

static void on_moves_lost(void *arg)
{
	struct thpd *thpd = arg;

	open_moves(thpd);
	rescan_want(&thpd->rescan, WHY_WALK);
}

static void open_moves(struct thpd *thpd)
{
	unsigned needs = thpd->rules->needs, wanted;
	int r;

	moves_close(&thpd->moves);
	if (!(needs & (SUBJECT_CPUSET | SUBJECT_CGROUP)))
		return;
	wanted = needs & SUBJECT_CGROUP ? MOVES_CPUSET | MOVES_CGROUP : MOVES_CPUSET;
	r = moves_open(&thpd->moves, &thpd->loop, &thpd->apply, wanted, on_moves_lost, thpd);
	if (r < 0)
		log_line(LOG_WARNING,
			 "cannot watch control groups: %s; moves are seen by the next walk",
			 strerror(-r));
}

/* ---- readiness ---------------------------------------------------------------------------------
 */

/* Ready: whoever was there is judged, and whoever comes is caught. */
static void look_ready(struct thpd *thpd)
{
	if (thpd->metrics.walks == 0 || thpd->rescan.proc || thpd->rescan.next != WHYS ||
	    hands_load(&thpd->apply.hands) || thpd->exec.next)
		return;
	invert_left(&thpd->invert);
	if (invert_walked(&thpd->invert)) {
		rescan_want(&thpd->rescan, WHY_WALK);
		return;
	}
	thpd->told_ready = true;
	log_line(LOG_INFO, "ready: %zu rules, %zu executables watched, %zu control groups",
		 thpd->rules->nr, thpd->exec.marks.nr_files, thpd->moves.nr);
	notify("READY=1");
}

/* What was under way when thpd was told to stop is done; then what it gave is given back. */
static void look_stopped(struct thpd *thpd)
{
	if (hands_load(&thpd->apply.hands) && loop_now() < thpd->stop_by)
		return;
	if (thpd->invert.phase == INVERT_FLAGGING || thpd->invert.phase == INVERT_ON) {
		thpd->stop_by = loop_now() + GIVE_BACK_NS;
		invert_leave(&thpd->invert);
		return;
	}
	invert_left(&thpd->invert);
	loop_stop(&thpd->loop);
}

static void settle(void *arg)
{
	struct thpd *thpd = arg;

	if (thpd->stop_by)
		look_stopped(thpd);
	else if (!thpd->told_ready)
		look_ready(thpd);
	if (thpd->stop_by || !thpd->told_ready)
		loop_set(&thpd->loop, &thpd->settle, loop_now() + SETTLE_NS);
}

static void on_walk_end(void *arg)
{
	settle(arg);
}

/* ---- rules -------------------------------------------------------------------------------------
 */

static unsigned wanted_events(const struct rules *rules)
{
	return (rules->needs & (SUBJECT_USER | SUBJECT_GROUP) ? CATCH_USER : 0) |
	       (rules->needs & SUBJECT_COMM ? CATCH_NAME : 0);
}

/* The new number of each of the former rules: a rule is known by its name. */
static int *renumber(const struct rules *from, const struct rules *to)
{
	int *new_rule = calloc(from->nr + 1, sizeof(*new_rule));

	for (size_t i = 0; new_rule && i < from->nr; i++) {
		new_rule[i] = -1;
		for (size_t j = 0; j < to->nr; j++) {
			if (strcmp(from->rules[i].name, to->rules[j].name) == 0)
				new_rule[i] = (int)j;
		}
	}
	if (new_rule)
		new_rule[from->nr] = to->others == THP_MODE_UNKNOWN ? -1 : (int)to->nr;
	return new_rule;
}

/* Begins or ends the inversion, as the rules say. */
static void use_default(struct thpd *thpd)
{
	struct invert *invert = &thpd->invert;

	if (thpd->rules->others == THP_MODE_MADVISE)
		invert_left(invert); /* if it was just about to end */
	if (invert->phase == INVERT_OFF && thpd->rules->others == THP_MODE_MADVISE)
		invert_begin(invert, &thpd->apply, thpd->rules, thpd->options.state_path);
	else if (thpd->rules->others == THP_MODE_MADVISE)
		invert_rules(invert, thpd->rules);
}

/* A default that cannot be had here is none. */
static void check_default(struct thp_ctx *ctx, struct rules *rules)
{
	if (rules->others == THP_MODE_MADVISE && !invert_possible(ctx, rules))
		rules->others = THP_MODE_UNKNOWN;
}

static void use_rules(struct thpd *thpd, struct rules *rules)
{
	struct rules *former = thpd->rules;
	int *new_rule;

	check_default(thpd->ctx, rules);
	new_rule = renumber(former, rules);

	if (!new_rule) {
		log_line(LOG_ERR, "no memory for new rules: the old ones stay");
		rules_free(rules);
		return;
	}
	if (rules->others == THP_MODE_UNKNOWN)
		invert_leave(&thpd->invert);
	thpd->rules = rules;
	apply_rules(&thpd->apply, rules, new_rule, (int)former->nr + 1);
	free(new_rule);
	if (thpd->proc.urgent.fd >= 0)
		catch_proc_want(&thpd->proc, wanted_events(rules));
	if (!thpd->options.no_gate)
		catch_exec_rules(&thpd->exec, rules);
	open_moves(thpd);
	use_default(thpd);
	rules_free(former);
	rescan_want(&thpd->rescan, WHY_WALK);
}

static void reload(struct thpd *thpd)
{
	struct rules *rules;
	int r;

	notify("RELOADING=1");
	r = rules_load(thpd->options.rules_dir, thpd_remark, NULL, &rules);
	if (r < 0) {
		thpd->metrics.bad_reloads++;
		log_line(LOG_ERR, "the rules in %s are bad: the %zu old ones stay in force",
			 thpd->options.rules_dir, thpd->rules->nr);
		notify("READY=1");
		return;
	}
	thpd->metrics.reloads++;
	thpd->told_ready = false;
	use_rules(thpd, rules);
	loop_set(&thpd->loop, &thpd->settle, loop_now());
}

/* ---- signals -----------------------------------------------------------------------------------
 */

static void begin_stop(struct thpd *thpd)
{
	if (thpd->stop_by)
		return;
	notify("STOPPING=1");
	thpd->stop_by = loop_now() + STOP_NS;
	thpd->told_ready = true;
	catch_exec_close(&thpd->exec);
	apply_gate_lost(&thpd->apply);
	catch_proc_close(&thpd->proc);
	moves_close(&thpd->moves);
	rescan_close(&thpd->rescan);
	loop_set(&thpd->loop, &thpd->settle, loop_now());
}

static void on_signal(void *arg, uint32_t events)
{
	struct thpd *thpd = arg;
	struct signalfd_siginfo info;

	(void)events;
	while (read(thpd->signals.fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			while (waitpid(-1, NULL, WNOHANG) > 0)
				;
		} else if (info.ssi_signo == SIGHUP) {
			if (!thpd->stop_by)
				reload(thpd);
		} else {
			log_line(LOG_INFO, "stops: signal %u", info.ssi_signo);
			begin_stop(thpd);
		}
	}
}

static int open_signals(struct thpd *thpd)
{
	static const int wanted[] = {SIGHUP, SIGINT, SIGTERM, SIGCHLD};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	thpd->signals = (struct loop_watch){
		signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
		on_signal,
		thpd,
	};
	return thpd->signals.fd < 0 ? -errno : loop_watch(&thpd->loop, &thpd->signals, EPOLLIN);
}

/* ---- now and then ------------------------------------------------------------------------------
 */

static void pat_watchdog(void *arg)
{
	struct thpd *thpd = arg;

	notify("WATCHDOG=1");
	loop_set(&thpd->loop, &thpd->watchdog, loop_now() + notify_watchdog());
}

static void write_metrics(void *arg)
{
	struct thpd *thpd = arg;

	status_write_metrics(thpd, thpd->options.metrics_path);
	loop_set(&thpd->loop, &thpd->metrics_timer, loop_now() + METRICS_NS);
}

static void on_request(void *arg, const char *request, uid_t uid, FILE *file)
{
	struct thpd *thpd = arg;

	if (strcmp(request, "reload") == 0 && uid == 0 && !thpd->stop_by)
		reload(thpd);
	status_answer(thpd, request, uid, file);
}

/* ---- all of it ---------------------------------------------------------------------------------
 */

static void open_events(struct thpd *thpd)
{
	const struct catch_proc_calls calls = {
		.changed = on_changed,
		.forked = on_forked,
		.lost = on_lost,
		.arg = thpd,
	};
	int r = -EOPNOTSUPP;

	if (!thpd->options.no_events)
		r = catch_proc_open(&thpd->proc, &thpd->loop, wanted_events(thpd->rules),
				    thpd->options.event_buffer, &calls);
	if (r == 0)
		return;
	thpd->rescan.every = BLIND_WALK_NS;
	log_line(LOG_WARNING,
		 "no process events: %s; all processes are looked at every %u s instead",
		 r == -EOPNOTSUPP ? "the kernel has none here (CONFIG_PROC_EVENTS, and not in a "
				    "PID namespace)"
		 : r == -EPERM    ? "needs CAP_NET_ADMIN"
				  : strerror(-r),
		 (unsigned)(BLIND_WALK_NS / SECOND));
}

static int open_all(struct thpd *thpd)
{
	const struct thpd_options *options = &thpd->options;
	int r = loop_open(&thpd->loop);

	if (r == 0)
		r = thp_open(&thpd->ctx, NULL);
	if (r == 0)
		r = open_signals(thpd);
	if (r < 0)
		return r;
	thpd->apply = (struct apply){
		.loop = &thpd->loop,
		.ctx = thpd->ctx,
		.rules = thpd->rules,
		.rule_name = rule_name,
		.metrics = &thpd->metrics,
		.tell_forks = tell_forks,
		.tell_gate = tell_gate,
		.arg = thpd,
	};
	check_default(thpd->ctx, thpd->rules);
	use_default(thpd);
	r = apply_open(&thpd->apply, options->nr_hands);
	if (r < 0)
		return r;
	if (*options->socket_path) {
		r = server_open(&thpd->server, &thpd->loop, options->socket_path, on_request, thpd);
		if (r < 0) {
			log_line(LOG_ERR, "%s: %s", options->socket_path,
				 r == -EADDRINUSE ? "another thpd runs" : strerror(-r));
			return r;
		}
	}
	rescan_open(&thpd->rescan, &thpd->loop, &thpd->apply,
		    options->walk_seconds * (uint64_t)SECOND, on_walk_end, thpd);
	catch_exec_open(&thpd->exec, &thpd->loop, &thpd->apply, tell_forks, thpd);
	open_events(thpd);
	open_moves(thpd);
	if (!options->no_gate)
		catch_exec_rules(&thpd->exec, thpd->rules);
	rescan_want(&thpd->rescan, WHY_WALK);
	loop_set(&thpd->loop, &thpd->settle, loop_now());
	if (notify_watchdog())
		loop_set(&thpd->loop, &thpd->watchdog, loop_now());
	if (options->metrics_path)
		loop_set(&thpd->loop, &thpd->metrics_timer, loop_now());
	return 0;
}

static void close_all(struct thpd *thpd)
{
	if (thpd->options.metrics_path)
		status_write_metrics(thpd, thpd->options.metrics_path);
	catch_exec_close(&thpd->exec);
	catch_proc_close(&thpd->proc);
	moves_close(&thpd->moves);
	rescan_close(&thpd->rescan);
	server_close(&thpd->server);
	apply_close(&thpd->apply);
	if (thpd->signals.fd >= 0)
		close(thpd->signals.fd);
	loop_close(&thpd->loop);
	thp_close(thpd->ctx);
	rules_free(thpd->rules);
}

int thpd_run(const struct thpd_options *options)
{
	static struct thpd thpd;
	int r;

	thpd = (struct thpd){
		.options = *options,
		.loop.epoll_fd = -1,
		.proc = CATCH_PROC_INIT,
		.moves = MOVES_INIT,
		.exec.marks = MARKS_INIT,
		.signals.fd = -1,
		.server.watch.fd = -1,
	};
	thpd.watchdog = (struct loop_timer){.ring = pat_watchdog, .arg = &thpd};
	thpd.metrics_timer = (struct loop_timer){.ring = write_metrics, .arg = &thpd};
	thpd.settle = (struct loop_timer){.ring = settle, .arg = &thpd};
	r = rules_load(options->rules_dir, thpd_remark, NULL, &thpd.rules);
	if (r < 0)
		return EXIT_FAILURE;
	/* Events are worth something only when they are answered before a program has memory. */
	if (setpriority(PRIO_PROCESS, 0, PRIORITY) < 0)
		log_line(LOG_WARNING,
			 "cannot raise the priority: %s: programs get their mode "
			 "later when the machine is busy (needs CAP_SYS_NICE)",
			 strerror(errno));
	r = open_all(&thpd);
	if (r == 0)
		r = loop_run(&thpd.loop);
	if (r < 0)
		log_line(LOG_ERR, "%s", strerror(-r));
	close_all(&thpd);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
