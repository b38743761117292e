/* SPDX-License-Identifier: MIT */
/* The main process's side of the gate: starts it, marks files, and looks whether it lives. */
#ifndef DAEMON_CATCH_EXEC_H
#define DAEMON_CATCH_EXEC_H

#include "apply.h"
#include "gate.h"
#include "marks.h"

struct catch_exec;

/* One gate; there are two for a moment when the rules change. */
struct catch_gate {
	struct catch_exec *owner;
	struct child child;
	struct loop_watch watch;
	const struct rules *rules; /* that it goes by */
	bool complete;             /* has all marks */
	uint64_t heard;
};

struct catch_exec {
	struct loop *loop;
	struct apply *apply;
	const struct rules *rules; /* NULL: no gate is wanted */
	const char **patterns;
	size_t nr_patterns;
	struct catch_gate gates[2];
	struct catch_gate *now;  /* that answers; NULL: none */
	struct catch_gate *next; /* that will; NULL: none */
	struct marks marks;
	struct loop_timer pulse;
	uint64_t retry; /* when to start one anew */
	unsigned deaths;
	bool impossible; /* there can be none here; said once */
	/* Called before news of a process: who knows of forks and ends is to tell first. */
	void (*before)(void *arg);
	void *arg;
};

void catch_exec_open(struct catch_exec *exec, struct loop *loop, struct apply *apply,
		     void (*before)(void *arg), void *arg);
void catch_exec_close(struct catch_exec *exec);

/* The rules are these from now on; they must stay until the next call. */
void catch_exec_rules(struct catch_exec *exec, const struct rules *rules);

/* Takes what the gate has said. */
void catch_exec_drain(struct catch_exec *exec);

#endif /* DAEMON_CATCH_EXEC_H */
