/* SPDX-License-Identifier: MIT */
/*
 * Processes in the states that a parser of /proc has to survive, kept alive while they are looked
 * at.
 */
#ifndef LAB_SPECIMENS_H
#define LAB_SPECIMENS_H

#include <stdbool.h>
#include <sys/types.h>

struct specimen {
	const char *kind; /* e.g. "never", "zombie" */
	pid_t pid;        /* 0: this kernel cannot have one */
	bool light;       /* nothing of its own in its memory map */
};

#define SPECIMENS_MAX 16

/* Fills list, returns how many. Each holds its state until specimens_end(). */
int specimens_start(struct specimen list[SPECIMENS_MAX]);

void specimens_end(const struct specimen *list, int count);

#endif
