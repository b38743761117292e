/* SPDX-License-Identifier: MIT */
/* What the readers of rule files share. */
#ifndef DAEMON_RULES_LOAD_H
#define DAEMON_RULES_LOAD_H

#include "rules.h"

struct rules_loading {
	struct rules *rules;
	rules_tell *tell;
	void *arg;
	bool faulty;
	bool no_memory;
	/* Where it reads */
	const char *file;
	unsigned line;
	FILE *stream;
	char *text; /* of the line, see getline(3) */
	size_t size;
	enum rules_section {
		RULES_BEFORE, /* no section has begun */
		RULES_SYSTEM,
		RULES_RULE, /* the last of rules */
		RULES_OTHER /* none that we know: told, and passed over */
	} section;
	unsigned given; /* bits of keys that this rule has, and can have but once */
	unsigned given_system;
	unsigned system_line;
	const char *system_file;
};

/* Tell of something at file and line: rules with a fault are not used. */
void rules_fault(struct rules_loading *loading, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void rules_warn(struct rules_loading *loading, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Takes a key of the section that it stands in. */
void rules_take(struct rules_loading *loading, const char *key, const char *value);

/* The section is over: tells of what it lacks. */
void rules_end_section(struct rules_loading *loading);

/* Looks at all rules together, when they are complete. */
void rules_check(struct rules_loading *loading);

/* Room for a text of a file, made safe to show. */
#define RULES_SHOWN_MAX 1024

#endif /* DAEMON_RULES_LOAD_H */
