/* SPDX-License-Identifier: MIT */
/* Where below /proc a process shows its memory: its main thread may have exited. */
#ifndef THP_PROCDIR_H
#define THP_PROCDIR_H

#include "internal.h"
#include "parse.h"

#define PROCDIR_MAX 64 /* "proc/4194304/task/4194304" and a name behind */

struct procdir {
	char path[PROCDIR_MAX];
	struct parse_status leader; /* of the main thread: identity */
	struct parse_status live;   /* of the thread that path names: memory, if it has_vm */
};

/* Errors: -ESRCH gone, -EACCES/-EPERM hidden, -EBADMSG. */
int procdir_find(struct thp_ctx *ctx, pid_t pid, struct procdir *ret_procdir);

/* The status below one directory: "proc/1", "proc/1/task/2". Without has_vm, no memory any more. */
int procdir_status(struct thp_ctx *ctx, const char *dir, struct parse_status *ret_status);

/* A kernel thread has no memory and never will; without has_vm, others have ended. */
bool procdir_is_kernel(const struct parse_status *status);

#endif /* THP_PROCDIR_H */
