/* SPDX-License-Identifier: MIT */
/* What a run wrote, and what is looked for in it. */
#ifndef CLI_COMPARE_OUTPUT_H
#define CLI_COMPARE_OUTPUT_H

#include "compare.h"

/* An empty file in memory, close-on-exec, or -errno. */
int output_file(void);

/*
 * Looks for metric and expectation in what was written to standard output and error (out), and
 * keeps the end of standard error (err) of a run that is not OK. Changes outcome accordingly.
 */
void output_judge(const struct program *program, int out, int err, struct run *run);

#endif /* CLI_COMPARE_OUTPUT_H */
