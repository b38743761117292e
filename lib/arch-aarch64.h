/* SPDX-License-Identifier: MIT */
/*
 * aarch64; see arch.h.
 *
 * Here the kernel prepares the restart of a call before it stops the thread (do_signal() of
 * arch/arm64/kernel/signal.c), and forgets that it did when the thread runs something else. So the
 * registers at a stop show either a call that begins anew, or one that has ended; what can be
 * lost is that a handler without SA_RESTART, whose signal comes in the very moment of our call,
 * sees the call begin anew and not end by EINTR.
 */
#ifndef THP_ARCH_AARCH64_H
#define THP_ARCH_AARCH64_H

#include "arch-calls.h"

struct arch_regs {
	uint64_t x[31];
	uint64_t sp;
	uint64_t pc;
	uint64_t pstate;
};

#define PSTATE_32BIT    (1u << 4)
#define INSTRUCTION     4u
#define BRANCH_REACH    (128ll << 20)
#define NR_SAVED        6
#define FUTEX_WAITS(op) (((op)&127) == 0 || ((op)&127) == 9) /* WAIT, WAIT_BITSET */

static const unsigned char saved_registers[NR_SAVED] = {0, 1, 2, 3, 4, 8};

/*
 * A system call, and behind it the way back by itself: the registers of its number and its
 * arguments are loaded, nothing else was changed; then a branch, which needs none but reaches
 * 128 MiB only. Neither stack nor flags are touched.
 */
struct arch_net {
	uint32_t code[NR_SAVED + 2];
	uint64_t saved[NR_SAVED];
};

static inline bool arch_known(const struct arch_regs *regs)
{
	return !(regs->pstate & PSTATE_32BIT);
}

static inline uint64_t arch_pc(const struct arch_regs *regs)
{
	return regs->pc;
}

static inline uint64_t arch_sp(const struct arch_regs *regs)
{
	return regs->sp;
}

static inline void arch_set_pc(struct arch_regs *regs, uint64_t pc)
{
	regs->pc = pc;
}

/* Calls that the kernel would go on with by restart_syscall(2), since they have a time limit. */
static inline bool has_restart_block(const struct arch_regs *regs)
{
	switch (regs->x[8]) {
	case SYS_nanosleep:
		return true;
	case SYS_clock_nanosleep:
		return regs->x[1] == 0; /* no TIMER_ABSTIME */
	case SYS_futex:
		return FUTEX_WAITS(regs->x[1]) && regs->x[3] != 0;
	default:
		return false;
	}
}

static inline bool arch_settle(struct arch_regs *regs, const struct arch_hint *hint)
{
	if (!hint->blocked || hint->nr < 0 || (uint64_t)hint->nr != regs->x[8])
		return false;
	/* It stands before the call that it was blocked in: the kernel means to restart it. */
	if (regs->pc + INSTRUCTION == hint->pc && has_restart_block(regs)) {
		regs->x[8] = SYS_restart_syscall;
		return true;
	}
	if (regs->pc == hint->pc && (int64_t)regs->x[0] == -EINTR && call_gives_up(hint->nr)) {
		regs->x[0] = hint->args[0];
		regs->pc -= INSTRUCTION;
		return true;
	}
	return false;
}

static inline void arch_alone(struct arch_regs *regs)
{
	(void)regs; /* arch_settle() has done all that there is to do */
}

static inline bool arch_reaches(uint64_t at, uint64_t pc)
{
	int64_t distance = (int64_t)(pc - at - (NR_SAVED + 1) * INSTRUCTION);

	return distance >= -BRANCH_REACH && distance < BRANCH_REACH && pc % INSTRUCTION == 0;
}

static inline void arch_cast(struct arch_net *net, uint64_t at, const struct arch_regs *regs)
{
	uint64_t branch = at + (NR_SAVED + 1) * INSTRUCTION;

	net->code[0] = 0xd4000001; /* svc #0 */
	for (unsigned i = 0; i < NR_SAVED; i++) {
		uint32_t from = (i + 1) * INSTRUCTION;
		uint32_t to = (uint32_t)offsetof(struct arch_net, saved) + 8 * i;

		/* ldr x, saved[i]: a distance in instructions */
		net->code[i + 1] = 0x58000000 | (to - from) / INSTRUCTION << 5 | saved_registers[i];
		net->saved[i] = regs->x[saved_registers[i]];
	}
	net->code[NR_SAVED + 1] =
		0x14000000 | ((uint32_t)((int64_t)(regs->pc - branch) / INSTRUCTION) & 0x3ffffff);
}

static inline void arch_call(struct arch_regs *regs, uint64_t at,
			     const unsigned long args[ARCH_ARGS])
{
	for (unsigned i = 0; i < ARCH_ARGS; i++)
		regs->x[i] = args[i];
	regs->x[8] = SYS_prctl;
	regs->pc = at;
}

static inline bool arch_at_exit(const struct arch_regs *regs, uint64_t at)
{
	return regs->pc == at + INSTRUCTION;
}

static inline bool arch_at_entry(const struct arch_regs *regs, uint64_t at)
{
	return arch_at_exit(regs, at) && regs->x[8] == SYS_prctl;
}

static inline long arch_result(const struct arch_regs *regs)
{
	return (int)regs->x[0];
}

#endif /* THP_ARCH_AARCH64_H */
