/* SPDX-License-Identifier: MIT */
/* The command line of thpctl compare. */
#ifndef CLI_COMPARE_ASK_H
#define CLI_COMPARE_ASK_H

#include "compare.h"

extern const char compare_usage[];

/*
 * Takes a command line over the settings, which start from ask_defaults(): so a resumed comparison
 * takes the words it was started with, then those of today. Strings are kept, not copied. Returns
 * -1 to go on, else an exit status.
 */
int ask_parse(int argc, char **argv, struct settings *settings);

void ask_defaults(struct settings *settings);

/* What can be checked only when all words are known. -1 to go on, else an exit status. */
int ask_check(struct settings *settings);

void ask_free(struct settings *settings);

#endif /* CLI_COMPARE_ASK_H */
