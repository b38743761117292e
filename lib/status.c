// SPDX-License-Identifier: MIT
#include "status.h"

#include "lines.h"
#include "root.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int status_read(struct thp_ctx *ctx, const char *dir, struct parse_status *ret_status)
{
	struct parse_status status = PARSE_STATUS_INIT;
	char path[PATH_MAX_PROC];
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

bool status_ended(const struct parse_status *status)
{
	return status->state == 'Z' || status->state == 'X' || status->state == 'x';
}

int status_live_thread(struct thp_ctx *ctx, char dir[PATH_MAX_PROC],
		       struct parse_status *ret_status)
{
	char task[PATH_MAX_PROC];
	struct dirent *entry;
	int found = 0;
	DIR *tasks;
	int r;

	snprintf(task, sizeof(task), "%.40s/task", dir);
	r = root_opendir(ctx, task, &tasks);
	if (r < 0)
		return r;
	while (!found && (entry = readdir(tasks))) {
		struct parse_status status;
		char thread[PATH_MAX_PROC];
		uint64_t tid;

		if (parse_u64(entry->d_name, &tid, NULL) < 0)
			continue;
		snprintf(thread, sizeof(thread), "%.40s/%u", task, (unsigned)tid);
		if (status_read(ctx, thread, &status) < 0 || status_ended(&status) || !status.has_vm)
			continue;
		memcpy(dir, thread, sizeof(thread));
		*ret_status = status;
		found = 1;
	}
	closedir(tasks);
	return found;
}

