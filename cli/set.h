/* SPDX-License-Identifier: MIT */
/* thpctl set: which processes, what became of them, and its two forms of answer. */
#ifndef CLI_SET_H
#define CLI_SET_H

#include "target-arg.h"

#include "thp.h"

#include <stdbool.h>

struct set_request {
	enum thp_mode mode;
	bool tree, split, collapse, json, dry_run;
	const char *cgroup; /* NULL: not asked for */
	const char *cpuset;
	struct target_arg *args;
	size_t nr_args;
};

/* One process of the answer. */
struct set_item {
	struct thp_target *target; /* NULL: could not be opened */
	pid_t pid;
	uint64_t id;
	char comm[THP_COMM_MAX + 1];
	bool done;
	int err;          /* 0, or -errno */
	char reason[512]; /* of err */
	unsigned before;  /* THP_MODE_BIT()s: more than one where it could only be told from outside
			   */
	enum thp_mode after; /* unknown after a dry run */
	enum thp_basis basis;
	struct thp_remote remote; /* tid is 0 if no thread had to be held */
	uint64_t huge;            /* what is huge when all is done */
	uint64_t advised;         /* address space with MADV_HUGEPAGE, or THP_BYTES_UNKNOWN */
	size_t children;          /* that were not included */
	int change_err;           /* of --split or --collapse */
	char change_reason[512];
	bool changed; /* change is set */
	struct thp_change change;
};

struct set {
	struct thp_ctx *ctx;
	const struct set_request *request;
	struct thp_system system;
	struct set_item *items;
	size_t nr;
	size_t room;
	bool endless; /* new processes appeared until patience ended */
};

/*
 * Adds the processes that were asked for and are not yet there. Returns how many were added, or
 * -errno. Those of a group that vanish or have no memory are left out; those named on the command
 * line become items with their error.
 */
ssize_t set_collect(struct set *set);

/* Counts the children that each process keeps outside. */
void set_count_children(struct set *set);

/* Does what was asked for to one process. */
void set_apply(struct set *set, struct set_item *item);

/* What one process got, as text at once. */
void set_text(const struct set *set, const struct set_item *item);

/* All of them as JSON, see thpctl-set(1) for the schema. -ENOMEM: nothing was printed. */
int set_json(const struct set *set);

#endif /* CLI_SET_H */
