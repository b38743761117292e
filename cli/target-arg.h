/* SPDX-License-Identifier: MIT */
/* "PID" or "PID:ID" on a command line: a process that is meant and no other. */
#ifndef CLI_TARGET_ARG_H
#define CLI_TARGET_ARG_H

#include "thp.h"

struct target_arg {
	pid_t pid;
	uint64_t id; /* 0: whoever has the number now */
};

/* Says what is wrong with text. 0, or -EINVAL. */
int target_arg_parse(const char *verb, const char *text, struct target_arg *ret_arg);

#endif /* CLI_TARGET_ARG_H */
