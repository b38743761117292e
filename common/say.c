// SPDX-License-Identifier: MIT
#include "say.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void say(const char *fmt, ...)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;
	char line[2048] = "thpctl: ";
	const size_t prefix = 8, room = sizeof(line) - prefix - 1;
	ssize_t written;
	va_list args;
	size_t len;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line + prefix, room, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	len = prefix + ((size_t)n < room ? (size_t)n : room - 1);
	line[len++] = '\n';
	/* A remark that nobody reads is no reason to die: the command is to run all the same. */
	sigaction(SIGPIPE, &ignore, &before);
	do {
		written = write(STDERR_FILENO, line, len);
	} while (written < 0 && errno == EINTR);
	sigaction(SIGPIPE, &before, NULL);
}
