/* SPDX-License-Identifier: MIT */
/* Reads /proc/PID/status, and that of threads. */
#ifndef THP_STATUS_H
#define THP_STATUS_H

#include "internal.h"
#include "parse.h"

#define PATH_MAX_PROC 64 /* "proc/4194304/task/4194304/smaps_rollup" */

/* Reads the status below dir: "proc/1", "proc/1/task/2". */
int status_read(struct thp_ctx *ctx, const char *dir, struct parse_status *ret_status);

/* Whether a process or thread has ended and only waits to be reaped. */
bool status_ended(const struct parse_status *status);

/*
 * A main thread may exit before the others: the process lives on, but /proc/PID/status has lost
 * its memory lines and smaps is empty. Any live thread shows them. Returns 1 with dir changed to
 * that thread's, 0 if there is none.
 */
int status_live_thread(struct thp_ctx *ctx, char dir[PATH_MAX_PROC],
		       struct parse_status *ret_status);

#endif /* THP_STATUS_H */
