/* SPDX-License-Identifier: MIT */
/*
 * The safety net of a call inside another process.
 *
 * While a thread runs our call it holds registers that are not its own. If its tracer is killed
 * then, nobody puts them back: the kernel lets the thread go on as it stands. So the call stands in
 * a few instructions that find their own way back: behind the system call they load each register
 * that was changed and jump to where the thread was. Everything is written before the one request
 * that changes the registers, so at no moment can the tracer's end leave the thread astray.
 *
 * The place is the unused end of the last page of the vdso, or of another executable mapping: it
 * becomes a page of the process's own by the write, holds nothing else, and is wiped afterwards. A
 * net whose tracer was killed stays, and its place is taken again only when its thread has left it.
 */
#ifndef THP_REMOTE_NET_H
#define THP_REMOTE_NET_H

#include "arch.h"

#define NETS_MAX 48

struct place {
	uint64_t at;
	pid_t owner; /* thread for which a net was left here, 0: free */
};

/* Places for nets, best first. */
struct nets {
	unsigned nr;
	struct place places[NETS_MAX];
};

/*
 * The memory that a thread has: stays the same memory when the thread executes another program,
 * which then has a memory of its own.
 */
int nets_open(struct thp_ctx *ctx, pid_t pid, pid_t tid);

/*
 * Finds the places in a process. The caller holds the lock of remote.c, so that nobody else takes
 * them. mem_fd is from nets_open(). -ENOSPC: there are none.
 */
int nets_find(struct thp_ctx *ctx, pid_t pid, pid_t tid, int mem_fd, struct nets *ret_nets);

/*
 * Whether a thread stands in a net that was left for it. It must not get another one: nobody could
 * tell later when the first has served.
 */
bool nets_hold(const struct nets *nets, pid_t tid, const struct arch_regs *regs);

/*
 * Whether a stopped thread has left a net that was left for it, and will not come back: it stands
 * elsewhere, and no signal handler that it runs returns there.
 */
bool net_left(pid_t tid, uint64_t at, const struct arch_regs *regs);

/*
 * Writes a net for a stopped, traced thread, which restores regs. -ESTALE: the thread has another
 * memory by now than that in which places were found.
 */
int net_cast(pid_t tid, int mem_fd, uint64_t at, const struct arch_regs *regs);

/* Wipes it. The thread is still stopped, and has its own registers again. */
void net_wipe(pid_t tid, int mem_fd, uint64_t at);

#endif /* THP_REMOTE_NET_H */
