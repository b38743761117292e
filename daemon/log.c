// SPDX-License-Identifier: MIT
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MINUTE     60000000000u
#define PER_MINUTE 10

static struct {
	int least;
	bool to_syslog;
	bool to_journal;
} sink = {.least = LOG_INFO};

/* $JOURNAL_STREAM is "DEVICE:INODE" of the stream: a program started with another one inherits it.
 */
static bool is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

void log_open(bool to_syslog, int least)
{
	sink.least = least;
	sink.to_syslog = to_syslog;
	sink.to_journal = !to_syslog && is_journal();
	if (to_syslog)
		openlog("thpd", LOG_PID | LOG_NDELAY, LOG_DAEMON);
}

void log_line(int level, const char *fmt, ...)
{
	int before = errno, head, body;
	char line[2048];
	size_t len;
	va_list args;

	if (level > sink.least)
		return;
	va_start(args, fmt);
	if (sink.to_syslog) {
		vsyslog(level, fmt, args);
		va_end(args);
		errno = before;
		return;
	}
	head = sink.to_journal ? snprintf(line, sizeof(line), "<%d>", level)
			       : snprintf(line, sizeof(line), "thpd: ");
	body = vsnprintf(line + head, sizeof(line) - (size_t)head - 1, fmt, args);
	va_end(args);
	len = (size_t)head + (body < 0 ? 0 : (size_t)body);
	if (len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	while (write(STDERR_FILENO, line, len) < 0 && errno == EINTR)
		;
	errno = before;
}

void log_settle(struct log_limit *limit, uint64_t now, const char *what)
{
	if (limit->begun == 0 || now - limit->begun < MINUTE)
		return;
	if (limit->hidden)
		log_line(LOG_NOTICE, "%s: %u more in the last minute", what, limit->hidden);
	*limit = (struct log_limit){0};
}

bool log_allowed(struct log_limit *limit, uint64_t now, const char *what)
{
	log_settle(limit, now, what);
	if (limit->begun == 0)
		limit->begun = now;
	if (limit->said == PER_MINUTE) {
		limit->hidden++;
		return false;
	}
	limit->said++;
	return true;
}
