/* SPDX-License-Identifier: MIT */
/*
 * A checkpoint is a file of JSON lines: what was asked and on what machine, then one line for each
 * finished run. It only grows, so that a crash costs at most the run that was going on.
 */
#ifndef CLI_COMPARE_CHECKPOINT_H
#define CLI_COMPARE_CHECKPOINT_H

#include "compare.h"
#include "machine.h"

#include <jansson.h>

struct checkpoint {
	int fd; /* -1: none is kept */
	const char *path;
};

/* Starts a new file; one that is there already is somebody's measurement and stays. */
int checkpoint_create(struct checkpoint *checkpoint, const char *path, int argc, char **argv,
		      uint64_t seed, const struct machine *machine);

/* What a file holds: the lines, an array. Says what is wrong with it. */
int checkpoint_read(const char *path, json_t **ret_lines);

/* Whether the lines are of this machine as it is set now: 0, or -ESTALE, having said what is not.
 */
int checkpoint_same_machine(const json_t *lines, const struct machine *machine);

/* Opens a file to go on writing; a last line that a crash cut off is removed. */
int checkpoint_continue(struct checkpoint *checkpoint, const char *path);

/* Writes a run and waits until it is on disk. 0 or -errno. */
int checkpoint_add(struct checkpoint *checkpoint, const struct compare *compare,
		   const struct run *run);

void checkpoint_close(struct checkpoint *checkpoint);

#endif /* CLI_COMPARE_CHECKPOINT_H */
