/* SPDX-License-Identifier: MIT */
/* What a command will run as: the file that the kernel loads, and what its memory comes from. */
#ifndef CLI_ALWAYS_PROGRAM_H
#define CLI_ALWAYS_PROGRAM_H

#include "image.h"

#define PROGRAM_LIBRARIES_MAX 256

struct program {
	struct image *main;   /* of a script, its interpreter */
	struct image *loader; /* NULL: static */
	bool script;
	bool other_rights; /* set-user-ID and the like: the environment will not be trusted */
	size_t nr_libraries;
	char *libraries[PROGRAM_LIBRARIES_MAX]; /* paths */
};

/*
 * Looks at a command, found as exec_command() finds it. Errors: -ENOENT there is none, -ENOEXEC no
 * ELF file, -EACCES it may be run and not read, -ENOMEM. The caller gives it to program_close().
 */
int program_open(const char *command, struct program *ret_program);

void program_close(struct program *program);

/* The path of the library whose file name begins so. NULL: it has none. */
const char *program_library(const struct program *program, const char *prefix);

/*
 * Asks the loader of a program, as ldd(1) does, for the libraries that it would load: it alone
 * knows all its search paths. Paths that it does not find are left out. The number, 0 if it cannot
 * be asked.
 */
size_t libraries_list(const char *loader, const char *path, char *ret_paths[], size_t most);

#endif /* CLI_ALWAYS_PROGRAM_H */
