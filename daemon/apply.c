// SPDX-License-Identifier: MIT
#include "apply.h"

#include "../common/escape.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND 1000000000u

/* A process whose mode changes oftener than this goes back and forth between rules. */
#define FLIPS_MAX 4
#define FLIPS_NS  (60 * (uint64_t)SECOND)

/* How often a process whose flag cannot be seen from outside is asked whether it still has it. */
#define ASK_NS (60 * (uint64_t)SECOND)

#define RETRY_FIRST_NS (250 * (uint64_t)1000000)
#define RETRY_MOST_NS  (60 * (uint64_t)SECOND)

/* ---- words -------------------------------------------------------------------------------------
 */

/* "PID 123 (name)" of a process, for a message. */
static const char *who(const struct apply *apply, pid_t pid, char *buf, size_t size)
{
	struct thp_process process = {.size = sizeof(process)};
	char name[ESCAPED_MAX(THP_COMM_MAX)];

	if (thp_process_read(apply->ctx, pid, 0, &process) < 0)
		snprintf(buf, size, "PID %d", (int)pid);
	else
		snprintf(buf, size, "PID %d (%s)", (int)pid,
			 escape_text(name, sizeof(name), process.comm));
	return buf;
}

static const char *rule_name(const struct apply *apply, int rule)
{
	return rule < 0 ? "none" : apply->rule_name(apply->rules, rule);
}

static const char *const failure_kinds[FAILURES] = {
	[FAILURE_GONE] = "processes that have ended",
	[FAILURE_TRACED] = "processes that others trace",
	[FAILURE_FROZEN] = "processes that are frozen",
	[FAILURE_DENIED] = "processes that may not be changed",
	[FAILURE_UNSUPPORTED] = "modes that this kernel does not have",
	[FAILURE_STUCK] = "processes that could not be stopped",
	[FAILURE_OTHER] = "processes that could not be changed",
};

static void say_failure(struct apply *apply, const struct record *record, int err,
			const char *reason)
{
	enum failure failure = failure_of(err);
	char shown[128];

	if (!log_allowed(&apply->limits[failure], loop_now(), failure_kinds[failure]))
		return;
	log_line(LOG_WARNING, "%s: rule %s: cannot set %s: %s",
		 who(apply, record->pid, shown, sizeof(shown)), rule_name(apply, record->rule),
		 thp_mode_name(record->mode), reason);
}

/* ---- jobs --------------------------------------------------------------------------------------
 */

static bool is_urgent(enum why why)
{
	return why != WHY_WALK && why != WHY_LOST;
}

/* Hands in a job for a record, which is busy from then on. */
static void submit(struct apply *apply, struct record *record, enum why why, uint64_t at,
		   bool split)
{
	struct hand_job job = {
		.serial = ++apply->serial,
		.pid = record->pid,
		.id = record->id,
		.mode = record->asking ? THP_MODE_UNKNOWN : record->mode,
		.split = split,
	};

	record->state = RECORD_BUSY;
	record->serial = job.serial;
	record->why = (uint8_t)why;
	record->at = at;
	if (hands_give(&apply->hands, &job, is_urgent(why)) < 0)
		table_drop(&apply->table, record->pid); /* no memory: the next walk will find it */
}

static void retry_later(struct apply *apply, struct record *record)
{
	uint64_t wait = RETRY_FIRST_NS << (record->tries < 16 ? record->tries : 16);

	if (wait > RETRY_MOST_NS)
		wait = RETRY_MOST_NS;
	if (record->tries < UINT8_MAX)
		record->tries++;
	record->state = RECORD_RETRY;
	record->due = loop_now() + wait;
	if (apply->retry.due == 0 || record->due < apply->retry.due)
		loop_set(apply->loop, &apply->retry, record->due);
}

/* Tries what is due once more. Few are in this state, and seldom. */
static void retry_due(void *arg)
{
	struct apply *apply = arg;
	uint64_t now = loop_now(), next = 0;
	struct record *record;

	for (size_t at = 0; (record = table_next(&apply->table, &at));) {
		if (record->state == RECORD_RETRY && record->due <= now)
			submit(apply, record, (enum why)record->why, record->at, false);
		else if (record->state == RECORD_RETRY && (next == 0 || record->due < next))
			next = record->due;
	}
	if (next)
		loop_set(apply->loop, &apply->retry, next);
}

/* ---- records ----------------------------------------------------------------------------------
 */

static bool exists(pid_t pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

static bool is_over(const struct record *record)
{
	return !exists(record->pid) ||
	       (record->state == RECORD_FREE && loop_now() - record->first_change > FLIPS_NS);
}

/*
 * Forgets processes that have ended. There is no need to hear of each end: a number that is given
 * to a new process comes with its fork.
 */
static void sweep(struct apply *apply)
{
	pid_t *gone = calloc(apply->table.nr + 1, sizeof(*gone));
	const struct record *record;
	size_t nr = 0;

	if (!gone)
		return; /* the next walk ends as well */
	for (size_t at = 0; (record = table_next(&apply->table, &at));) {
		if (is_over(record))
			gone[nr++] = record->pid;
	}
	while (nr > 0)
		table_drop(&apply->table, gone[--nr]);
	free(gone);
	apply->swept = apply->table.nr;
}

#define SWEEP_LEAST 1024

/* A new record, or that which there is. NULL: no memory. */
static struct record *add(struct apply *apply, pid_t pid)
{
	if (apply->table.nr > 2 * apply->swept + SWEEP_LEAST)
		sweep(apply);
	return table_add(&apply->table, pid);
}

/* ---- judging -----------------------------------------------------------------------------------
 */

static bool is_executed(enum why why)
{
	return why == WHY_GATE || why == WHY_EXEC;
}

/* Which program a process runs, 0: none. Two files have the same number by chance only. */
static uint64_t program_of(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, &st) < 0 ? 0 : (uint64_t)st.st_dev << 40 ^ (uint64_t)st.st_ino;
}

/* What tells a process from the next one with its number; 0: it is gone. */
static uint64_t identify(struct apply *apply, pid_t pid)
{
	struct thp_target *target;
	uint64_t id;

	if (thp_target_open(apply->ctx, pid, 0, &target) < 0)
		return 0;
	id = thp_target_id(target, NULL);
	thp_target_close(target);
	return id;
}

/* Whether a record is still about the process that has the number now. */
static bool is_same(struct apply *apply, const struct record *record)
{
	struct thp_target *target;

	if (record->id == 0)
		return true; /* came by fork, and goes with the exit: nothing in between is missed
			      */
	if (thp_target_open(apply->ctx, record->pid, record->id, &target) < 0)
		return false;
	thp_target_close(target);
	return true;
}

/* A process has cleared the flag, or changed it. */
static void on_cleared(struct apply *apply, struct record *record, const struct verdict *verdict)
{
	char shown[128];

	record->asked_at = loop_now();
	if (!record->told_cleared) {
		apply->metrics->cleared++;
		record->told_cleared = true;
		if (log_allowed(&apply->cleared_limit, record->asked_at,
				"processes that changed their mode themselves"))
			log_line(LOG_NOTICE,
				 "%s: rule %s: has changed its mode itself, or somebody else has; "
				 "%s",
				 who(apply, record->pid, shown, sizeof(shown)),
				 rule_name(apply, record->rule),
				 verdict->reapply ? "it is set again" : "it is left alone");
	}
	if (!verdict->reapply)
		return;
	apply->metrics->reapplied++;
	submit(apply, record, WHY_WALK, record->asked_at, false);
}

/*
 * Whether a process still has its mode. Full disable can be seen, for the price of a file; the
 * rest has to be asked inside, so only now and then, and only where it makes a difference.
 */
static void verify(struct apply *apply, struct record *record, const struct verdict *verdict)
{
	struct thp_process process = {.size = sizeof(process)};
	uint64_t now = loop_now();

	if (thp_process_read(apply->ctx, record->pid, 0, &process) < 0)
		return;
	if ((record->mode == THP_MODE_NEVER) != (process.mode == THP_MODE_NEVER)) {
		on_cleared(apply, record, verdict);
	} else if (record->mode != THP_MODE_NEVER && process.mode == THP_MODE_UNKNOWN &&
		   verdict->reapply && now - record->asked_at > ASK_NS) {
		record->asking = true;
		submit(apply, record, WHY_WALK, now, false);
	}
}

/* A process is under no rule any more. */
static void leave(struct apply *apply, struct record *record, enum why why, uint64_t at)
{
	if (record->state == RECORD_EXEMPT) {
		table_drop(&apply->table, record->pid);
		return;
	}
	record->leaving = true;
	record->mode = record->found == THP_MODE_UNKNOWN ? THP_MODE_DEFAULT : record->found;
	submit(apply, record, why, at, false);
}

/* Whether one more change of its mode is too much for now. */
static bool flips(struct apply *apply, struct record *record)
{
	uint64_t now = loop_now();
	char shown[128];

	if (record->first_change == 0 || now - record->first_change > FLIPS_NS) {
		record->first_change = now;
		record->changes = 0;
	}
	if (record->changes < FLIPS_MAX) {
		record->changes++;
		return false;
	}
	apply->metrics->flips++;
	if (!record->told_flip && log_allowed(&apply->flip_limit, now, "processes between rules"))
		log_line(LOG_WARNING,
			 "%s: goes back and forth between rules; it keeps the mode %s of rule "
			 "\"%s\" for a minute",
			 who(apply, record->pid, shown, sizeof(shown)), thp_mode_name(record->mode),
			 rule_name(apply, record->rule));
	record->told_flip = true;
	return true;
}

/* Under no rule by itself. */
static void act_none(struct apply *apply, struct record *record, enum why why, uint64_t at)
{
	struct verdict former;

	if (!record || record->state == RECORD_FREE)
		return;
	former = judge_of_rule(apply->rules, record->rule);
	if (former.rule >= 0 && former.inherit && (is_executed(why) || record->inherited) &&
	    record->state != RECORD_EXEMPT) {
		record->inherited = true;
		return;
	}
	leave(apply, record, why, at);
}

/* Whether a rule is meant for what happened to a process. */
static bool is_meant(const struct verdict *verdict, const struct record *record, pid_t pid,
		     enum why why)
{
	switch (why) {
	case WHY_GATE:
	case WHY_EXEC:
	case WHY_FORK:
		return verdict->on_exec;
	case WHY_LOST:
		/* It may have executed its program while we could not see. */
		if (verdict->on_exec && !(record && record->state == RECORD_EXEMPT &&
					  record->program == program_of(pid)))
			return true;
		return verdict->on_existing;
	default:
		return verdict->on_existing;
	}
}

/* A rule is not for a process since that was there before: remembered, to know what came later. */
static void exempt(struct apply *apply, pid_t pid, const struct verdict *verdict)
{
	struct record *record = add(apply, pid);

	if (!record)
		return;
	record->state = RECORD_EXEMPT;
	record->rule = verdict->rule;
	record->program = program_of(pid);
	record->round = apply->round;
	record->id = identify(apply, pid);
}

/* Under a rule that it was under before, or under another one of the same mode. Whether all is
 * said.
 */
static bool is_settled(struct apply *apply, struct record *record, const struct verdict *verdict,
		       enum why why)
{
	bool same =
		record->mode == verdict->mode && !record->leaving && record->state != RECORD_FREE;

	if (record->state == RECORD_SET && same && !record->unsure) {
		record->rule = verdict->rule;
		record->inherited = false;
		verify(apply, record, verdict);
		return true;
	}
	/* What failed is tried again in its time; what was refused, when something new is run. */
	if ((record->state == RECORD_RETRY || record->state == RECORD_REFUSED) && same &&
	    record->rule == verdict->rule && !is_executed(why))
		return true;
	return record->state != RECORD_EXEMPT && !same && flips(apply, record);
}

/*
 * What was judged may have ended since, and its number may be another's. So it is judged once more
 * between two looks at who it is. 0 or -ESRCH.
 */
static int judge_surely(struct apply *apply, pid_t pid, struct verdict *ret_verdict,
			uint64_t *ret_id)
{
	uint64_t id = identify(apply, pid);

	if (id == 0 || judge(apply->rules, pid, apply_rule_of, apply, ret_verdict) < 0 ||
	    identify(apply, pid) != id)
		return -ESRCH;
	*ret_id = id;
	return 0;
}

static void act(struct apply *apply, pid_t pid, const struct verdict *verdict, enum why why,
		uint64_t at)
{
	struct record *record = table_find(&apply->table, pid);
	struct verdict sure;
	uint64_t id;

	if (verdict->rule < 0) {
		act_none(apply, record, why, at);
		return;
	}
	if (!is_meant(verdict, record, pid, why)) {
		if (!record)
			exempt(apply, pid, verdict);
		return;
	}
	if (record && is_settled(apply, record, verdict, why))
		return;
	if (!record && why == WHY_EXEC) {
		apply->tell_gate(apply->arg);
		record = table_find(&apply->table, pid);
		if (record) { /* the gate has it */
			record->again = false;
			return;
		}
	}
	if (judge_surely(apply, pid, &sure, &id) < 0) {
		table_drop(&apply->table, pid);
		return;
	}
	if (sure.rule != verdict->rule)
		return; /* it changes as we look: that comes with an event of its own */
	record = add(apply, pid);
	if (!record)
		return;
	record->id = id;
	record->rule = verdict->rule;
	record->mode = verdict->mode;
	record->inherited = false;
	record->leaving = false;
	record->asking = false;
	record->unsure = false;
	record->tries = 0;
	record->round = apply->round;
	submit(apply, record, why, at, verdict->split && !is_executed(why));
}

/* Our own processes are not for rules: they must not wait for themselves. */
static bool is_ours(pid_t pid)
{
	return pid == getpid() || child_is_ours(pid);
}

/* What the gate was to tell of a process did not come: it is ours again. */
#define GATE_SERIAL  UINT64_MAX /* of the job that no hand has */
#define GATE_WAIT_NS (10 * (uint64_t)SECOND)

static bool is_forgotten(const struct record *record)
{
	return record->serial == GATE_SERIAL && loop_now() - record->at > GATE_WAIT_NS;
}

int apply_rule_of(void *arg, pid_t pid)
{
	const struct apply *apply = arg;
	const struct record *record = table_find(&apply->table, pid);

	return record && record->state != RECORD_EXEMPT && !record->leaving ? record->rule : -1;
}

/* The record of a process, if it has one and that is not of another one before it. */
static struct record *find(struct apply *apply, pid_t pid)
{
	struct record *record = table_find(&apply->table, pid);

	if (record && !is_same(apply, record)) {
		table_drop(&apply->table, pid);
		record = NULL;
	}
	if (record)
		record->round = apply->round;
	return record;
}

void apply_judge(struct apply *apply, pid_t pid, enum why why, uint64_t at)
{
	struct verdict verdict;
	struct record *record;
	int r;

	if (is_ours(pid))
		return;
	apply->metrics->judged[why]++;
	r = judge(apply->rules, pid, apply_rule_of, apply, &verdict);
	/* The most end here. */
	if (r == 0 && verdict.rule < 0 && (!apply->gives_back || apply->table.nr == 0) &&
	    !table_find(&apply->table, pid))
		return;
	apply->tell_forks(apply->arg);
	record = find(apply, pid);
	if (record && record->state == RECORD_BUSY && !is_forgotten(record)) {
		/* What was executed outranks the rest: a rule may be for that alone. */
		if (is_executed(why) || !record->again) {
			record->again_at = at;
			record->again_why = (uint8_t)why;
		}
		record->again = true;
	} else if (r < 0) {
		table_drop(&apply->table, pid);
	} else {
		act(apply, pid, &verdict, why, at);
	}
}

/* ---- forks ---------------------------------------------------------------------------- */

void apply_forked(struct apply *apply, pid_t parent, pid_t child, uint64_t at)
{
	struct record *record, copy;

	/* Whoever had the number before is gone. */
	table_drop(&apply->table, child);
	record = table_find(&apply->table, parent);
	if (!record)
		return;
	copy = *record;
	if (copy.state == RECORD_FREE)
		return;
	if (copy.state != RECORD_EXEMPT && (copy.state != RECORD_SET || copy.set_at > at)) {
		apply_judge(apply, child, WHY_FORK, at);
		return;
	}
	record = add(apply, child);
	if (!record)
		return;
	*record = (struct record){
		.pid = child,
		.rule = copy.rule,
		.mode = copy.mode,
		.found = copy.found,
		.state = copy.state,
		.inherited = copy.state == RECORD_SET,
		.unsure = copy.unsure,
		.round = apply->round,
		.set_at = copy.set_at,
		.asked_at = copy.asked_at,
		.program = copy.program,
	};
	apply->metrics->inherited += copy.state == RECORD_SET;
}

void apply_lost(struct apply *apply)
{
	struct record *record;

	for (size_t at = 0; (record = table_next(&apply->table, &at));)
		record->unsure = record->id == 0;
}

/* ---- what came of it ---------------------------------------------------------------------------
 */

static bool is_passing(enum failure failure)
{
	return failure == FAILURE_TRACED || failure == FAILURE_FROZEN || failure == FAILURE_STUCK;
}

static void on_failure(struct apply *apply, struct record *record, int err, const char *reason)
{
	enum failure failure = failure_of(err);

	apply->metrics->failed[failure]++;
	if (failure == FAILURE_GONE) {
		table_drop(&apply->table, record->pid);
		return;
	}
	if (record->tries == 0)
		say_failure(apply, record, err, reason);
	if (is_passing(failure))
		retry_later(apply, record);
	else
		record->state = RECORD_REFUSED;
}

/* "always" is the clear flag; whether that is enough is for the system to say. */
static void check_basis(struct apply *apply, const struct record *record,
			const struct thp_remote *remote)
{
	if (record->mode != THP_MODE_ALWAYS || remote->basis != THP_BASIS_NONE ||
	    apply->told_always)
		return;
	apply->told_always = true;
	log_line(LOG_WARNING,
		 "rule %s: always: the flag is clear, but the system does not say \"always\": only "
		 "\"[system] default = madvise\" or an administrator can make it so",
		 rule_name(apply, record->rule));
}

static void on_set(struct apply *apply, struct record *record, enum why why,
		   const struct thp_remote *remote, uint64_t done)
{
	/* After a restart the flag is found as the last run left it: that is not its own. */
	if (record->found == THP_MODE_UNKNOWN)
		record->found =
			remote->before == remote->after && !is_executed(why) && !apply->trusts_found
				? THP_MODE_DEFAULT
				: remote->before;
	record->state = RECORD_SET;
	record->set_at = done;
	record->asked_at = done;
	record->unsure = false;
	record->tries = 0;
	check_basis(apply, record, remote);
}

static void on_asked(struct apply *apply, struct record *record, enum thp_mode mode)
{
	enum thp_mode wanted = record->mode == THP_MODE_ALWAYS ? THP_MODE_DEFAULT : record->mode;
	struct verdict verdict = judge_of_rule(apply->rules, record->rule);

	record->state = RECORD_SET;
	record->asking = false;
	record->asked_at = loop_now();
	if (mode != wanted && verdict.rule >= 0)
		on_cleared(apply, record, &verdict);
}

static void judge_again(struct apply *apply, pid_t pid)
{
	struct record *record = table_find(&apply->table, pid);

	if (!record || !record->again || record->state == RECORD_BUSY)
		return;
	record->again = false;
	apply_judge(apply, pid, (enum why)record->again_why, record->again_at);
}

static void on_answer(void *arg, const struct hand_answer *answer)
{
	struct apply *apply = arg;
	struct record *record = table_find(&apply->table, answer->pid);

	if (!record || record->state != RECORD_BUSY || record->serial != answer->serial)
		return; /* it ended meanwhile */
	if (answer->err < 0) {
		record->asking = false;
		on_failure(apply, record, answer->err, answer->reason);
	} else if (record->asking) {
		record->id = answer->id;
		on_asked(apply, record, answer->remote.after);
	} else if (record->leaving) {
		/* Kept for a while, to know it when it comes back. */
		apply->metrics->given_back++;
		record->state = RECORD_FREE;
		record->leaving = false;
		record->rule = -1;
	} else {
		record->id = answer->id;
		if (record->why == WHY_EXEC && answer->done > record->at)
			latency_add(&apply->metrics->events, answer->done - record->at);
		if (answer->split_bytes != THP_BYTES_UNKNOWN)
			apply->metrics->split_bytes += answer->split_bytes;
		apply->metrics->applied[record->why]++;
		on_set(apply, record, (enum why)record->why, &answer->remote, answer->done);
	}
	judge_again(apply, answer->pid);
}

/* ---- the gate ----------------------------------------------------------------------------------
 */

void apply_held(struct apply *apply, pid_t pid, int rule)
{
	struct verdict verdict = judge_of_rule(apply->rules, rule);
	struct record *record;

	find(apply, pid);
	record = add(apply, pid);
	if (!record || verdict.rule < 0)
		return;
	apply->metrics->judged[WHY_GATE]++;
	record->rule = rule;
	record->mode = verdict.mode;
	record->inherited = false;
	record->leaving = false;
	record->asking = false;
	record->state = RECORD_BUSY;
	record->serial = GATE_SERIAL;
	record->why = WHY_GATE;
	record->at = loop_now();
	record->round = apply->round;
}

void apply_gate_done(struct apply *apply, pid_t pid, int rule, int err, const char *reason,
		     const struct thp_remote *remote, uint64_t asked, uint64_t done)
{
	struct record *record = table_find(&apply->table, pid);

	if (err == 0) {
		latency_add(&apply->metrics->gate, done - asked);
		apply->metrics->applied[WHY_GATE]++;
	}
	if (!record || record->serial != GATE_SERIAL || record->rule != rule)
		return; /* it has ended already */
	if (err < 0)
		on_failure(apply, record, err, reason);
	else
		on_set(apply, record, WHY_GATE, remote, done);
	/* The kernel tells of the same execve(2), too: that is no news. */
	record = table_find(&apply->table, pid);
	if (record) {
		record->serial = 0;
		record->again = false;
	}
}

void apply_gate_lost(struct apply *apply)
{
	struct record *record;

	for (size_t at = 0; (record = table_next(&apply->table, &at));) {
		if (record->state == RECORD_BUSY && record->serial == GATE_SERIAL)
			submit(apply, record, WHY_EXEC, loop_now(), false);
	}
}

/* ---- all processes -----------------------------------------------------------------------------
 */

void apply_walk_begin(struct apply *apply)
{
	apply->round++;
	apply->metrics->walks++;
}

void apply_walk_end(struct apply *apply)
{
	uint64_t now = loop_now();

	sweep(apply);
	for (unsigned i = 0; i < FAILURES; i++)
		log_settle(&apply->limits[i], now, failure_kinds[i]);
}

static bool gives_back(const struct rules *rules)
{
	struct verdict verdict;

	for (int i = 0; (verdict = judge_of_rule(rules, i)).rule >= 0; i++) {
		if (!verdict.inherit)
			return true;
	}
	return false;
}

void apply_rules(struct apply *apply, const struct rules *rules, const int *new_rule, int nr)
{
	struct record *record;

	apply->rules = rules;
	apply->told_always = false;
	apply->gives_back = gives_back(rules);
	for (size_t at = 0; (record = table_next(&apply->table, &at));) {
		record->rule = record->rule >= 0 && record->rule < nr ? new_rule[record->rule] : -1;
		if (record->state == RECORD_REFUSED)
			record->rule = -1; /* worth another try */
	}
}

void apply_give_back(struct apply *apply, int rule)
{
	struct record *record;

	for (size_t at = 0; (record = table_next(&apply->table, &at));) {
		if (record->rule != rule || record->state != RECORD_SET)
			continue;
		if (record->found == record->mode)
			record->state = RECORD_FREE;
		else
			leave(apply, record, WHY_WALK, loop_now());
	}
}

void apply_count(const struct apply *apply, uint64_t *ret_per_rule, unsigned nr)
{
	const struct record *record;

	memset(ret_per_rule, 0, nr * sizeof(*ret_per_rule));
	for (size_t at = 0; (record = table_next(&apply->table, &at));) {
		if (record->state != RECORD_EXEMPT && record->rule >= 0 &&
		    (unsigned)record->rule < nr && exists(record->pid))
			ret_per_rule[record->rule]++;
	}
}

int apply_open(struct apply *apply, unsigned nr_hands)
{
	apply->retry = (struct loop_timer){.ring = retry_due, .arg = apply};
	apply->gives_back = gives_back(apply->rules);
	return hands_open(&apply->hands, apply->loop, nr_hands, on_answer, apply);
}

void apply_close(struct apply *apply)
{
	loop_unset(apply->loop, &apply->retry);
	hands_close(&apply->hands);
	table_free(&apply->table);
}
