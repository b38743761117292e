// SPDX-License-Identifier: MIT
#include "lines.h"

#include "root.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int lines_open(struct lines *lines, struct thp_ctx *ctx, const char *path)
{
	int fd = root_open(ctx, path);

	if (fd < 0)
		return fd;
	lines->ctx = ctx;
	lines->path = path;
	lines->fd = fd;
	lines->end = false;
	lines->skip = false;
	lines->start = 0;
	lines->fill = 0;
	return 0;
}

void lines_close(struct lines *lines)
{
	close(lines->fd);
}

/* Moves what is left to the front and reads on behind it. */
static int refill(struct lines *lines)
{
	ssize_t n;

	lines->fill -= lines->start;
	memmove(lines->buf, lines->buf + lines->start, lines->fill);
	lines->start = 0;
	do {
		n = read(lines->fd, lines->buf + lines->fill, LINES_MAX - lines->fill);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		int err = errno;

		return fail(lines->ctx, -err, "%s/%s: %s", lines->ctx->root, lines->path,
			    strerror(err));
	}
	lines->end = n == 0;
	lines->fill += (size_t)n;
	return 0;
}

int lines_next(struct lines *lines, char **ret_line)
{
	for (;;) {
		char *line = lines->buf + lines->start;
		size_t len = lines->fill - lines->start;
		char *newline = memchr(line, '\n', len);
		bool skip = lines->skip;
		int r;

		if (newline) {
			*newline = '\0';
			lines->start += (size_t)(newline - line) + 1;
			lines->skip = false;
		} else if (lines->end || len == LINES_MAX) {
			if (len == 0)
				return 0;
			line[len] = '\0'; /* buf has room for one more */
			lines->start += len;
			lines->skip = true;
		} else {
			r = refill(lines);
			if (r < 0)
				return r;
			continue;
		}
		if (!skip) {
			*ret_line = line;
			return 1;
		}
	}
}
