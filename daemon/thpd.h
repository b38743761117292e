/* SPDX-License-Identifier: MIT */
/* The daemon as a whole: what its parts are, and how they are wired. */
#ifndef DAEMON_THPD_H
#define DAEMON_THPD_H

#include "apply.h"
#include "catch-exec.h"
#include "catch-proc.h"
#include "invert.h"
#include "moves.h"
#include "rescan.h"
#include "socket.h"

struct rules;

struct thpd_options {
	const char *rules_dir;
	const char *socket_path; /* "": none */
	const char *state_path;
	const char *metrics_path; /* NULL: none */
	size_t event_buffer;      /* bytes */
	unsigned walk_seconds;    /* 0: no walk without cause */
	unsigned nr_hands;
	bool no_gate;
	bool no_events;
};

struct thpd {
	struct thpd_options options;
	struct loop loop;
	struct thp_ctx *ctx;
	struct rules *rules;
	struct metrics metrics;
	struct apply apply;
	struct catch_proc proc;
	struct catch_exec exec;
	struct moves moves;
	struct rescan rescan;
	struct invert invert;
	struct server server;
	struct loop_watch signals;
	struct loop_timer watchdog;
	struct loop_timer metrics_timer;
	struct loop_timer settle;
	uint64_t stop_by; /* 0: not stopping */
	bool told_ready;
};

/* Runs until it is told to stop. An exit status. */
int thpd_run(const struct thpd_options *options);

struct rules_remark;

/* Tells in the log what is wrong with rules; a rules_tell of rules.h. */
void thpd_remark(void *arg, const struct rules_remark *remark);

#endif /* DAEMON_THPD_H */
