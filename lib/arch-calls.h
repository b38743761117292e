/* SPDX-License-Identifier: MIT */
/* What is known of system calls that a thread is blocked in, by the numbers of this architecture.
 */
#ifndef THP_ARCH_CALLS_H
#define THP_ARCH_CALLS_H

#include <sys/syscall.h>

#ifndef SYS_io_pgetevents
#define SYS_io_pgetevents 333 /* of x86-64; Linux 4.18, musl 1.2 has it */
#endif

/*
 * System calls that return EINTR at any stop, whether or not a handler runs (signal(7)), having
 * done nothing yet; sockets with a time limit and inotify come through the plain ones. Not in the
 * list: close(2), which must never run twice.
 */
static inline bool call_gives_up(long nr)
{
	switch (nr) {
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
#ifdef SYS_epoll_wait /* those that newer architectures have no more */
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait:
	case 441: /* epoll_pwait2 */
	case SYS_rt_sigtimedwait:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case 426: /* io_uring_enter */
		return true;
	default:
		return false;
	}
}

/* How well a thread bears a stop. A 32-bit thread's numbers mean other calls: a wrong rank at
 * worst. */
static inline enum arch_rank call_rank(const struct arch_hint *hint)
{
	switch (hint->nr) {
#ifdef SYS_poll
	case SYS_poll:
	case SYS_select:
	case SYS_pause:
#endif
	case SYS_futex:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_ppoll:
	case SYS_pselect6:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_rt_sigsuspend:
	case SYS_restart_syscall:
	case -1: /* stopped, outside of any call */
		return RANK_RESTARTS;
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait:
		return (int)hint->args[3] < 0 ? RANK_MENDED : RANK_MENDED_TIMED;
	case SYS_semop:
		return RANK_MENDED;
	case SYS_semtimedop:
		return hint->args[3] ? RANK_MENDED_TIMED : RANK_MENDED;
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_copy_file_range:
		return RANK_WRITES;
	default:
		return call_gives_up(hint->nr) && hint->nr != SYS_read &&
				       hint->nr != SYS_recvfrom && hint->nr != SYS_recvmsg &&
				       hint->nr != SYS_accept && hint->nr != SYS_accept4
			       ? RANK_MENDED_TIMED
			       : RANK_OTHER;
	}
}

#endif /* THP_ARCH_CALLS_H */
