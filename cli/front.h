/* SPDX-License-Identifier: MIT */
/*
 * The front: the small static program that people call. It runs commands itself, since every page
 * fault of it delays them, and hands other verbs to executables of their own, as git does.
 */
#ifndef CLI_FRONT_H
#define CLI_FRONT_H

/* thpctl run; argv[0] is "run". Returns an exit status only if the command did not start. */
int cmd_run(int argc, char **argv);

/*
 * thpctl map; argv[0] is "map". In the front, since to start a second program would take longer
 * than the answer; its pages are not touched by other verbs. Returns an exit status.
 */
int cmd_map(int argc, char **argv);

/*
 * Replaces this process by the command, found along PATH. Returns only on failure, having said
 * why, with the exit status that a shell would give: 127 not found, 126 cannot execute.
 */
int exec_command(char **argv);

/* Replaces this process by the executable of a verb. Returns only on failure, with a status. */
int exec_verb(const char *verb, char **argv);

#endif /* CLI_FRONT_H */
