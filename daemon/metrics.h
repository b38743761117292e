/* SPDX-License-Identifier: MIT */
/* What thpd counts, and OpenMetrics text of it; the names are in thpd(8). */
#ifndef DAEMON_METRICS_H
#define DAEMON_METRICS_H

#include <stdint.h>
#include <stdio.h>

/* How a process came to be judged. */
enum why {
	WHY_GATE,   /* executed a marked file: caught before its first instruction */
	WHY_EXEC,   /* executed something */
	WHY_FORK,   /* forked by one that had not got its mode yet */
	WHY_CHANGE, /* changed its user or its name */
	WHY_MOVE,   /* the members of its control group changed */
	WHY_WALK,   /* was there when thpd or a rule came, or is looked at now and then */
	WHY_LOST,   /* events were lost: may have executed something */
	WHYS
};

enum failure {
	FAILURE_GONE, /* ended meanwhile: nobody's fault */
	FAILURE_TRACED,
	FAILURE_FROZEN,
	FAILURE_DENIED,
	FAILURE_UNSUPPORTED,
	FAILURE_STUCK,
	FAILURE_OTHER,
	FAILURES
};

enum failure failure_of(int err);

#define LATENCY_BUCKETS 14

struct latency {
	uint64_t buckets[LATENCY_BUCKETS + 1]; /* the last: longer than all */
	uint64_t sum;                          /* nanoseconds */
	uint64_t worst;
};

void latency_add(struct latency *latency, uint64_t ns);

struct metrics {
	uint64_t judged[WHYS];
	uint64_t applied[WHYS];
	uint64_t failed[FAILURES];
	uint64_t inherited;  /* got it by fork, untouched */
	uint64_t given_back; /* left all rules */
	uint64_t cleared;    /* had cleared the flag themselves */
	uint64_t reapplied;
	uint64_t flips;   /* changes that were not made, to end a back and forth */
	uint64_t late;    /* let go by the gate unseen */
	uint64_t walks;   /* through /proc */
	uint64_t reloads; /* of the rules, good ones */
	uint64_t bad_reloads;
	uint64_t split_bytes;
	struct latency gate;   /* from the kernel's question to the flag */
	struct latency events; /* from the execve(2) to the flag */
};

/* Values that others have. */
struct metrics_now {
	uint64_t events;
	uint64_t overflows;
	uint64_t queue;
	uint64_t records;
	uint64_t marks;
	uint64_t watches;
	unsigned nr_rules;
	const char *(*rule_name)(const void *arg, unsigned rule);
	const uint64_t *per_rule; /* processes under each */
	const void *arg;
};

void metrics_put(FILE *file, const struct metrics *metrics, const struct metrics_now *now);

#endif /* DAEMON_METRICS_H */
