// SPDX-License-Identifier: MIT
/* Finds the executable of a verb: beside this program, in the tree it was moved with, installed. */
#include "cli.h"
#include "front.h"

#include "../common/say.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef LIBEXECDIR
#error "LIBEXECDIR is where make install puts the verbs"
#endif

int exec_verb(const char *verb, char **argv)
{
	/* Not from the environment: a verb may run with more rights than who set it. */
	static const char *const below[] = {"", "/../libexec/thpctl"};
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (len > 0) {
		self[len] = '\0';
		slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
		for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
			snprintf(path, sizeof(path), "%s%s/thpctl-%s", self, below[i], verb);
			execv(path, argv);
			if (errno != ENOENT)
				break;
		}
	}
	if (len <= 0 || errno == ENOENT) {
		snprintf(path, sizeof(path), LIBEXECDIR "/thpctl-%s", verb);
		execv(path, argv);
	}
	if (len <= 0)
		say("%s: cannot execute %s: %s; without /proc no other place is known", verb, path,
		    strerror(errno));
	else
		say("%s: cannot execute %s: %s; is thpctl installed completely?", verb, path,
		    strerror(errno));
	return CLI_FAILURE;
}
