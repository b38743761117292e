/* SPDX-License-Identifier: MIT */
/* Programs: those of a suite file, and what all of them need before they can be run. */
#ifndef CLI_COMPARE_PROGRAM_H
#define CLI_COMPARE_PROGRAM_H

#include "compare.h"

/*
 * Makes a program ready: compiles its expressions. Says what is wrong with them; where names the
 * place, a section of a file or the command line. 0 or -EINVAL.
 */
int program_ready(struct program *program, const char *where);

void program_free(struct program *program);

/*
 * Reads a suite file, see thpctl-compare(1): an INI file, one section for each program; what the
 * section [defaults] says holds for those behind it. Says what is wrong, by line. The caller frees
 * *ret_programs. 0, -EINVAL, -ENOENT and the like.
 */
int suite_read(const char *path, struct program **ret_programs, size_t *ret_nr);

#endif /* CLI_COMPARE_PROGRAM_H */
