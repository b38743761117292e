/* SPDX-License-Identifier: MIT */
/* What the rules say of a process as it is now. */
#ifndef DAEMON_JUDGE_H
#define DAEMON_JUDGE_H

#include "thp.h"

#include <stdbool.h>

struct rules;

struct verdict {
	int rule; /* its number, -1: none */
	enum thp_mode mode;
	bool on_exec;     /* for programs that are executed from now on */
	bool on_existing; /* for processes that are there */
	bool split;       /* existing huge pages are to be split */
	bool inherit;     /* what they execute keeps the mode where no rule says otherwise */
	bool reapply;     /* a flag that is cleared is set again; else that is said once */
};

/* Tells under which rule a process is, -1 none; NULL: nobody knows. */
typedef int judge_rule_of(void *arg, pid_t pid);

/*
 * Judges a process. 0, -ESRCH: it is gone, or has no memory of its own, -EAGAIN: the rule of its
 * parent would have to be known.
 */
int judge(const struct rules *rules, pid_t pid, judge_rule_of *rule_of, void *arg,
	  struct verdict *ret_verdict);

/* The verdict of one rule, whoever it is about; NO_VERDICT for -1. */
struct verdict judge_of_rule(const struct rules *rules, int rule);

#define NO_VERDICT                                                                                 \
	(struct verdict)                                                                           \
	{                                                                                          \
		.rule = -1                                                                         \
	}

#endif /* DAEMON_JUDGE_H */
