// SPDX-License-Identifier: MIT
/* A process that is meant and no other, even when its number is given to another one. */
#include "target.h"

#include "procdir.h"
#include "root.h"
#include "sys-pidfd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int target_alive(struct thp_ctx *ctx, const struct thp_target *target)
{
	if (sys_pidfd_alive(target->pidfd) < 0)
		return fail(ctx, -ESRCH, "no such process any more");
	return 0;
}

/* Field 22 of /proc/PID/stat: clock ticks after boot. The command before may hold any bytes. */
static int read_start(struct thp_ctx *ctx, pid_t pid, uint64_t *ret_start)
{
	char path[64], text[2048];
	const char *field;
	ssize_t len;

	snprintf(path, sizeof(path), "proc/%d/stat", (int)pid);
	len = root_read(ctx, path, text, sizeof(text));
	if (len < 0)
		return (int)len;
	field = strrchr(text, ')');
	for (int i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	if (!field || parse_u64(field, ret_start, NULL) < 0)
		return fail(ctx, -EBADMSG, "/%s: no start time", path);
	return 0;
}

static int identify(struct thp_ctx *ctx, struct thp_target *target)
{
	int r = sys_pidfd_inode(target->pidfd, &target->id);

	target->identity = THP_IDENTITY_INODE;
	if (r == -EOPNOTSUPP) {
		target->identity = THP_IDENTITY_START;
		r = read_start(ctx, target->pid, &target->id);
		/* The time is that of the process that we hold only if it is still there. */
		if (r == 0)
			r = target_alive(ctx, target);
		return r;
	}
	return r < 0 ? fail(ctx, r, "pidfd: %s", strerror(-r)) : 0;
}

/* A thread's number stands for its process. */
static int find_process(struct thp_ctx *ctx, struct thp_target *target)
{
	struct parse_status status;
	char dir[PROCDIR_MAX];
	int r;

	snprintf(dir, sizeof(dir), "proc/%d", (int)target->tid);
	r = procdir_status(ctx, dir, &status);
	if (r < 0)
		return r == -ENOENT ? -ESRCH : r;
	target->pid = status.tgid;
	target->pidfd = sys_pidfd_open(target->pid);
	if (target->pidfd < 0)
		return target->pidfd;
	/* The thread's number may have passed to another process's meanwhile. */
	snprintf(dir, sizeof(dir), "proc/%d/task/%d", (int)target->pid, (int)target->tid);
	return root_exists(ctx, dir) == 1 ? 0 : -ESRCH;
}

static int open_pidfd(struct thp_ctx *ctx, struct thp_target *target)
{
	int r = sys_pidfd_open(target->pid);

	if (r >= 0) {
		target->pidfd = r;
		return 0;
	}
	if (r == -ENOENT ||
	    (r == -EINVAL && target->pid > 0)) { /* a thread; since Linux 6.9 ENOENT */
		target->tid = target->pid;
		r = find_process(ctx, target);
		if (r == 0)
			return 0;
	}
	if (r == -ESRCH || r == -EINVAL)
		return fail(ctx, -ESRCH, "no such process");
	if (r == -ENOSYS)
		return fail(ctx, -EOPNOTSUPP, "pidfd_open: %s (needs Linux 5.3)", strerror(ENOSYS));
	return fail(ctx, r, "pidfd_open: %s", strerror(-r));
}

EXPORT int thp_target_open(struct thp_ctx *ctx, pid_t pid, uint64_t id,
			   struct thp_target **ret_target)
{
	struct thp_target *target;
	int r;

	if (!is_live(ctx))
		return fail(ctx, -EROFS, "%s: the processes of a captured tree do not live",
			    ctx->root);
	if (process_self(ctx) != getpid())
		return fail(ctx, -EXDEV,
			    "/proc is not there, or of another PID namespace, where "
			    "numbers mean other processes: mount one's own");
	target = malloc(sizeof(*target));
	if (!target)
		return -ENOMEM;
	*target = (struct thp_target){.pid = pid, .pidfd = -1};
	r = open_pidfd(ctx, target);
	if (r == 0)
		r = identify(ctx, target);
	if (r == 0 && id != 0 && id != target->id)
		r = fail(ctx, -ESRCH, "is another process now: its %s is %llu, not %llu",
			 target->identity == THP_IDENTITY_INODE ? "inode" : "start time",
			 (unsigned long long)target->id, (unsigned long long)id);
	if (r < 0) {
		thp_target_close(target);
		return r;
	}
	*ret_target = target;
	return 0;
}

EXPORT void thp_target_close(struct thp_target *target)
{
	if (!target)
		return;
	if (target->pidfd >= 0)
		close(target->pidfd);
	free(target);
}

EXPORT pid_t thp_target_pid(const struct thp_target *target)
{
	return target->pid;
}

EXPORT uint64_t thp_target_id(const struct thp_target *target, enum thp_identity *ret_identity)
{
	if (ret_identity)
		*ret_identity = target->identity;
	return target->id;
}
