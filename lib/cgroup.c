// SPDX-License-Identifier: MIT
/* Which control group a process is in, see cgroups(7). */
#include "lines.h"
#include "parse.h"
#include "root.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* "4:memory:/batch/a b": the path is all behind the second colon. */
bool parse_cgroup_within(const char *line, const char *group)
{
	const char *path = strchr(line, ':');
	size_t len = strlen(group);

	path = path ? strchr(path + 1, ':') : NULL;
	if (!path)
		return false;
	path++;
	while (len > 0 && group[len - 1] == '/')
		len--;
	return strncmp(path, group, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* The empty path would be a part of every one. */
static int check_group(struct thp_ctx *ctx, const char *group)
{
	return group[0] == '/' ? 0 : fail(ctx, -EINVAL, "group '%s': no path from /", group);
}

EXPORT int thp_process_in_cgroup(struct thp_ctx *ctx, pid_t pid, const char *group)
{
	struct lines lines;
	char path[64];
	char *line;
	int r, found = 0;

	r = check_group(ctx, group);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "proc/%d/cgroup", (int)pid);
	r = lines_open(&lines, ctx, path);
	if (r == -ENOENT || r == -ESRCH)
		return fail(ctx, -ESRCH, "%s/proc/%d: %s", ctx->root, (int)pid, strerror(ESRCH));
	if (r < 0)
		return r;
	while (!found && (r = lines_next(&lines, &line)) > 0)
		found = parse_cgroup_within(line, group);
	lines_close(&lines);
	return r < 0 ? r : found;
}

EXPORT int thp_process_in_cpuset(struct thp_ctx *ctx, pid_t pid, const char *group)
{
	char path[64], text[PATH_MAX + 2] = ":";
	ssize_t len = check_group(ctx, group);

	if (len < 0)
		return (int)len;
	snprintf(path, sizeof(path), "proc/%d/cpuset", (int)pid);
	len = root_read(ctx, path, text + 2, sizeof(text) - 2);
	if (len == -ENOENT || len == -ESRCH)
		return fail(ctx, -ESRCH, "%s/proc/%d: %s", ctx->root, (int)pid, strerror(ESRCH));
	if (len < 0)
		return (int)len;
	text[1] = ':'; /* as a line of /proc/PID/cgroup */
	if (len > 0 && text[len + 1] == '\n')
		text[len + 1] = '\0';
	return parse_cgroup_within(text, group);
}
