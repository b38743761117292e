/* SPDX-License-Identifier: MIT */
/* What verbs say of their command lines. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

/* Says what getopt_long(3) found wrong (opt is '?' or ':', opterr 0). Returns CLI_USAGE. */
int option_error(const char *verb, int opt, char **argv);

/*
 * Takes a group of --cgroup or --cpuset. 0, or CLI_USAGE having said why: an empty one, from a
 * variable that is not set, would be every process of the machine.
 */
int option_group(const char *verb, const char *text, const char **ret_group);

#endif /* CLI_OPTIONS_H */
