/* SPDX-License-Identifier: MIT */
/*
 * Rules: which process gets which mode. Files in, decisions out; what is decided on is given, see
 * subject.h, so that no rule depends on a process that lives.
 */
#ifndef DAEMON_RULES_H
#define DAEMON_RULES_H

#include "subject.h"

#include "thp.h"

struct rule {
	char *name;
	char *file;
	unsigned line;
	/* What must match; NULL: anything. Patterns, see rules_glob(). */
	char *exec;
	char *script;
	char *command;
	char *cpuset;
	char *cgroup;
	char *parent; /* name of the rule that the parent is under */
	bool has_user, has_group;
	uid_t user;
	gid_t group;
	/* What it gets */
	enum thp_mode mode;
	bool on_exec, on_existing;
	bool split;
	bool inherit;
	bool reapply;
};

struct rules {
	struct rule *rules; /* in their order: the first that matches wins */
	size_t nr;
	unsigned needs;       /* SUBJECT_*: what has to be known of a process */
	enum thp_mode others; /* [system] default: what all others get; unknown: nothing */
	bool manage_sysfs;    /* thpd may write the system's setting for it */
};

/* Called for each fault: "FILE:LINE: what" in pieces; line 0: the file or directory itself. */
typedef void rules_complain(void *arg, const char *file, unsigned line, const char *text);

/*
 * Reads the *.conf files of a directory, in the order of their names; a directory that is not there
 * holds no rules. -EINVAL: at least one fault was told; -ENOMEM.
 */
int rules_load(const char *dir, rules_complain *complain, void *arg, struct rules **ret_rules);
void rules_free(struct rules *rules);

#define RULES_NONE (-1)

/* The number of the rule that a process is under, RULES_NONE, or below that: see subject->err. */
int rules_decide(const struct rules *rules, struct subject *subject);

/* Whether a path is meant: * and ? and [] do not match a slash, ** does. */
bool rules_glob(const char *pattern, const char *path);

#endif /* DAEMON_RULES_H */
