/* SPDX-License-Identifier: MIT */
/*
 * Rules: which process gets which mode, see thpctl-rules(5). Files in, decisions out; what is
 * decided on is given, see subject.h, so that no rule depends on a process that lives.
 */
#ifndef DAEMON_RULES_H
#define DAEMON_RULES_H

#include "subject.h"

#include "thp.h"

#include <stdio.h>

/* What a rule can ask for, in the order in which it is asked: cheap before dear. */
enum rule_key {
	RULE_EXEC,
	RULE_CPUSET,
	RULE_CGROUP,
	RULE_USER,
	RULE_GROUP,
	RULE_COMMAND,
	RULE_SCRIPT,
	RULE_PARENT, /* name of the rule that the parent is under */
	RULE_KEYS,
};

/* One value of a key. A key with several is met by any of them. */
struct rule_value {
	char *text;           /* as it stands in the file: a pattern of glob.h, or a name */
	char *real;           /* of a path: the same behind symbolic links, NULL: no other */
	uint32_t first, last; /* of users and groups: ids; first > last: nobody here */
	unsigned line;
};

struct rule_values {
	struct rule_value *values;
	size_t nr; /* 0: the key is not asked for */
};

struct rule {
	char *name;
	char *file;
	unsigned line;
	struct rule_values match[RULE_KEYS]; /* all keys must be met */
	/* What it gets */
	enum thp_mode mode;
	bool leave; /* nothing is done to it; the mode is unknown */
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

/* Something about the files that a person should know. */
struct rules_remark {
	const char *file;
	unsigned line;   /* 0: the file or directory as a whole */
	bool is_warning; /* else the rules cannot be used */
	const char *text;
};

typedef void rules_tell(void *arg, const struct rules_remark *remark);

/*
 * Reads the *.conf files of a directory, in the order of their names; a directory that is not there
 * holds no rules. tell() is called for everything that is wrong. -EINVAL: at least one fault was
 * told; -ENOMEM.
 */
int rules_load(const char *dir, rules_tell *tell, void *arg, struct rules **ret_rules);

/* The same from one open file, which name stands for. */
int rules_load_file(FILE *file, const char *name, rules_tell *tell, void *arg,
		    struct rules **ret_rules);

void rules_free(struct rules *rules);

#define RULES_NONE (-1)

/* The number of the rule that a process is under, RULES_NONE, or below that: see subject->err. */
int rules_decide(const struct rules *rules, struct subject *subject);

/*
 * Whether one rule matches: 1, or 0 with the key that is not met. Below: what that key asks for
 * cannot be known, see subject_know().
 */
int rules_match(const struct rule *rule, struct subject *subject, enum rule_key *ret_key);

/* "exec", "cpuset", ... */
const char *rules_key_name(enum rule_key key);

/* SUBJECT_*: what has to be known of a process to see whether it meets a key. */
unsigned rules_key_needs(enum rule_key key);

/* Of what a rule gives, as it stands in the file: "never", ..., "leave". */
const char *rules_mode_name(const struct rule *rule);

/*
 * The patterns of files that are executed when a process comes under a rule: its scripts, or else
 * its programs; none: any file may be.
 */
const struct rule_values *rules_programs(const struct rule *rule);

/* Of one of these values: the pattern behind symbolic links. */
const char *rules_program_path(const struct rule_value *value);

#endif /* DAEMON_RULES_H */
