// SPDX-License-Identifier: MIT
#include "path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/bin:/usr/bin" /* execvp(3) without PATH in the environment */

void path_begin(struct path_search *search, const char *name)
{
	const char *dir = getenv("PATH");

	*search = (struct path_search){.name = name, .dir = dir ? dir : DEFAULT_PATH};
}

bool path_next(struct path_search *search, char ret_path[PATH_MAX])
{
	while (search->dir) {
		const char *dir = search->dir;
		int len = (int)strcspn(dir, ":"), n;

		search->dir = dir[len] ? dir + len + 1 : NULL;
		/* An empty element is the working directory (environ(7)). */
		n = snprintf(ret_path, PATH_MAX, "%.*s/%s", len ? len : 1, len ? dir : ".",
			     search->name);
		if (n < PATH_MAX)
			return true;
	}
	return false;
}

static bool is_executable(const char *path)
{
	struct stat st;

	return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool path_find(const char *name, char ret_path[PATH_MAX])
{
	struct path_search search;

	if (strchr(name, '/'))
		return snprintf(ret_path, PATH_MAX, "%s", name) < PATH_MAX &&
		       is_executable(ret_path);
	path_begin(&search, name);
	while (*name && path_next(&search, ret_path)) {
		if (is_executable(ret_path))
			return true;
	}
	return false;
}
