/* SPDX-License-Identifier: MIT */
/* Those who change other processes: a few children, each with one job at a time. */
#ifndef DAEMON_HANDS_H
#define DAEMON_HANDS_H

#include "child.h"
#include "loop.h"

#include "thp.h"

struct hand_job {
	uint64_t serial;
	pid_t pid;
	uint64_t id;        /* of the target, 0: whoever has the number */
	enum thp_mode mode; /* unknown: only ask which it has */
	bool split;         /* then split its huge pages */
};

struct hand_answer {
	uint64_t serial;
	pid_t pid;
	uint64_t id;
	int err; /* 0 or -errno, with the reason */
	struct thp_remote remote;
	uint64_t done;        /* when, monotonic nanoseconds */
	uint64_t split_bytes; /* THP_BYTES_UNKNOWN: splitting failed, with the reason */
	char reason[256];
};

#define HANDS_MAX 4

/* Jobs of one urgency, first come, first served. */
struct hand_queue {
	struct hand_job *jobs;
	size_t places; /* a power of two, or 0 */
	size_t first;
	size_t nr;
};

struct hand {
	struct hands *hands;
	struct child child;
	struct loop_watch watch;
	struct hand_job job; /* under way, serial 0: none */
	uint64_t since;
};

struct hands {
	struct loop *loop;
	void (*done)(void *arg, const struct hand_answer *answer);
	void *arg;
	unsigned nr;
	struct hand hand[HANDS_MAX];
	struct hand_queue urgent;
	struct hand_queue calm;
	struct loop_timer stuck;
};

/* Starts nr hands. 0 or -errno. */
int hands_open(struct hands *hands, struct loop *loop, unsigned nr,
	       void (*done)(void *arg, const struct hand_answer *answer), void *arg);
void hands_close(struct hands *hands);

/* Hands in a job; done() is called when it is done, or its hand was lost. 0 or -ENOMEM. */
int hands_give(struct hands *hands, const struct hand_job *job, bool urgent);

/* Jobs that wait or are under way. */
size_t hands_load(const struct hands *hands);

#endif /* DAEMON_HANDS_H */
