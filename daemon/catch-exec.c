// SPDX-License-Identifier: MIT
#include "catch-exec.h"

#include "rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define SECOND 1000000000u

/* The gate is asked once in a while whether it lives; while it does not answer, programs wait. */
#define PULSE_NS    (1 * (uint64_t)SECOND)
#define PATIENCE_NS (4 * (uint64_t)SECOND)

#define RETRY_MOST 60 /* seconds */

static void gate_ready(void *arg, uint32_t events);

/* In the gate: what a program is to get that stands before its first instruction. */
static struct gate_verdict decide(void *arg, pid_t pid)
{
	const struct rules *rules = arg;
	struct gate_verdict nothing = {.rule = -1};
	struct verdict verdict;

	/* Where the parent's rule decides, the main process does: it knows. */
	if (judge(rules, pid, NULL, NULL, &verdict) < 0 || verdict.rule < 0 || !verdict.on_exec ||
	    (size_t)verdict.rule >= rules->nr)
		return nothing;
	return (struct gate_verdict){verdict.rule, verdict.mode};
}

static struct catch_gate *start(struct catch_exec *exec)
{
	struct catch_gate *gate = &exec->gates[exec->now == &exec->gates[0]];
	struct gate_setup setup = {decide, (void *)exec->rules};
	const struct timeval patience = {.tv_sec = 1};
	int r = child_start(&gate->child, "thpd-gate", gate_main, &setup);

	if (r < 0) {
		log_line(LOG_ERR, "cannot start the gate: %s", strerror(-r));
		return NULL;
	}
	*gate = (struct catch_gate){
		.owner = exec,
		.child = gate->child,
		.watch = {gate->child.fd, gate_ready, gate},
		.rules = exec->rules,
		.heard = loop_now(),
	};
	setsockopt(gate->child.fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	loop_watch(exec->loop, &gate->watch, EPOLLIN);
	return gate;
}

static void stop(struct catch_exec *exec, struct catch_gate **gate)
{
	if (!*gate)
		return;
	loop_unwatch(exec->loop, &(*gate)->watch);
	child_kill(&(*gate)->child);
	*gate = NULL;
}

/* ---- marks -------------------------------------------------------------------------------------
 */

static void mark_in(const struct catch_gate *gate, int fd)
{
	struct gate_message message = {.word = GATE_MARK};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec iov = {&message, sizeof(message)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	sendmsg(gate->child.fd, &msg, MSG_NOSIGNAL);
}

/* A file that is meant. Only the newest gate is marked anew: the other has its marks. */
static void on_file(void *arg, int fd)
{
	struct catch_exec *exec = arg;
	struct catch_gate *gate = exec->next ? exec->next : exec->now;

	if (gate)
		mark_in(gate, fd);
}

static void ping(struct catch_gate *gate, bool last)
{
	const struct gate_message message = {.word = GATE_PING, .last = last};

	send(gate->child.fd, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Takes the patterns of a rule. */
static void collect_rule(struct catch_exec *exec, const struct rule *rule)
{
	const struct rule_values *programs = rules_programs(rule);
	bool any_depth = false;

	for (size_t i = 0; i < programs->nr; i++) {
		const char *pattern = rules_program_path(&programs->values[i]);

		if (marks_can(pattern))
			exec->patterns[exec->nr_patterns++] = pattern;
		else
			any_depth = true;
	}
	if (any_depth)
		log_line(LOG_NOTICE,
			 "%s:%u: rule %s: programs at any depth cannot be caught before they "
			 "start: they are right after it",
			 rule->file, rule->line, rule->name);
}

/* The patterns of rules that are for programs that are executed. */
static int collect(struct catch_exec *exec)
{
	const struct rules *rules = exec->rules;
	size_t nr = 0;

	free(exec->patterns);
	exec->nr_patterns = 0;
	for (size_t i = 0; i < rules->nr; i++)
		nr += rules_programs(&rules->rules[i])->nr;
	exec->patterns = calloc(nr + 1, sizeof(*exec->patterns));
	if (!exec->patterns)
		return -ENOMEM;
	for (size_t i = 0; i < rules->nr; i++) {
		if (rules->rules[i].on_exec && !rules->rules[i].leave)
			collect_rule(exec, &rules->rules[i]);
	}
	return 0;
}

/* ---- life and death ----------------------------------------------------------------------------
 */

/* Starts a gate that takes over when it has all marks. */
static void renew(struct catch_exec *exec)
{
	stop(exec, &exec->next);
	exec->next = start(exec);
	exec->retry = exec->next ? 0 : loop_now() + PULSE_NS;
}

static void on_ready(struct catch_exec *exec, struct catch_gate *gate, int err)
{
	if (err < 0) {
		exec->impossible = true;
		log_line(LOG_WARNING,
			 "programs cannot be caught before they start: %s; they are right after it",
			 err == -EOPNOTSUPP ? "the kernel lacks something (needs Linux 6.9 and "
					      "CONFIG_FANOTIFY_ACCESS_PERMISSIONS)"
			 : err == -EPERM    ? "needs CAP_SYS_ADMIN and CAP_SYS_PTRACE"
					    : strerror(-err));
		return;
	}
	exec->deaths = 0;
	if (exec->marks.watch.fd < 0) {
		int r = marks_open(&exec->marks, exec->loop, exec->patterns, exec->nr_patterns,
				   on_file, exec);

		if (r < 0)
			log_line(LOG_ERR, "cannot watch directories: %s", strerror(-r));
	} else {
		marks_repeat(&exec->marks);
	}
	ping(gate, true);
}

static void take_over(struct catch_exec *exec)
{
	if (!exec->next || !exec->next->complete)
		return;
	stop(exec, &exec->now);
	apply_gate_lost(exec->apply);
	exec->now = exec->next;
	exec->next = NULL;
	log_line(LOG_DEBUG, "the gate stands at %zu executables", exec->marks.nr_files);
}

static void on_death(struct catch_exec *exec, struct catch_gate *gate, const char *why)
{
	unsigned wait = exec->deaths < 6 ? 1u << exec->deaths : RETRY_MOST;
	bool was_now = gate == exec->now;

	if (was_now)
		stop(exec, &exec->now);
	else
		stop(exec, &exec->next);
	apply_gate_lost(exec->apply);
	if (exec->impossible || exec->next)
		return;
	exec->deaths++;
	exec->retry = loop_now() + wait * (uint64_t)SECOND;
	log_line(LOG_WARNING,
		 "the gate %s: programs start without waiting for it, and are right after that; "
		 "another one in %u s",
		 why, wait);
}

static void on_message(struct catch_exec *exec, struct catch_gate *gate,
		       const struct gate_message *message)
{
	gate->heard = loop_now();
	switch (message->word) {
	case GATE_READY:
		on_ready(exec, gate, message->err);
		break;
	case GATE_PONG:
		gate->complete = gate->complete || message->last;
		break;
	case GATE_UNMARKED:
		log_line(LOG_WARNING, "an executable cannot be watched: %s",
			 strerror(-message->err));
		break;
	case GATE_HELD:
	case GATE_DONE:
		if (gate->rules != exec->rules)
			break; /* its numbers are those of former rules */
		exec->before(exec->arg);
		if (message->word == GATE_HELD)
			apply_held(exec->apply, message->pid, message->rule);
		else
			apply_gate_done(exec->apply, message->pid, message->rule, message->err,
					message->reason, &message->remote, message->asked,
					message->done);
		break;
	case GATE_LATE:
		exec->apply->metrics->late++;
		break;
	default:
		break;
	}
}

static void gate_ready(void *arg, uint32_t events)
{
	struct catch_gate *gate = arg;
	struct catch_exec *exec = gate->owner;
	struct gate_message message;
	ssize_t n;

	(void)events;
	while ((n = recv(gate->child.fd, &message, sizeof(message), MSG_DONTWAIT)) ==
	       sizeof(message))
		on_message(exec, gate, &message);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		on_death(exec, gate, "died");
	take_over(exec);
}

void catch_exec_drain(struct catch_exec *exec)
{
	if (exec->now)
		gate_ready(exec->now, 0);
}

static void ask(struct catch_exec *exec, struct catch_gate *gate, uint64_t now)
{
	if (gate && now - gate->heard > PATIENCE_NS)
		on_death(exec, gate, "hangs");
	else if (gate)
		ping(gate, false);
}

static void pulse(void *arg)
{
	struct catch_exec *exec = arg;
	uint64_t now = loop_now();

	ask(exec, exec->now, now);
	ask(exec, exec->next, now);
	if (exec->retry && now >= exec->retry)
		renew(exec);
	loop_set(exec->loop, &exec->pulse, now + PULSE_NS);
}

void catch_exec_rules(struct catch_exec *exec, const struct rules *rules)
{
	exec->rules = rules;
	exec->retry = 0;
	marks_close(&exec->marks);
	if (collect(exec) < 0 || exec->nr_patterns == 0 || exec->impossible) {
		stop(exec, &exec->next);
		stop(exec, &exec->now);
		apply_gate_lost(exec->apply);
		loop_unset(exec->loop, &exec->pulse);
		return;
	}
	renew(exec);
	loop_set(exec->loop, &exec->pulse, loop_now() + PULSE_NS);
}

void catch_exec_open(struct catch_exec *exec, struct loop *loop, struct apply *apply,
		     void (*before)(void *arg), void *arg)
{
	*exec = (struct catch_exec){
		.loop = loop,
		.apply = apply,
		.marks = MARKS_INIT,
		.pulse = {.ring = pulse, .arg = exec},
		.before = before,
		.arg = arg,
	};
}

void catch_exec_close(struct catch_exec *exec)
{
	stop(exec, &exec->next);
	stop(exec, &exec->now);
	marks_close(&exec->marks);
	if (exec->loop)
		loop_unset(exec->loop, &exec->pulse);
	free(exec->patterns);
	exec->patterns = NULL;
}
