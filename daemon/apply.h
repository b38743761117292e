/* SPDX-License-Identifier: MIT */
/* Gives processes the modes that the rules say, and keeps account of it. */
#ifndef DAEMON_APPLY_H
#define DAEMON_APPLY_H

#include "hands.h"
#include "judge.h"
#include "log.h"
#include "metrics.h"
#include "table.h"

struct apply {
	struct loop *loop;
	struct thp_ctx *ctx;
	const struct rules *rules;
	const char *(*rule_name)(const struct rules *rules, int rule);
	struct metrics *metrics;
	struct table table;
	struct hands hands;
	struct loop_timer retry;
	struct log_limit limits[FAILURES];
	struct log_limit cleared_limit;
	struct log_limit flip_limit;
	uint64_t serial;
	unsigned round;
	size_t swept; /* records that were left when those of ended processes were dropped last */
	/* To be called before what is known of processes counts: forks that wait to be told, */
	void (*tell_forks)(void *arg);
	/* and what the gate has done. */
	void (*tell_gate)(void *arg);
	void *arg;
	bool gives_back; /* a rule of these ends with execve(2), so that each unnamed one counts */
	bool trusts_found; /* no earlier thpd has changed anybody: modes are as they were found */
	bool told_always;  /* that "always" has no effect was said, since the rules were read */
};

/* Starts the hands. ctx, rules and others are the caller's. 0 or -errno. */
int apply_open(struct apply *apply, unsigned nr_hands);
void apply_close(struct apply *apply);

/* Something happened to a process, at a time (monotonic nanoseconds): judges it and acts. */
void apply_judge(struct apply *apply, pid_t pid, enum why why, uint64_t at);

void apply_forked(struct apply *apply, pid_t parent, pid_t child, uint64_t at);

/* Events were lost: nothing that rests on having seen them all is trusted until the next walk. */
void apply_lost(struct apply *apply);

/* The gate has a process and gives it the mode of a rule; and what came of it. */
void apply_held(struct apply *apply, pid_t pid, int rule);
void apply_gate_done(struct apply *apply, pid_t pid, int rule, int err, const char *reason,
		     const struct thp_remote *remote, uint64_t asked, uint64_t done);

/* The gate died: what it had is done by hands. */
void apply_gate_lost(struct apply *apply);

/* A walk through all processes begins; at its end those that it did not see are forgotten. */
void apply_walk_begin(struct apply *apply);
void apply_walk_end(struct apply *apply);

/* The rules are others now: new_rule[] tells the new number of each of the nr old, -1 none. */
void apply_rules(struct apply *apply, const struct rules *rules, const int *new_rule, int nr);

/* Those under a rule get back what they had before. */
void apply_give_back(struct apply *apply, int rule);

/* Processes under each of nr rules. */
void apply_count(const struct apply *apply, uint64_t *ret_per_rule, unsigned nr);

/* The number of the rule that a process is under, -1: none. */
int apply_rule_of(void *apply, pid_t pid);

#endif /* DAEMON_APPLY_H */
