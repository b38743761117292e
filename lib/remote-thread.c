// SPDX-License-Identifier: MIT
#include "remote-thread.h"

#include "procdir.h"
#include "root.h"

#include <stdio.h>
#include <stdlib.h>

#define SECCOMP_STRICT 1
#define SECCOMP_FILTER 2

/* Why threads were passed over. */
struct passed {
	unsigned avoided, strict;
	pid_t tracer;
	int unread; /* -errno of one that is there and cannot be read */
};

/* "202 0x7f.. 0x0 0x1 0x0 0x0 0x0 0x7ff..(sp) 0x7f..(pc)", "-1 sp pc" or "running". */
static void parse_hint(const char *text, struct arch_hint *hint)
{
	char *end;

	*hint = (struct arch_hint){.nr = -1};
	if (strncmp(text, "running", 7) == 0)
		return;
	hint->blocked = true;
	hint->nr = strtol(text, &end, 10);
	for (unsigned i = 0; i < 6 && hint->nr >= 0; i++)
		hint->args[i] = strtoull(end, &end, 16);
	hint->sp = strtoull(end, &end, 16);
	hint->pc = strtoull(end, &end, 16);
}

int thread_hint(struct thp_ctx *ctx, pid_t pid, pid_t tid, struct arch_hint *ret_hint)
{
	char path[PROCDIR_MAX], text[256];
	ssize_t len;

	snprintf(path, sizeof(path), "proc/%d/task/%d/syscall", (int)pid, (int)tid);
	len = root_read(ctx, path, text, sizeof(text));
	if (len < 0)
		return (int)len;
	parse_hint(text, ret_hint);
	return 0;
}

bool wishes_avoid(const struct wishes *wishes, pid_t tid)
{
	for (unsigned i = 0; i < wishes->nr; i++) {
		if (wishes->avoid[i] == tid)
			return true;
	}
	return false;
}

/* Whether a thread can be had. */
static bool consider(struct thp_ctx *ctx, pid_t pid, pid_t tid, struct thread *thread,
		     struct passed *passed)
{
	struct parse_status status;
	char dir[PROCDIR_MAX];
	int r;

	snprintf(dir, sizeof(dir), "proc/%d/task/%d", (int)pid, (int)tid);
	r = procdir_status(ctx, dir, &status);
	if (r < 0 && r != -ENOENT && r != -ESRCH)
		passed->unread = r;
	if (r < 0 || !status.has_vm)
		return false;
	if (status.tracer) {
		passed->tracer = status.tracer;
		return false;
	}
	if (status.seccomp == SECCOMP_STRICT) {
		passed->strict++;
		return false;
	}
	thread->filtered = status.seccomp == SECCOMP_FILTER;
	if (status.state == 'D')
		thread->rank = RANK_DEEP;
	return true;
}

/* A filter costs rights, and the protection that it gives, for the while: it decides first. */
static bool better(const struct thread *one, const struct thread *other)
{
	if (one->filtered != other->filtered)
		return !one->filtered;
	return one->rank < other->rank;
}

static int read_thread(struct thp_ctx *ctx, pid_t pid, pid_t tid, struct thread *thread)
{
	int r = thread_hint(ctx, pid, tid, &thread->hint);

	*thread = (struct thread){.pid = pid, .tid = tid, .hint = thread->hint};
	/* The rank is advice; whether it can be traced is for the kernel to say. */
	thread->rank = r < 0 || !thread->hint.blocked ? RANK_RUNS : call_rank(&thread->hint);
	return r == -ENOENT || r == -ESRCH ? r : 0;
}

static int explain_none(struct thp_ctx *ctx, const struct passed *passed)
{
	if (passed->unread)
		return passed->unread;
	if (passed->tracer) {
		struct parse_status status;
		char dir[PROCDIR_MAX];

		snprintf(dir, sizeof(dir), "proc/%d", (int)passed->tracer);
		if (procdir_status(ctx, dir, &status) == 0)
			return fail(ctx, -EBUSY, "traced by PID %d (%s)", (int)passed->tracer,
				    status.comm);
		return fail(ctx, -EBUSY, "traced by PID %d", (int)passed->tracer);
	}
	if (passed->strict)
		return fail(ctx, -EPERM,
			    "in strict seccomp mode: the kernel kills it for any call but read, "
			    "write and exit");
	if (passed->avoided)
		return fail(ctx, -ETIMEDOUT,
			    "no thread could be stopped: it is frozen, or waits for a device in an "
			    "uninterruptible sleep");
	return fail(ctx, -ESRCH, "has no living thread");
}

int thread_choose(struct thp_ctx *ctx, pid_t pid, const struct wishes *wishes,
		  struct thread *ret_thread)
{
	struct thread best = {0}, thread;
	struct passed passed = {0};
	struct dirent *entry;
	char path[PROCDIR_MAX];
	DIR *tasks;
	int r;

	if (wishes->prefer && !wishes_avoid(wishes, wishes->prefer) &&
	    read_thread(ctx, pid, wishes->prefer, &best) == 0 &&
	    consider(ctx, pid, wishes->prefer, &best, &passed)) {
		*ret_thread = best;
		return 0;
	}
	best.tid = 0;
	snprintf(path, sizeof(path), "proc/%d/task", (int)pid);
	r = root_opendir(ctx, path, &tasks);
	if (r < 0)
		return r == -ENOENT ? fail(ctx, -ESRCH, "no such process") : r;
	while (best.tid == 0 || best.rank != RANK_RESTARTS || best.filtered) {
		uint64_t tid;

		entry = readdir(tasks);
		if (!entry)
			break;
		if (parse_u64(entry->d_name, &tid, NULL) < 0)
			continue;
		if (wishes_avoid(wishes, (pid_t)tid)) {
			passed.avoided += consider(ctx, pid, (pid_t)tid, &thread, &passed);
			continue;
		}
		if (read_thread(ctx, pid, (pid_t)tid, &thread) < 0)
			continue;
		/* The status costs more to read than the call: only of those that would win. */
		if (best.tid && !better(&thread, &best))
			continue;
		if (consider(ctx, pid, (pid_t)tid, &thread, &passed) &&
		    (best.tid == 0 || better(&thread, &best)))
			best = thread;
	}
	closedir(tasks);
	if (best.tid == 0)
		return explain_none(ctx, &passed);
	*ret_thread = best;
	return 0;
}
