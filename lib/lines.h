/* SPDX-License-Identifier: MIT */
/* Lines of a file in flat memory, however long the file and however long a line. */
#ifndef THP_LINES_H
#define THP_LINES_H

#include "internal.h"

/* Longer lines are cut: "Groups:" of /proc/PID/status can hold 65,536 numbers. */
#define LINES_MAX 4096

struct lines {
	struct thp_ctx *ctx;
	const char *path; /* for the reason; the caller keeps it */
	int fd;
	bool end;
	bool skip; /* inside a line whose head was delivered already */
	size_t start;
	size_t fill;
	char buf[LINES_MAX + 1];
};

/* Opens a file below the root. 0 or -errno. */
int lines_open(struct lines *lines, struct thp_ctx *ctx, const char *path);

/* Next line, NUL-terminated in place, without its newline. 1, 0 at the end, or -errno. */
int lines_next(struct lines *lines, char **ret_line);

void lines_close(struct lines *lines);

#endif /* THP_LINES_H */
