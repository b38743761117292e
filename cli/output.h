/* SPDX-License-Identifier: MIT */
/* What the front and all verbs do with standard output. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

/*
 * Ends the output: what was written must have reached its file. Returns status, or CLI_FAILURE
 * with a word about it, if it did not (a full disk, a closed descriptor).
 */
int output_end(const char *verb, int status);

/* Writes a usage text and ends the output. Returns an exit status. */
int output_usage(const char *verb, const char *usage);

#endif /* CLI_OUTPUT_H */
