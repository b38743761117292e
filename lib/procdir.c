// SPDX-License-Identifier: MIT
/* Where below /proc a process shows its memory. */
#include "procdir.h"

#include "lines.h"
#include "root.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int procdir_status(struct thp_ctx *ctx, const char *dir, struct parse_status *ret_status)
{
	struct parse_status status = PARSE_STATUS_INIT;
	char path[PROCDIR_MAX];
	struct lines lines;
	char *line;
	int r;

	snprintf(path, sizeof(path), "%s/status", dir);
	r = lines_open(&lines, ctx, path);
	if (r < 0)
		return r;
	while ((r = lines_next(&lines, &line)) > 0) {
		r = parse_status_line(line, &status);
		if (r < 0) {
			fail(ctx, r, "%s/%s: cannot parse \"%.60s\"", ctx->root, path, line);
			break;
		}
	}
	lines_close(&lines);
	if (r < 0)
		return r;
	if (status.state == 0 || status.tgid == 0)
		return fail(ctx, -EBADMSG, "%s/%s: no State or Tgid", ctx->root, path);
	*ret_status = status;
	return 0;
}

bool procdir_is_kernel(const struct parse_status *status)
{
	/* Before Linux 6.8: kthreadd and its children. */
	if (status->kthread < 0)
		return !status->has_vm && (status->tgid == 2 || status->ppid == 2);
	return status->kthread == 1;
}

/*
 * A main thread may exit before the others: the process lives on, but /proc/PID/status has lost
 * its memory lines and smaps is empty. Any live thread shows them. Returns 1 with dir changed to
 * that thread's, 0 if there is none.
 */
static int find_live_thread(struct thp_ctx *ctx, char dir[PROCDIR_MAX],
			    struct parse_status *ret_status)
{
	char task[PROCDIR_MAX];
	struct dirent *entry;
	int found = 0;
	DIR *tasks;
	int r;

	snprintf(task, sizeof(task), "%.40s/task", dir);
	r = root_opendir(ctx, task, &tasks);
	if (r < 0)
		return r;
	while (!found && (entry = readdir(tasks))) {
		struct parse_status status = PARSE_STATUS_INIT;
		char thread[PROCDIR_MAX];
		uint64_t tid;

		if (parse_u64(entry->d_name, &tid, NULL) < 0)
			continue;
		snprintf(thread, sizeof(thread), "%.40s/%u", task, (unsigned)tid);
		if (procdir_status(ctx, thread, &status) < 0 || !status.has_vm)
			continue;
		memcpy(dir, thread, sizeof(thread));
		*ret_status = status;
		found = 1;
	}
	closedir(tasks);
	return found;
}

int procdir_find(struct thp_ctx *ctx, pid_t pid, struct procdir *ret_procdir)
{
	struct procdir found = {.leader = PARSE_STATUS_INIT};
	struct parse_status thread = PARSE_STATUS_INIT;
	int r;

	snprintf(found.path, sizeof(found.path), "proc/%d", (int)pid);
	r = pid > 0 ? procdir_status(ctx, found.path, &found.leader) : -ENOENT;
	if (r == -ENOENT || r == -ESRCH)
		return fail(ctx, -ESRCH, "%s/proc/%d: %s", ctx->root, (int)pid, strerror(ESRCH));
	if (r < 0)
		return r;
	found.live = found.leader;
	/* A thread that is about to exit gives its memory up before its state says so. */
	if (!found.leader.has_vm && !procdir_is_kernel(&found.leader) &&
	    find_live_thread(ctx, found.path, &thread) == 1)
		found.live = thread;
	*ret_procdir = found;
	return 0;
}
