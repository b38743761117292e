/* SPDX-License-Identifier: MIT */
/*
 * The gate: a child that the kernel asks before it opens a marked executable for execve(2)
 * (fanotify(7), FAN_OPEN_EXEC_PERM). It becomes the tracer of the thread that asks, says yes, and
 * at the end of the execve(2), before the first instruction of the new program, gives it its mode.
 *
 * Whoever executes a marked file waits for the gate. When it dies or is killed the kernel says yes
 * in its place and lets go of all that it traced.
 */
#ifndef DAEMON_GATE_H
#define DAEMON_GATE_H

#include "thp.h"

#include <stdbool.h>

enum gate_word {
	/* To the gate */
	GATE_MARK = 1, /* the file whose descriptor comes along; answered if that fails */
	GATE_PING,     /* answered by GATE_PONG: neither is dead, and all marks before are set */
	/* From the gate */
	GATE_READY,    /* or err: there can be no gate here */
	GATE_UNMARKED, /* a file could not be marked: err */
	GATE_PONG,
	GATE_HELD, /* pid stands before its first instruction and gets the mode of rule */
	GATE_DONE, /* that has ended: err, remote */
	GATE_LATE, /* pid was let go unseen: it could not be traced in time */
};

struct gate_message {
	enum gate_word word;
	bool last; /* of PING, and its PONG: all marks that are there now were sent before */
	pid_t pid;
	int rule;
	int err; /* 0 or -errno */
	struct thp_remote remote;
	uint64_t asked; /* when the kernel asked, monotonic nanoseconds */
	uint64_t done;
	char reason[256];
};

/* What a program that was caught is to get. */
struct gate_verdict {
	int rule; /* below 0: nothing */
	enum thp_mode mode;
};

struct gate_setup {
	/* Decides over a process that stands before its first instruction. */
	struct gate_verdict (*decide)(void *arg, pid_t pid);
	void *arg;
};

/* The main program of the child, see child_start(); arg is a struct gate_setup. */
int gate_main(int fd, void *arg);

#endif /* DAEMON_GATE_H */
