// SPDX-License-Identifier: MIT
/* The flag of another process, asked for and set by a prctl(2) that runs inside it. */
#include "mode.h"
#include "procdir.h"
#include "remote-hold.h"
#include "remote-refuse.h"
#include "root.h"
#include "sys-apart.h"
#include "sys-pidfd.h"
#include "sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* What is to be done inside, and what came out. */
struct work {
	struct hold hold;
	const struct thp_target *target;
	int want;    /* state to set, or SYS_THP_ASK */
	int err;     /* 0, or why nothing came out; the context has the reason */
	int refusal; /* what the kernel said to the setting of the flag */
	long before, after;
	pid_t tid;    /* the thread that did it */
	int64_t held; /* nanoseconds */
};

static int ask(struct work *work, long *ret_state)
{
	unsigned long args[ARCH_ARGS];
	long state;
	int r;

	sys_thp_args(SYS_THP_ASK, args);
	r = hold_call(&work->hold, args, &state);
	if (r < 0)
		return r;
	if (state < 0)
		return fail(work->hold.ctx, (int)state, "prctl(PR_GET_THP_DISABLE) inside it: %s",
			    strerror((int)-state));
	*ret_state = state;
	return 0;
}

static int ask_and_set(struct work *work)
{
	unsigned long args[ARCH_ARGS];
	long result = 0;
	int r = ask(work, &work->before);

	work->after = work->before;
	if (r < 0 || work->want == SYS_THP_ASK || work->want == work->before)
		return r;
	sys_thp_args(work->want, args);
	r = hold_call(&work->hold, args, &result);
	if (r < 0)
		return r;
	work->refusal = (int)result;
	return result < 0 ? 0 : ask(work, &work->after);
}

/*
 * Whether the thread that is traced now is one of the process that was meant: since it is traced
 * its number cannot go to another, and the process's own is pinned by the pidfd.
 */
static int same(const struct work *work)
{
	const struct thread *thread = work->hold.thread;
	struct thp_ctx *ctx = work->hold.ctx;
	char dir[PROCDIR_MAX];
	int r = target_alive(ctx, work->target);

	if (r < 0)
		return r;
	snprintf(dir, sizeof(dir), "proc/%d/task/%d", (int)thread->pid, (int)thread->tid);
	if (root_exists(ctx, dir) != 1)
		return fail(ctx, -ESRCH, "thread %d ended", (int)thread->tid);
	if (thread->pid == work->target->pid || sys_same_vm(thread->tid, work->target->pid) == 1)
		return 0;
	return fail(ctx, -ESRCH, "PID %d no longer shares its memory", (int)thread->pid);
}

static void work_apart(void *arg)
{
	struct work *work = arg;
	int r = hold_seize(&work->hold);

	if (r < 0) {
		work->err = explain_seize(work->hold.ctx, work->hold.thread, r);
		return;
	}
	work->err = same(work);
	if (work->err < 0)
		return;
	work->err = hold_stop(&work->hold);
	/* A child of vfork(2) may have executed something else meanwhile. */
	if (work->err == 0)
		work->err = same(work);
	if (work->err == 0)
		work->err = ask_and_set(work);
	work->held = hold_release(&work->hold);
}

/*
 * A parent sleeps uninterruptibly until its vfork(2) child executes something. The child shares
 * its memory, hence the flag.
 */
static int find_vfork_child(struct thp_ctx *ctx, pid_t pid, struct thread *ret_thread)
{
	const struct wishes none = {0};
	int found = 0;
	pid_t *pids;
	ssize_t nr = thp_process_list(ctx, &pids);

	for (ssize_t i = 0; i < nr && !found; i++) {
		struct parse_status status;
		char dir[PROCDIR_MAX];

		snprintf(dir, sizeof(dir), "proc/%d", (int)pids[i]);
		if (procdir_status(ctx, dir, &status) == 0 && status.ppid == pid &&
		    sys_same_vm(pids[i], pid) == 1)
			found = thread_choose(ctx, pids[i], &none, ret_thread) == 0;
	}
	if (nr >= 0)
		free(pids);
	return found;
}

#define BETTER_TRIES 20
static const struct timespec better_pause = {.tv_nsec = 5000000};

/* The thread to use. A bad moment is waited out for a little while: most are short. */
static int choose(struct thp_ctx *ctx, pid_t pid, const struct wishes *wishes,
		  struct thread *ret_thread)
{
	struct thread thread;

	for (unsigned i = 0;; i++) {
		int r = thread_choose(ctx, pid, wishes, &thread);

		if (r < 0 && r != -ETIMEDOUT)
			return r;
		if (r == 0 && thread.rank < RANK_WRITES)
			break;
		if ((r < 0 || thread.rank == RANK_DEEP) && find_vfork_child(ctx, pid, &thread))
			break;
		if (r < 0)
			return r;
		if (i == BETTER_TRIES)
			break;
		nanosleep(&better_pause, NULL);
	}
	*ret_thread = thread;
	return 0;
}

/*
 * Locks the process against other runs of this, which would take the same places for nets. By a
 * directory that only those can open who may trace it: anybody can have a pidfd, and lock that.
 * The lock ends with *ret_lock being closed.
 */
static int lock(struct thp_ctx *ctx, const struct thp_target *target, DIR **ret_lock)
{
	const struct thread leader = {.pid = target->pid, .tid = target->pid};
	char path[PROCDIR_MAX];
	DIR *dir;
	int r;

	snprintf(path, sizeof(path), "proc/%d/fd", (int)target->pid);
	r = root_opendir(ctx, path, &dir);
	if (r == -EACCES || r == -EPERM)
		return explain_seize(ctx, &leader, -EPERM);
	if (r < 0)
		return r == -ENOENT ? fail(ctx, -ESRCH, "no such process any more") : r;
	r = sys_lock(dirfd(dir));
	for (unsigned i = 0; i < 400 && r == -EAGAIN; i++) {
		nanosleep(&better_pause, NULL);
		r = sys_lock(dirfd(dir));
	}
	if (r < 0) {
		closedir(dir);
		return r == -EAGAIN ? fail(ctx, -EBUSY, "another thpctl is at work on it")
				    : fail(ctx, r, "/%s: cannot be locked: %s", path, strerror(-r));
	}
	*ret_lock = dir;
	return 0;
}

/* Does the work in one thread. */
static int run_in(struct thp_ctx *ctx, struct work *work, const struct thread *thread,
		  struct nets *nets)
{
	int r = thread->filtered ? refuse_filter(ctx) : 0, mem_fd = -1;

	if (r == 0)
		r = mem_fd = nets_open(ctx, thread->pid, thread->tid);
	if (r >= 0)
		r = nets_find(ctx, thread->pid, thread->tid, mem_fd, nets);
	if (r >= 0) {
		work->hold = (struct hold){
			.ctx = ctx,
			.thread = thread,
			.nets = nets,
			.mem_fd = mem_fd,
		};
		work->refusal = 0;
		r = sys_run_apart(work_apart, work);
		if (r < 0)
			fail(ctx, r, "the helper that traces it: %s", strerror(-r));
		else
			r = work->err;
	}
	if (mem_fd >= 0)
		close(mem_fd);
	if (r == -EACCES)
		return explain_seize(ctx, thread, -EPERM);
	return r == -ENOENT ? -ESRCH : r;
}

/* Where all places are taken, a thread that one was left for can have that again. */
static bool prefer_owner(const struct nets *nets, struct wishes *wishes)
{
	for (unsigned i = 0; i < nets->nr; i++) {
		wishes->prefer = nets->places[i].owner;
		if (wishes->prefer && !wishes_avoid(wishes, wishes->prefer))
			return true;
	}
	return false;
}

#define SAME_TRIES 10

/* Whether it is worth another try after the i-th gave r, and with which thread. */
static bool try_again(int r, unsigned i, pid_t tid, const struct nets *nets, struct wishes *wishes)
{
	if (r == -ESTALE && i % SAME_TRIES != SAME_TRIES - 1) {
		nanosleep(&better_pause, NULL); /* in a moment the same thread may do */
		return true;
	}
	if (wishes->nr == AVOID_MAX ||
	    (r != -ESRCH && r != -ETIMEDOUT && r != -ENOSPC && r != -ESTALE))
		return false;
	wishes->avoid[wishes->nr++] = tid;
	return r != -ENOSPC || prefer_owner(nets, wishes);
}

#define TRIES 50

/* Does the work in some thread; one that ends or cannot be stopped is replaced. */
static int run_inside(struct thp_ctx *ctx, struct work *work)
{
	struct wishes wishes = {.prefer = work->target->tid};
	struct thread thread = {0};
	struct nets nets = {0};
	int r = refuse_target(ctx, work->target);
	DIR *locked = NULL;

	if (r == 0)
		r = lock(ctx, work->target, &locked);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < TRIES; i++) {
		r = choose(ctx, work->target->pid, &wishes, &thread);
		if (r < 0)
			break;
		r = run_in(ctx, work, &thread, &nets);
		work->tid = thread.tid;
		if (r == 0 || !try_again(r, i, thread.tid, &nets, &wishes) ||
		    target_alive(ctx, work->target) < 0)
			break;
	}
	if (locked)
		closedir(locked);
	return r == -ESTALE ? -EBUSY : r;
}

EXPORT int thp_remote_get(struct thp_ctx *ctx, struct thp_target *target, enum thp_mode *ret_mode)
{
	struct work work = {.target = target, .want = SYS_THP_ASK};
	int r = run_inside(ctx, &work);

	if (r < 0)
		return r;
	if (mode_of_state(work.before) == THP_MODE_UNKNOWN)
		return fail(ctx, -EBADMSG, "PR_GET_THP_DISABLE = %ld: not a state known here",
			    work.before);
	*ret_mode = mode_of_state(work.before);
	return 0;
}

/* No flag for "madvise": that is no failure if the system's setting says the same. */
static int madvise_by_system(struct thp_ctx *ctx)
{
	const char *words;

	if (mode_system_gives(THP_MODE_MADVISE, mode_system_says(ctx, &words)))
		return 0;
	return fail(ctx, -EOPNOTSUPP,
		    "the kernel has no \"madvise\" for one process (needs Linux 6.18), and %s", words);
}

static int refused(struct thp_ctx *ctx, int refusal)
{
	return fail(ctx, refusal == -EINVAL ? -EOPNOTSUPP : refusal,
		    "prctl(PR_SET_THP_DISABLE) inside it: %s", strerror(-refusal));
}

/* The flag could not be set. */
static int rest_on_system(struct thp_ctx *ctx, struct work *work, enum thp_mode mode)
{
	int r;

	if (mode != THP_MODE_MADVISE || work->refusal != -EINVAL)
		return refused(ctx, work->refusal);
	r = madvise_by_system(ctx);
	work->want = SYS_THP_CLEAR;
	return r < 0 ? r : run_inside(ctx, work);
}

/* What came out of the setting of a mode. */
static int report(struct thp_ctx *ctx, const struct work *work, enum thp_mode mode,
		  struct thp_remote *ret_remote)
{
	struct thp_remote remote = {0};
	const char *words;

	if (work->after != work->want)
		return fail(ctx, -EIO, "prctl(PR_SET_THP_DISABLE) succeeded, but the flag reads %s",
			    thp_mode_name(mode_of_state(work->after)));

	remote.before = mode_of_state(work->before);
	remote.after = mode_of_state(work->after);
	remote.basis = THP_BASIS_FLAG;
	if (mode == THP_MODE_ALWAYS || work->want != mode_state(mode))
		remote.basis = mode_system_gives(mode, mode_system_says(ctx, &words))
				       ? THP_BASIS_SYSTEM
				       : THP_BASIS_NONE;
	remote.tid = work->tid;
	remote.held_ns = work->held > 0 ? (uint64_t)work->held : 0;
	return copy_out(ctx, ret_remote, ret_remote->size, &remote, sizeof(remote), sizeof(remote));
}

static bool is_mode(enum thp_mode mode)
{
	return mode > THP_MODE_UNKNOWN && mode <= THP_MODE_ALWAYS;
}

EXPORT int thp_remote_set(struct thp_ctx *ctx, struct thp_target *target, enum thp_mode mode,
			  struct thp_remote *ret_remote)
{
	struct work work = {.target = target, .want = mode_state(mode)};
	int r;

	if (!is_mode(mode))
		return fail(ctx, -EINVAL, "mode %d: no such mode", (int)mode);
	r = run_inside(ctx, &work);
	if (r == 0 && work.refusal < 0)
		r = rest_on_system(ctx, &work, mode);
	return r < 0 ? r : report(ctx, &work, mode, ret_remote);
}

/* Patience with a thread that is held before its first instruction: it has no reason to tarry. */
#define EXEC_TIME 1000000000u

/* Does the work in a thread that the caller holds at its execve(2), and lets it go. */
static int run_at_exec(struct thp_ctx *ctx, struct work *work, pid_t pid)
{
	struct thread thread = {.pid = pid, .tid = pid, .hint = {.blocked = true, .nr = -1}};
	struct parse_status status;
	struct nets nets = {0};
	char dir[PROCDIR_MAX];
	int mem_fd, r;

	snprintf(dir, sizeof(dir), "proc/%d", (int)pid);
	r = procdir_status(ctx, dir, &status);
	if (r < 0)
		return r == -ENOENT ? -ESRCH : r;
	thread.filtered = status.seccomp != 0;
	/* To be its tracer is to have the lock: nobody else can take the same places now. */
	mem_fd = nets_open(ctx, pid, pid);
	if (mem_fd < 0)
		return mem_fd == -ENOENT ? -ESRCH : mem_fd;
	r = nets_find(ctx, pid, pid, mem_fd, &nets);
	work->hold = (struct hold){
		.ctx = ctx,
		.thread = &thread,
		.nets = &nets,
		.mem_fd = mem_fd,
	};
	work->tid = pid;
	if (r == 0) {
		r = hold_stop_at_exec(&work->hold, EXEC_TIME);
		if (r == 0)
			r = ask_and_set(work);
		work->held = hold_release(&work->hold);
	}
	close(mem_fd);
	return r;
}

EXPORT int thp_remote_set_at_exec(struct thp_ctx *ctx, pid_t pid, enum thp_mode mode,
				  struct thp_remote *ret_remote)
{
	struct work work = {.want = mode_state(mode)};
	const struct thp_caps *caps;
	int r = 0;

	if (!is_mode(mode))
		return fail(ctx, -EINVAL, "mode %d: no such mode", (int)mode);
	if (mode == THP_MODE_MADVISE) {
		r = caps_get(ctx, &caps);
		if (r == 0 && caps->except_advised == THP_NO) {
			r = madvise_by_system(ctx);
			work.want = SYS_THP_CLEAR;
		}
	}
	if (r == 0)
		r = run_at_exec(ctx, &work, pid);
	if (r < 0)
		sys_ptrace_detach(pid, 0); /* from a stop that was not left; otherwise nothing */
	if (r == 0 && work.refusal < 0)
		r = refused(ctx, work.refusal);
	return r < 0 ? r : report(ctx, &work, mode, ret_remote);
}

EXPORT int thp_remote_check(struct thp_ctx *ctx, struct thp_target *target)
{
	const struct wishes none = {0};
	struct thread thread = {0};
	struct nets nets = {0};
	int r = refuse_target(ctx, target), mem_fd;

	if (r == 0)
		r = thread_choose(ctx, target->pid, &none, &thread);
	if (r < 0)
		return r;
	mem_fd = nets_open(ctx, thread.pid, thread.tid);
	if (mem_fd < 0)
		return explain_seize(ctx, &thread, mem_fd == -EACCES ? -EPERM : mem_fd);
	r = nets_find(ctx, thread.pid, thread.tid, mem_fd, &nets);
	close(mem_fd);
	if (r < 0)
		return r;
	return thread.filtered ? refuse_filter(ctx) : 0;
}
