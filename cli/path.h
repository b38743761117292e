/* SPDX-License-Identifier: MIT */
/* Commands along PATH, as execvp(3) looks for them. */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include <limits.h>
#include <stdbool.h>

struct path_search {
	const char *name;
	const char *dir; /* what is left of PATH; NULL: nothing */
};

/* Begins a search for a name without a slash. */
void path_begin(struct path_search *search, const char *name);

/* The next place where it could be. False: there is none. */
bool path_next(struct path_search *search, char ret_path[PATH_MAX]);

/* The file that execve(2) would be given and could start. False: there is none. */
bool path_find(const char *name, char ret_path[PATH_MAX]);

#endif /* CLI_PATH_H */
