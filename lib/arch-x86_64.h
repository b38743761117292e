/* SPDX-License-Identifier: MIT */
/* x86-64, with 32-bit threads; see arch.h. */
#ifndef THP_ARCH_X86_64_H
#define THP_ARCH_X86_64_H

#include "arch-calls.h"

#include <sys/user.h>

#define CS_64 0x33 /* __USER_CS   */
#define CS_32 0x23 /* __USER32_CS */

struct arch_regs {
	struct user_regs_struct user;
};

/* In the order in which the code below loads them. */
enum { NET_AX, NET_CX, NET_DX, NET_SI, NET_DI, NET_R8, NET_R10, NET_R11, NET_PC, NET_WORDS };

/*
 * A system call, and behind it the way back by itself: every register that the call or its
 * arguments overwrote is loaded, then a jump through memory, which needs none. Neither stack nor
 * flags are touched, so a signal may come between any two instructions.
 */
struct arch_net {
	unsigned char code[72];
	uint64_t saved[NET_WORDS];
};

static inline bool arch_known(const struct arch_regs *regs)
{
	return regs->user.cs == CS_64 || regs->user.cs == CS_32;
}

static inline bool is_32bit(const struct arch_regs *regs)
{
	return regs->user.cs == CS_32;
}

static inline uint64_t arch_pc(const struct arch_regs *regs)
{
	return regs->user.rip;
}

static inline uint64_t arch_sp(const struct arch_regs *regs)
{
	return regs->user.rsp;
}

static inline void arch_set_pc(struct arch_regs *regs, uint64_t pc)
{
	regs->user.rip = pc;
}

/* What call_gives_up() tells, by the numbers of i386. */
static inline bool gives_up_32(long nr)
{
	static const short calls[] = {
		3,   4,   145, 146,           /* read write readv writev */
		102, 117,                     /* socketcall ipc */
		362, 364, 369, 370, 371, 372, /* connect accept4 sendto sendmsg recvfrom recvmsg */
		337, 345, 417,                /* recvmmsg sendmmsg recvmmsg_time64 */
		256, 319, 441,                /* epoll_wait epoll_pwait epoll_pwait2 */
		177, 421,                     /* rt_sigtimedwait, _time64 */
		420,                          /* semtimedop_time64 */
		247, 385, 416, 426, /* io_getevents io_pgetevents, _time64, io_uring_enter */
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i] == nr)
			return true;
	}
	return false;
}

static inline bool arch_settle(struct arch_regs *regs, const struct arch_hint *hint)
{
	long nr = (int)regs->user.orig_rax;

	(void)hint;
	if (nr < 0 || (long)regs->user.rax != -EINTR ||
	    !(is_32bit(regs) ? gives_up_32(nr) : call_gives_up(nr)))
		return false;
	regs->user.rax = (unsigned long)-ERESTARTNOHAND;
	return true;
}

/* As arch_do_signal_or_restart() does where no signal is delivered. */
static inline void arch_alone(struct arch_regs *regs)
{
	struct user_regs_struct *user = &regs->user;

	if ((int)user->orig_rax < 0)
		return;
	switch (-(long)user->rax) {
	case ERESTARTSYS:
	case ERESTARTNOINTR:
	case ERESTARTNOHAND:
		user->rax = user->orig_rax;
		break;
	case ERESTART_RESTARTBLOCK:
		user->rax = is_32bit(regs) ? 0 : SYS_restart_syscall; /* 0: the same on i386 */
		break;
	default:
		return;
	}
	user->rip -= 2; /* both "syscall" and "int $0x80" have two bytes */
}

static inline bool arch_reaches(uint64_t at, uint64_t pc)
{
	(void)at;
	(void)pc;
	return true;
}

/* The address of saved[word] as the code at offset end refers to it. */
static inline void put_operand(unsigned char *code, size_t end, uint64_t at, bool absolute,
			       int word)
{
	uint32_t operand = (uint32_t)(offsetof(struct arch_net, saved) + 8 * (size_t)word);

	operand = absolute ? (uint32_t)at + operand : operand - (uint32_t)end;
	memcpy(code + end - sizeof(operand), &operand, sizeof(operand));
}

static inline void arch_cast(struct arch_net *net, uint64_t at, const struct arch_regs *regs)
{
	const struct user_regs_struct *user = &regs->user;
	/* mov saved[word], %reg: REX.W[R] 8b modrm disp32; of i386: 8b modrm abs32 */
	static const struct {
		unsigned char rex, modrm, word;
	} loads[] = {
		{0x48, 0x05, NET_AX},  {0x48, 0x0d, NET_CX},  {0x48, 0x15, NET_DX},
		{0x48, 0x35, NET_SI},  {0x48, 0x3d, NET_DI},  {0x4c, 0x05, NET_R8},
		{0x4c, 0x15, NET_R10}, {0x4c, 0x1d, NET_R11},
	};
	/* The arguments of i386 are in bx, cx, dx, si, di: the slot of r8 serves bx. */
	static const struct {
		unsigned char modrm, word;
	} loads_32[] = {
		{0x05, NET_AX}, {0x0d, NET_CX}, {0x15, NET_DX},
		{0x35, NET_SI}, {0x3d, NET_DI}, {0x1d, NET_R8},
	};
	bool narrow = is_32bit(regs);
	size_t end = 0;

	memset(net->code, 0xcc, sizeof(net->code));
	net->code[end++] = narrow ? 0xcd : 0x0f; /* int $0x80, or syscall */
	net->code[end++] = narrow ? 0x80 : 0x05;
	if (narrow) {
		for (size_t i = 0; i < sizeof(loads_32) / sizeof(loads_32[0]); i++) {
			net->code[end] = 0x8b;
			net->code[end + 1] = loads_32[i].modrm;
			end += 6;
			put_operand(net->code, end, at, true, loads_32[i].word);
		}
	} else {
		for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
			net->code[end] = loads[i].rex;
			net->code[end + 1] = 0x8b;
			net->code[end + 2] = loads[i].modrm;
			end += 7;
			put_operand(net->code, end, at, false, loads[i].word);
		}
	}
	net->code[end] = 0xff; /* jmp *saved[NET_PC] */
	net->code[end + 1] = 0x25;
	end += 6;
	put_operand(net->code, end, at, narrow, NET_PC);

	net->saved[NET_AX] = user->rax;
	net->saved[NET_CX] = user->rcx;
	net->saved[NET_DX] = user->rdx;
	net->saved[NET_SI] = user->rsi;
	net->saved[NET_DI] = user->rdi;
	net->saved[NET_R8] = narrow ? user->rbx : user->r8;
	net->saved[NET_R10] = user->r10;
	net->saved[NET_R11] = user->r11;
	net->saved[NET_PC] = user->rip;
}

static inline void arch_call(struct arch_regs *regs, uint64_t at,
			     const unsigned long args[ARCH_ARGS])
{
	struct user_regs_struct *user = &regs->user;

	user->orig_rax = (unsigned long)-1; /* no call to restart: rip and rax are to stay */
	user->rip = at;
	if (is_32bit(regs)) {
		user->rax = 172; /* prctl of i386 */
		user->rbx = args[0];
		user->rcx = args[1];
		user->rdx = args[2];
		user->rsi = args[3];
		user->rdi = args[4];
		return;
	}
	user->rax = SYS_prctl;
	user->rdi = args[0];
	user->rsi = args[1];
	user->rdx = args[2];
	user->r10 = args[3];
	user->r8 = args[4];
}

static inline bool arch_at_entry(const struct arch_regs *regs, uint64_t at)
{
	return regs->user.rip == at + 2 && (int)regs->user.rax == -ENOSYS &&
	       regs->user.orig_rax == (is_32bit(regs) ? 172 : SYS_prctl);
}

static inline bool arch_at_exit(const struct arch_regs *regs, uint64_t at)
{
	return regs->user.rip == at + 2;
}

static inline long arch_result(const struct arch_regs *regs)
{
	return (int)regs->user.rax;
}

#endif /* THP_ARCH_X86_64_H */
