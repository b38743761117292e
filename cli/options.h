/* SPDX-License-Identifier: MIT */
/* What verbs say of their command lines and results. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

/* Says what getopt_long(3) found wrong (opt is '?' or ':', opterr 0). Returns CLI_USAGE. */
int option_error(const char *verb, int opt, char **argv);

/* Writes a usage text to standard output. Returns an exit status. */
int option_help(const char *usage);

/*
 * Ends the output: what was written must have reached its file. Returns status, or CLI_FAILURE
 * with a word about it, if it did not (a full disk, a closed descriptor).
 */
int output_end(const char *verb, int status);

#endif /* CLI_OPTIONS_H */
