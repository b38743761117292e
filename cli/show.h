/* SPDX-License-Identifier: MIT */
/* thpctl show: what was asked for, and its two forms of answer. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "family.h"

#include "thp.h"

#include <stdbool.h>

/* What the user asked for: one of all, tree and pids, or none of them for the system. */
struct show_request {
	bool all, json, metrics, no_size, why, exact;
	uint64_t start, end; /* with why: the mapping at an address; end 0: all */
	pid_t tree;          /* 0: not asked for */
	const char *sysroot;
	pid_t *pids;
	size_t nr_pids;
};

/* One process of the answer. */
struct show_row {
	struct thp_process *process; /* member of the family */
	unsigned depth;              /* below the top of a tree */
};

struct show_rows {
	struct show_row *rows;
	size_t nr;
};

/* What every answer is made from. */
struct show {
	struct thp_ctx *ctx;
	struct thp_system system;
	bool no_size; /* huge memory was not to be read */
	bool exact;   /* modes are asked for inside the processes where they cannot be seen */
};

/*
 * Reads the processes that were asked for, and says which are gone. Returns an exit status, or
 * -errno. The caller frees the family and rows->rows.
 */
int show_collect(const struct show *show, const struct show_request *request,
		 struct family *ret_family, struct show_rows *ret_rows);

/* The system's settings, and the mode of the process that asks, where there is one. */
void show_text_system(const struct show *show);

/* A few processes in full, each with the chain of its parents. */
void show_text_process(const struct show *show, const struct family *family,
		       const struct thp_process *process);

/* Many processes, a line each; the flag's origin is marked and named. */
void show_text_table(const struct show *show, const struct family *family,
		     const struct show_rows *rows);

/*
 * The same as JSON, see thpctl-show(1) for the schema. rows may be NULL: the system only.
 * -ENOMEM: nothing was printed.
 */
int show_json(const struct show *show, const struct family *family, const struct show_rows *rows);

/* The same for monitoring, in OpenMetrics' text form. rows may be NULL. 0 or -errno. */
int show_metrics(const struct show *show, const struct show_rows *rows);

#endif /* CLI_SHOW_H */
