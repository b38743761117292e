/* SPDX-License-Identifier: MIT */
/* One line on a terminal's standard error, redrawn between runs: never while one is measured. */
#ifndef CLI_COMPARE_PROGRESS_H
#define CLI_COMPARE_PROGRESS_H

#include "compare.h"

struct progress {
	bool on;
	double begin;
	size_t before; /* runs that a checkpoint brought along */
	double next_show;
	char ratio[64]; /* the estimate in words; empty: none */
	double half;    /* half the width of its interval; NAN: none */
};

void progress_start(struct progress *progress, const struct compare *compare);

/* Shows how far it is, and the running estimate of the program that ran. */
void progress_show(struct progress *progress, const struct compare *compare, size_t program);

void progress_end(const struct progress *progress);

#endif /* CLI_COMPARE_PROGRESS_H */
