/* SPDX-License-Identifier: MIT */
/* thpctl collapse and split: what they share. */
#ifndef CLI_CHANGE_H
#define CLI_CHANGE_H

#include "target-arg.h"

#include "thp.h"

#include <jansson.h>
#include <stdbool.h>

struct change_verb {
	const char *name;
	const char *usage;
	bool collapse; /* else split */
	int (*change)(struct thp_ctx *ctx, struct thp_target *target,
		      const struct thp_change_request *request, struct thp_change *ret_change);
};

/* The whole of a verb: options, the change, the answer. Returns an exit status. */
int change_main(const struct change_verb *verb, int argc, char **argv);

/* Blocks of one range of mappings, by result. */
struct change_range {
	uint64_t start;
	uint64_t end;
	enum thp_backing backing;
	uint64_t results[THP_BLOCK_RESULTS];
	int error; /* the last that the kernel gave */
};

struct change_ranges {
	struct change_range *ranges;
	size_t nr;
	size_t room;
};

/* Counts a block in its range. 0 or -ENOMEM. */
int change_ranges_add(struct change_ranges *ranges, const struct thp_block *block);

struct change_answer {
	const struct change_verb *verb;
	const struct thp_process *process;
	uint64_t id;
	bool dry_run;
	const struct change_ranges *ranges;
	const struct thp_change *change;
};

void change_text(const struct change_answer *answer, bool each_range);
int change_print_json(const struct change_answer *answer);

/* The sums of a change, for thpctl set too. */
json_t *change_json(const struct thp_change *change);

/*
 * A bar on standard error while the work goes on, if that is a terminal. shown is the caller's, 0
 * at first; change_bar_end() takes the bar away.
 */
void change_bar(unsigned *shown, const char *verb, uint64_t done, uint64_t total);
void change_bar_end(unsigned shown);

#endif /* CLI_CHANGE_H */
