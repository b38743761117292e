/* SPDX-License-Identifier: MIT */
/* What thpd says: whole lines to standard error, the journal or syslog, never a flood of them. */
#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <syslog.h>

/*
 * Levels are those of syslog(3); what is less important than least is left out. Standard error is
 * understood as the journal, which takes "<LEVEL>" before a line, where $JOURNAL_STREAM says so.
 */
void log_open(bool to_syslog, int least);

/* One line; names made by others must be escaped (common/escape.h). Keeps errno. */
void log_line(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One kind of message that may come in masses. Start from zero. */
struct log_limit {
	uint64_t begun; /* of the present minute, nanoseconds; 0: none yet */
	unsigned said;
	unsigned hidden;
};

/*
 * Whether one more message of a kind may be said: ten a minute. What was left out is counted in a
 * line about the kind, what, when a later one comes or log_settle() is called.
 */
bool log_allowed(struct log_limit *limit, uint64_t now, const char *what);

/* Says how much was left out, if the minute is over. */
void log_settle(struct log_limit *limit, uint64_t now, const char *what);

#endif /* DAEMON_LOG_H */
