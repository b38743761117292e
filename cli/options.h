/* SPDX-License-Identifier: MIT */
/* What verbs say of their command lines. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

/* Says what getopt_long(3) found wrong (opt is '?' or ':', opterr 0). Returns CLI_USAGE. */
int option_error(const char *verb, int opt, char **argv);

#endif /* CLI_OPTIONS_H */
