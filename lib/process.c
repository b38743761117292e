// SPDX-License-Identifier: MIT
/* Another process: its mode as far as it can be known, its memory, its parent. */
#include "internal.h"
#include "lines.h"
#include "parse.h"
#include "procdir.h"
#include "root.h"
#include "sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 1: read; 0: not permitted, or the kernel has no rollup (before Linux 4.14). */
static int read_rollup(struct thp_ctx *ctx, const char *dir, struct parse_smaps *ret_smaps)
{
	struct parse_smaps smaps = {0};
	char path[PROCDIR_MAX + 16];
	struct lines lines;
	char *line;
	int r;

	snprintf(path, sizeof(path), "%s/smaps_rollup", dir);
	r = lines_open(&lines, ctx, path);
	if (r == -EACCES || r == -EPERM || r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	while ((r = lines_next(&lines, &line)) > 0) {
		r = parse_smaps_line(line, &smaps);
		if (r < 0) {
			fail(ctx, r, "%s/%s: cannot parse \"%.60s\"", ctx->root, path, line);
			break;
		}
	}
	lines_close(&lines);
	/* Permission is judged again at the read; a mm that is gone gives ESRCH or nothing. */
	if (r == -EACCES || r == -EPERM || r == -ESRCH)
		return 0;
	if (r < 0)
		return r;
	if (smaps.seen == 0)
		return 0;
	*ret_smaps = smaps;
	return 1;
}

pid_t process_self(struct thp_ctx *ctx)
{
	char text[2048];
	uint64_t number;

	if (!is_live(ctx) || root_read(ctx, "proc/self/stat", text, sizeof(text)) < 0 ||
	    parse_u64(text, &number, NULL) < 0)
		return -1;
	return (pid_t)number;
}

/* Asked of /proc only where the numbers are the same: nobody else can have ours otherwise. */
static bool is_self(struct thp_ctx *ctx, pid_t pid)
{
	return is_live(ctx) && pid == getpid() && pid == process_self(ctx);
}

/* The mode, and what it may be where it cannot be known from outside. */
static int judge_mode(struct thp_ctx *ctx, const struct parse_status *status,
		      struct thp_process *process)
{
	const unsigned clear = THP_MODE_BIT(THP_MODE_DEFAULT);
	const unsigned never = THP_MODE_BIT(THP_MODE_NEVER);
	const unsigned madvise = THP_MODE_BIT(THP_MODE_MADVISE);
	const struct thp_caps *caps;
	enum thp_mode mode;
	int r;

	if (is_self(ctx, process->pid) && thp_self_get(ctx, &mode) == 0) {
		process->mode = mode;
		process->possible = THP_MODE_BIT(mode);
		return 0;
	}
	r = caps_get(ctx, &caps);
	if (r < 0)
		return r;
	/* A kernel without THP writes 0 for all processes, whatever their flag. */
	if (status->thp_enabled == 0 && caps->thp != THP_NO) {
		process->mode = THP_MODE_NEVER;
		process->possible = never;
		return 0;
	}
	process->possible = clear;
	if (status->thp_enabled != 1)
		process->possible |= never;
	/* A kernel without the line (before Linux 5.0) cannot have the flag of 6.18. */
	if (status->thp_enabled >= 0 && caps->except_advised != THP_NO)
		process->possible |= madvise;
	process->mode = process->possible == clear ? THP_MODE_DEFAULT : THP_MODE_UNKNOWN;
	return 0;
}

static int read_memory(struct thp_ctx *ctx, const char *dir, struct thp_process *process)
{
	struct parse_smaps smaps = {0};
	int r = read_rollup(ctx, dir, &smaps);

	if (r <= 0)
		return r;
	/* VmRSS is summed over per-CPU counters loosely; the page walk counted. */
	process->resident = smaps.rss;
	process->huge_anon = smaps.huge_anon;
	process->huge_shmem = smaps.huge_shmem;
	process->huge_file = smaps.huge_file;
	process->proportional = smaps.pss;
	return 0;
}

static int read_user(struct thp_ctx *ctx, const char *dir, const struct parse_status *status,
		     unsigned flags, struct thp_process *process)
{
	int r = judge_mode(ctx, status, process);

	if (r < 0)
		return r;
	process->kind = THP_KIND_USER;
	process->resident = status->resident;
	process->huge_anon = THP_BYTES_UNKNOWN;
	process->huge_shmem = THP_BYTES_UNKNOWN;
	process->huge_file = THP_BYTES_UNKNOWN;
	process->proportional = THP_BYTES_UNKNOWN;
	return flags & THP_READ_HUGE ? read_memory(ctx, dir, process) : 0;
}

EXPORT int thp_process_read(struct thp_ctx *ctx, pid_t pid, unsigned flags,
			    struct thp_process *ret_process)
{
	struct thp_process process = {.mode = THP_MODE_UNKNOWN};
	struct procdir dir;
	int r;

	if (flags & ~THP_READ_HUGE)
		return fail(ctx, -EINVAL, "read flags 0x%x: unknown", flags);
	r = procdir_find(ctx, pid ? pid : process_self(ctx), &dir);
	if (r < 0)
		return r;

	process.pid = dir.leader.tgid;
	process.ppid = dir.leader.ppid;
	process.tracer = dir.leader.tracer;
	process.uid = dir.leader.uid;
	memcpy(process.comm, dir.leader.comm, sizeof(process.comm));

	if (procdir_is_kernel(&dir.leader)) {
		process.kind = THP_KIND_KERNEL;
	} else if (!dir.live.has_vm) {
		process.kind = THP_KIND_ZOMBIE;
	} else {
		r = read_user(ctx, dir.path, &dir.live, flags, &process);
		if (r < 0)
			return r;
	}
	return copy_out(ctx, ret_process, ret_process->size, &process, sizeof(process),
			sizeof(process));
}

EXPORT uint64_t thp_process_huge(const struct thp_process *process)
{
	if (process->huge_anon == THP_BYTES_UNKNOWN || process->huge_shmem == THP_BYTES_UNKNOWN ||
	    process->huge_file == THP_BYTES_UNKNOWN)
		return THP_BYTES_UNKNOWN;
	return process->huge_anon + process->huge_shmem + process->huge_file;
}

static int by_pid(const void *left, const void *right)
{
	const pid_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Makes room for one more behind nr. 0 or -ENOMEM; what is there stays the caller's to free. */
static int make_room(pid_t **pids, size_t nr, size_t *room)
{
	size_t more = *room ? 2 * *room : 256;
	pid_t *moved;

	if (nr < *room)
		return 0;
	moved = realloc(*pids, more * sizeof(*moved));
	if (!moved)
		return -ENOMEM;
	*pids = moved;
	*room = more;
	return 0;
}

EXPORT ssize_t thp_process_list(struct thp_ctx *ctx, pid_t **ret_pids)
{
	size_t nr = 0, room = 0;
	struct dirent *entry;
	pid_t *pids = NULL;
	DIR *proc;
	int r = root_opendir(ctx, "proc", &proc);

	if (r < 0)
		return r;
	r = make_room(&pids, nr, &room);
	while (r == 0 && (entry = readdir(proc))) {
		const char *end;
		uint64_t pid;

		if (parse_u64(entry->d_name, &pid, &end) < 0 || *end || pid > INT32_MAX)
			continue;
		pids[nr++] = (pid_t)pid;
		r = make_room(&pids, nr, &room);
	}
	closedir(proc);
	if (r < 0) {
		free(pids);
		return fail(ctx, r, "list of processes: %s", strerror(-r));
	}
	qsort(pids, nr, sizeof(*pids), by_pid);
	*ret_pids = pids;
	return (ssize_t)nr;
}
