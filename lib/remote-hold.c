// SPDX-License-Identifier: MIT
#include "remote-hold.h"

#include "remote-refuse.h"

#define SECOND 1000000000u
#define STOP_TIME                                                                                  \
	(2 * (uint64_t)SECOND) /* a thread that does not stop by then is in deep sleep             \
				*/
#define CALL_TIME                                                                                  \
	(10 * (uint64_t)SECOND) /* for all calls; a stopped target is none for patience            \
				 */
#define RESCUE_TIME (2 * (uint64_t)SECOND)

static int failed(struct hold *hold, int err, const char *what)
{
	if (err == -ESRCH)
		return fail(hold->ctx, err, "thread %d ended", (int)hold->thread->tid);
	return fail(hold->ctx, err, "thread %d: cannot %s: %s", (int)hold->thread->tid, what,
		    strerror(-err));
}

static int wait_stop(struct hold *hold)
{
	int r = sys_ptrace_wait(hold->thread->tid, hold->deadline, &hold->stop, &hold->sig);

	hold->stopped = r == 0;
	return r < 0 ? failed(hold, r, "be stopped") : 0;
}

/* Lets the thread run to its next stop. */
static int run(struct hold *hold, int (*resume)(pid_t tid, int sig), int sig)
{
	int r = resume(hold->thread->tid, sig);

	hold->stopped = false;
	return r < 0 ? failed(hold, r, "go on") : wait_stop(hold);
}

/* The same, with a stop asked for: any stop takes back the request for another. */
static int run_to_trap(struct hold *hold, int sig)
{
	int r = sys_ptrace_interrupt(hold->thread->tid);

	return r < 0 ? failed(hold, r, "be stopped") : run(hold, sys_ptrace_cont, sig);
}

static int set_regs(struct hold *hold, const struct arch_regs *regs)
{
	int r = sys_ptrace_set_regs(hold->thread->tid, regs, sizeof(*regs));

	return r < 0 ? failed(hold, r, "set registers") : 0;
}

static int get_regs(struct hold *hold, struct arch_regs *regs)
{
	int r = sys_ptrace_get_regs(hold->thread->tid, regs, sizeof(*regs));

	return r < 0 ? failed(hold, r, "read registers") : 0;
}

/* struct rseq and struct rseq_cs of <linux/rseq.h>, Linux 4.18. */
#define RSEQ_CS_OFFSET 8
struct rseq_section {
	uint32_t version, flags;
	uint64_t start, length, abort;
};

/*
 * A thread in a restartable sequence (rseq(2)) that goes elsewhere has left it: the kernel clears
 * the thread's rseq_cs, and it would come back into the sequence unprotected, losing updates of
 * per-CPU data. Restoring it at the sequence's abort address is what preemption does.
 */
static int leave_rseq(struct hold *hold)
{
	pid_t tid = hold->thread->tid;
	struct rseq_section section;
	uint64_t area, at;
	int r = sys_ptrace_rseq(tid, &area);

	if (r == -EOPNOTSUPP && hold->thread->hint.blocked)
		return 0; /* no system call is ever made inside a sequence */
	if (r == -EOPNOTSUPP)
		return fail(hold->ctx, r,
			    "thread %d runs, and the kernel cannot tell whether it is in a "
			    "restartable sequence (needs Linux 5.13)",
			    (int)tid);
	if (r < 0)
		return failed(hold, r, "read its restartable sequence");
	if (area == 0)
		return 0;
	if (sys_vm_read(tid, area + RSEQ_CS_OFFSET, &at, sizeof(at)) != sizeof(at))
		return failed(hold, -EFAULT, "read its restartable sequence");
	if (at == 0)
		return 0;
	if (sys_vm_read(tid, at, &section, sizeof(section)) != sizeof(section))
		return failed(hold, -EFAULT, "read its restartable sequence");
	if (arch_pc(&hold->regs) - section.start < section.length)
		arch_set_pc(&hold->regs, section.abort);
	return 0;
}

/* Takes the thread's registers at a stop, ready to be restored. */
static int take_regs(struct hold *hold)
{
	int r = get_regs(hold, &hold->regs);

	hold->cast = false;
	if (r < 0)
		return r;
	if (!arch_known(&hold->regs))
		return fail(hold->ctx, -EOPNOTSUPP,
			    "thread %d runs code of an architecture that this build does not know",
			    (int)hold->thread->tid);
	/* At once: should we be killed, the call is not to end by a stop that nobody asked for. */
	if (arch_settle(&hold->regs, &hold->thread->hint)) {
		r = set_regs(hold, &hold->regs);
		if (r < 0)
			return r;
	}
	return leave_rseq(hold);
}

/* From a stop to the one that was asked for; signals that come first are delivered. */
static int to_trap(struct hold *hold)
{
	while (hold->stop != SYS_STOP_TRAP) {
		int r = run_to_trap(hold, hold->stop == SYS_STOP_SIGNAL ? hold->sig : 0);

		if (r < 0)
			return r;
	}
	return take_regs(hold);
}

int hold_seize(struct hold *hold)
{
	return sys_ptrace_seize(hold->thread->tid);
}

int hold_stop(struct hold *hold)
{
	int r;

	hold->since = sys_now();
	hold->deadline = hold->since + STOP_TIME;
	r = sys_ptrace_interrupt(hold->thread->tid);
	if (r < 0)
		return failed(hold, r, "be stopped");
	r = wait_stop(hold);
	if (r < 0)
		return r;
	hold->deadline = hold->since + CALL_TIME;
	return to_trap(hold);
}

int hold_stop_at_exec(struct hold *hold, uint64_t patience_ns)
{
	int r;

	hold->since = sys_now();
	hold->deadline = hold->since + patience_ns;
	hold->stopped = true;
	r = run_to_trap(hold, 0);
	return r < 0 ? r : to_trap(hold);
}

/* Whether this thread can have a place now: one of its own that it has left, or a free one. */
static bool usable(const struct hold *hold, const struct place *place, bool own,
		   const struct arch_regs *alone)
{
	pid_t tid = hold->thread->tid;

	if (place->owner != (own ? tid : 0) || !arch_reaches(place->at, arch_pc(alone)))
		return false;
	return !own || net_left(tid, place->at, &hold->regs);
}

/* Finds a place that can be written, and writes the net. */
static int cast_first(struct hold *hold, bool own, const struct arch_regs *alone)
{
	int r = -ENOSPC;

	for (unsigned i = 0; i < hold->nets->nr && r < 0 && r != -ESRCH && r != -ESTALE; i++) {
		const struct place *place = &hold->nets->places[i];

		if (!usable(hold, place, own, alone))
			continue;
		r = net_cast(hold->thread->tid, hold->mem_fd, place->at, alone);
		if (r == 0)
			hold->at = place->at;
	}
	return r;
}

/* Writes the net for the present registers. */
static int cast(struct hold *hold)
{
	struct arch_regs alone = hold->regs;
	int r;

	if (!hold->at && nets_hold(hold->nets, hold->thread->tid, &hold->regs))
		return fail(
			hold->ctx, -ESTALE,
			"an earlier run was killed in the midst, and thread %d has not run since",
			(int)hold->thread->tid);
	arch_alone(&alone);
	if (hold->at && arch_reaches(hold->at, arch_pc(&alone))) {
		r = net_cast(hold->thread->tid, hold->mem_fd, hold->at, &alone);
	} else {
		if (hold->at)
			net_wipe(hold->thread->tid, hold->mem_fd, hold->at);
		hold->at = 0;
		r = cast_first(hold, true, &alone);
		if (r < 0 && r != -ESRCH && r != -ESTALE)
			r = cast_first(hold, false, &alone);
	}
	hold->cast = r == 0;
	if (r == -ESTALE)
		return fail(hold->ctx, r, "executes other programs too fast to follow");
	if (r == -ENOSPC)
		return fail(hold->ctx, r,
			    "no room left for a safe call: earlier runs were killed in the midst");
	return r < 0 ? failed(hold, r, "be given a way back") : 0;
}

/*
 * The thread's seccomp filter could kill the process for our call. It sleeps only while the thread
 * has our registers: whatever else it runs meanwhile, its own code or a signal's handler, is
 * filtered as before. A thread without a filter may be given one at any time, hence for all.
 */
static int suspend_filter(struct hold *hold, bool suspend)
{
	int r = sys_ptrace_suspend_seccomp(hold->thread->tid, suspend);

	if (r == 0 || !hold->thread->filtered)
		return 0;
	return r == -ESRCH ? failed(hold, r, "") : explain_seize(hold->ctx, hold->thread, r);
}

/*
 * Delivers the signal that the thread stopped for, on its own registers, and stops it again, in
 * the handler if it has one.
 */
static int deliver(struct hold *hold)
{
	int r = set_regs(hold, &hold->regs);

	if (r == 0)
		r = suspend_filter(hold, false);
	if (r < 0)
		return r;
	hold->away = false;
	return to_trap(hold);
}

/* Brings the thread to the entry of the call, or to a signal that comes first. */
static int enter(struct hold *hold, const unsigned long args[ARCH_ARGS])
{
	struct arch_regs regs = hold->regs;
	int r;

	r = suspend_filter(hold, true);
	if (r < 0)
		return r;
	arch_call(&regs, hold->at, args);
	hold->away = true;
	r = set_regs(hold, &regs);
	if (r < 0)
		return r;
	do {
		/* More than one trap is due where the process is stopped by a signal as well. */
		r = run(hold, sys_ptrace_syscall, 0);
		if (r < 0)
			return r;
	} while (hold->stop == SYS_STOP_TRAP);
	if (hold->stop == SYS_STOP_SIGNAL)
		return 0;
	r = get_regs(hold, &regs);
	if (r < 0)
		return r;
	return arch_at_entry(&regs, hold->at) ? 0 : failed(hold, -EIO, "enter the call");
}

/* From the entry to the stop behind the call. */
static int finish(struct hold *hold, long *ret_result)
{
	struct arch_regs regs;
	int r = run_to_trap(hold, 0);

	if (r < 0)
		return r;
	r = get_regs(hold, &regs);
	if (r < 0)
		return r;
	if (!arch_at_exit(&regs, hold->at))
		return failed(hold, -EIO, "leave the call");
	*ret_result = arch_result(&regs);
	r = suspend_filter(hold, false);
	if (r < 0)
		return r;
	return hold->stop == SYS_STOP_SIGNAL ? deliver(hold) : 0;
}

int hold_call(struct hold *hold, const unsigned long args[ARCH_ARGS], long *ret_result)
{
	for (;;) {
		int r = hold->cast ? 0 : cast(hold);

		if (r == 0)
			r = enter(hold, args);
		if (r < 0)
			return r;
		if (hold->stop == SYS_STOP_SYSCALL)
			return finish(hold, ret_result);
		r = deliver(hold);
		if (r < 0)
			return r;
		if (sys_now() > hold->deadline)
			return failed(hold, -ETIMEDOUT, "be left in peace by signals");
	}
}

/*
 * Brings the thread to a stop in which its own registers can be restored. One that was frozen
 * with ours comes out of that for a stop. At the entry of a call it must first go through: the
 * kernel would run the call whose number is among the registers.
 */
static int reach(struct hold *hold)
{
	int r = 0;

	if (!hold->stopped) {
		hold->deadline = sys_now() + RESCUE_TIME;
		r = sys_ptrace_interrupt(hold->thread->tid);
		if (r == 0)
			r = wait_stop(hold);
	}
	while (r == 0 && hold->stop == SYS_STOP_SYSCALL)
		r = run_to_trap(hold, 0);
	return r;
}

int64_t hold_release(struct hold *hold)
{
	pid_t tid = hold->thread->tid;
	bool lost = !hold->stopped;
	int r = reach(hold);

	if (r == 0 && lost && !hold->away)
		r = take_regs(hold);
	if (r == 0)
		r = sys_ptrace_set_regs(tid, &hold->regs, sizeof(hold->regs));
	if (r < 0)
		return r;
	if (hold->at)
		net_wipe(tid, hold->mem_fd, hold->at);
	r = sys_ptrace_detach(tid, hold->stop == SYS_STOP_SIGNAL ? hold->sig : 0);
	return r < 0 ? r : (int64_t)(sys_now() - hold->since);
}
