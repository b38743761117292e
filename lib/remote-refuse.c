// SPDX-License-Identifier: MIT
#include "remote-refuse.h"

#include "lines.h"
#include "procdir.h"
#include "root.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CAP_SYS_PTRACE 19
#define CAP_SYS_ADMIN  21

static int refuse_kind(struct thp_ctx *ctx, const struct thp_target *target)
{
	struct procdir procdir;
	int r;

	if (target->pid == getpid())
		return fail(ctx, -EINVAL, "is the calling process itself, which can set its own");
	r = procdir_find(ctx, target->pid, &procdir);
	if (r == -ESRCH)
		return fail(ctx, r, "no such process, or hidden (hidepid)");
	if (r < 0 || procdir.live.has_vm)
		return r;
	if (procdir_is_kernel(&procdir.leader))
		return fail(ctx, -EINVAL, "is a kernel thread: it has no memory of its own");
	if (procdir.leader.state == 'Z')
		return fail(ctx, -ESRCH,
			    "has ended: it is a zombie until its parent, PID %d, waits for it",
			    (int)procdir.leader.ppid);
	return fail(ctx, -ESRCH, "is ending: it has no memory any more");
}

/*
 * Where a control group hierarchy is mounted: "36 25 0:31 / /sys/fs/cgroup rw - cgroup2 ...", for
 * the first with this type and option. The root (4th field) is what a container sees as "/".
 */
static int find_mount(struct thp_ctx *ctx, const char *type, const char *option,
		      char point[PATH_MAX], char root[PATH_MAX])
{
	struct lines lines;
	int found = 0;
	char *line;
	int r = lines_open(&lines, ctx, "proc/self/mountinfo");

	if (r < 0)
		return r;
	while (!found && (r = lines_next(&lines, &line)) > 0) {
		char *tail = strstr(line, " - ");
		size_t len = strlen(type);

		if (!tail || strncmp(tail + 3, type, len) != 0 || tail[3 + len] != ' ' ||
		    !strstr(tail, option))
			continue;
		*tail = '\0';
		found = sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) == 2;
	}
	lines_close(&lines);
	return r < 0 ? r : found;
}

/* Whether a file of a group holds a text. A group that cannot be seen tells nothing. */
static bool group_says(struct thp_ctx *ctx, const char *type, const char *option, const char *group,
		       const char *file, const char *what)
{
	char point[PATH_MAX], root[PATH_MAX], path[2 * PATH_MAX], text[256];
	size_t len;

	if (find_mount(ctx, type, option, point, root) <= 0)
		return false;
	len = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(group, root, len) != 0)
		return false;
	snprintf(path, sizeof(path), "%s%s/%s", point + 1, group + len, file);
	return root_read(ctx, path, text, sizeof(text)) > 0 && strstr(text, what);
}

/*
 * A frozen process shows as sleeping in version 2 and as uninterruptible in version 1. The former
 * would even stop, and freeze again in the midst of our call.
 */
static int refuse_frozen(struct thp_ctx *ctx, const struct thp_target *target)
{
	struct lines lines;
	char path[64], *line;
	int r;

	snprintf(path, sizeof(path), "proc/%d/cgroup", (int)target->pid);
	r = lines_open(&lines, ctx, path);
	if (r < 0)
		return r == -ENOENT ? 0 : r; /* a kernel without control groups */
	while ((r = lines_next(&lines, &line)) > 0) {
		char *names = strchr(line, ':');
		char *group = names ? strchr(names + 1, ':') : NULL;
		bool frozen;

		if (!group)
			continue;
		*group++ = '\0';
		if (strcmp(line, "0:") == 0)
			frozen = group_says(ctx, "cgroup2", "", group, "cgroup.events", "frozen 1");
		else if (strcmp(names + 1, "freezer") == 0)
			frozen = group_says(ctx, "cgroup", "freezer", group, "freezer.state", "FR");
		else
			continue;
		if (frozen) {
			r = fail(ctx, -EAGAIN, "its control group %.256s is frozen: thaw it first",
				 group);
			break;
		}
	}
	lines_close(&lines);
	return r < 0 ? r : 0;
}

int refuse_target(struct thp_ctx *ctx, const struct thp_target *target)
{
	int r = refuse_kind(ctx, target);

	return r < 0 ? r : refuse_frozen(ctx, target);
}

/* "CapEff:\t000001ffffffffff" of this process. */
static bool capable(struct thp_ctx *ctx, unsigned capability)
{
	unsigned long long effective = 0;
	struct lines lines;
	char *line;

	if (lines_open(&lines, ctx, "proc/self/status") < 0)
		return false;
	while (lines_next(&lines, &line) > 0) {
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	}
	lines_close(&lines);
	return effective >> capability & 1;
}

static int yama_scope(struct thp_ctx *ctx)
{
	char text[16];

	if (root_read(ctx, "proc/sys/kernel/yama/ptrace_scope", text, sizeof(text)) < 0)
		return 0;
	return text[0] - '0';
}

int refuse_filter(struct thp_ctx *ctx)
{
	if (capable(ctx, CAP_SYS_ADMIN))
		return 0;
	return fail(ctx, -EPERM,
		    "has a seccomp filter, which could kill it for the call: suspending it needs "
		    "CAP_SYS_ADMIN");
}

int explain_seize(struct thp_ctx *ctx, const struct thread *thread, int err)
{
	struct parse_status status;
	char dir[PROCDIR_MAX];
	int scope;

	if (err == -ESRCH)
		return fail(ctx, err, "thread %d ended", (int)thread->tid);
	if (err != -EPERM)
		return fail(ctx, err, "cannot be traced: %s%s", strerror(-err),
			    err == -EIO || err == -EINVAL ? " (needs Linux 4.3)" : "");
	snprintf(dir, sizeof(dir), "proc/%d/task/%d", (int)thread->pid, (int)thread->tid);
	if (procdir_status(ctx, dir, &status) < 0)
		return fail(ctx, -ESRCH, "no such process any more");
	/* On its way out it has no memory any more, and nobody may trace it. */
	if (!status.has_vm)
		return fail(ctx, -ESRCH, "thread %d ended", (int)thread->tid);
	if (status.tracer)
		return fail(ctx, -EBUSY, "traced by PID %d", (int)status.tracer);
	if (status.seccomp && refuse_filter(ctx) < 0)
		return err;
	scope = yama_scope(ctx);
	if (scope == 3)
		return fail(ctx, err,
			    "not permitted: kernel.yama.ptrace_scope is 3, nobody may trace until "
			    "the next boot");
	if (!capable(ctx, CAP_SYS_PTRACE)) {
		if (status.uid != getuid())
			return fail(ctx, err,
				    "not permitted: it belongs to UID %u; needs CAP_SYS_PTRACE",
				    (unsigned)status.uid);
		if (scope > 0)
			return fail(ctx, err,
				    "not permitted: kernel.yama.ptrace_scope is %d; needs "
				    "CAP_SYS_PTRACE",
				    scope);
		return fail(ctx, err,
			    "not permitted: it has more rights than this process or is not "
			    "dumpable; needs CAP_SYS_PTRACE");
	}
	if (status.seccomp)
		return fail(
			ctx, err,
			"has a seccomp filter, and it cannot be suspended by a process that has "
			"one itself");
	return fail(ctx, err,
		    "not permitted, in spite of CAP_SYS_PTRACE: it lies in another user namespace, "
		    "or a security module forbids it");
}
