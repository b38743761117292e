/* SPDX-License-Identifier: MIT */
/* The processes that rules have touched. Pure: no system calls. */
#ifndef DAEMON_TABLE_H
#define DAEMON_TABLE_H

#include "thp.h"

#include <stdbool.h>

enum record_state {
	RECORD_BUSY = 1, /* a hand, or the gate, is at work on it */
	RECORD_SET,      /* has the mode */
	RECORD_RETRY,    /* could not be set for now; due */
	RECORD_REFUSED,  /* cannot be set; said once */
	RECORD_EXEMPT,   /* was there before, and its rule is for new ones only */
	RECORD_FREE,    /* was under a rule, and got back what it had */
};

/* One process. Others, the most, have no record. */
struct record {
	pid_t pid;          /* 0: a free place */
	uint64_t id;        /* of libthp's targets; 0: not known */
	int rule;           /* number of the rule that it is under, -1: its rule is gone */
	enum thp_mode mode; /* that it has, or is to get */
	enum thp_mode
		found; /* that it had before any rule touched it, unknown: nobody has looked */
	enum record_state state;
	bool inherited;    /* is under the rule as a child, or by what it was before execve(2) */
	bool leaving;      /* is under no rule any more and gets back what it had */
	bool asking;       /* the job under way only asks which mode it has */
	bool again;        /* something happened while busy: judge once more */
	bool unsure;       /* events were lost: may be another process, or have another mode */
	bool told_cleared; /* that it had cleared the flag was said */
	bool told_flip;    /* that it goes back and forth between rules was said */
	uint8_t why;       /* enum why of the job under way */
	uint8_t again_why; /* of what happened while busy, */
	uint64_t again_at; /* and when */
	uint8_t tries;
	uint8_t changes;   /* of its mode, since first_change */
	unsigned round;    /* of the last walk that saw it */
	uint64_t serial;   /* of the job under way */
	uint64_t at;       /* when that came about */
	uint64_t set_at;   /* when the flag was set; children forked later have it */
	uint64_t due;      /* of RECORD_RETRY */
	uint64_t asked_at; /* when its mode was last seen */
	uint64_t first_change;
	uint64_t program; /* of RECORD_EXEMPT: which one it runs */
};

struct table {
	struct record *places;
	size_t nr_places; /* a power of two, or 0 */
	size_t nr;
};

void table_free(struct table *table);

/* NULL: none. A pointer is valid until the next table_add() or table_drop(). */
struct record *table_find(const struct table *table, pid_t pid);

/* The record of a process, new and zero but for pid if there is none. NULL: no memory. */
struct record *table_add(struct table *table, pid_t pid);

void table_drop(struct table *table, pid_t pid);

/* Goes through all records in any order: *at starts from 0. NULL at the end. */
struct record *table_next(const struct table *table, size_t *at);

#endif /* DAEMON_TABLE_H */
