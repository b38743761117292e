/* SPDX-License-Identifier: MIT */
/* Processes and their parents: who inherited the flag from whom. */
#ifndef CLI_FAMILY_H
#define CLI_FAMILY_H

#include "thp.h"

struct family {
	struct thp_process *members;    /* ascending by pid */
	struct thp_process **by_parent; /* the same, ascending by ppid, then pid */
	size_t nr;
};

/*
 * Reads all processes, with the read flags of thp_process_read(). Those that vanish meanwhile or
 * are hidden are left out.
 */
int family_read(struct thp_ctx *ctx, unsigned flags, struct family *ret_family);

/*
 * Reads some processes and their ancestors only. pids[i] becomes the process's own id where a
 * thread's was given, and 0 where it is gone, hidden or unreadable, hence no member: failed() hears
 * of that while thp_reason() still tells why. failed may be NULL.
 */
int family_read_lines(struct thp_ctx *ctx, pid_t *pids, size_t nr,
		      void (*failed)(struct thp_ctx *ctx, pid_t pid, int err),
		      struct family *ret_family);

/* Reads a member again, with its huge memory. Without success it stays as it is. */
void family_measure(struct thp_ctx *ctx, struct thp_process *member);

void family_free(struct family *family);

/* NULL: no such member. */
struct thp_process *family_find(const struct family *family, pid_t pid);

/*
 * The farthest ancestor from which on every process down to pid has the mode never: the one that
 * set the flag, unless a parent did that has exited since. NULL: pid does not have it.
 */
const struct thp_process *family_origin(const struct family *family, pid_t pid);

/* The children of ppid, ascending by pid: a slice of by_parent. Returns how many. */
size_t family_children(const struct family *family, pid_t ppid,
		       struct thp_process *const **ret_children);

#endif /* CLI_FAMILY_H */
