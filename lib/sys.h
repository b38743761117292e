/* SPDX-License-Identifier: MIT */
/*
 * The sole maker of kernel calls beyond plain file reading. Plain functions that return the
 * kernel's answer or -errno; no policy. Numbers newer than Debian 12's headers are carried here.
 */
#ifndef THP_SYS_H
#define THP_SYS_H

/* Answers of PR_GET_THP_DISABLE. */
#define SYS_THP_CLEAR          0
#define SYS_THP_DISABLED       1
#define SYS_THP_EXCEPT_ADVISED 3 /* PR_THP_DISABLE_EXCEPT_ADVISED << 0 | 1, Linux 6.18 */

/* The arguments of prctl(2) that put a process into a state, or ask for it. */
#define SYS_THP_ASK (-1)
void sys_thp_args(int state, unsigned long args[5]);

/* PR_GET_THP_DISABLE: one of the three, or -errno. */
int sys_thp_get(void);

/* PR_SET_THP_DISABLE so that sys_thp_get() answers state. */
int sys_thp_set(int state);

/*
 * Whether PR_SET_THP_DISABLE takes a state, tried in a child of its own: 1, 0 (EINVAL), or -errno.
 * Costs a fork(2); the caller's own flag, signals and children are not touched.
 */
int sys_thp_probe(int state);

/* Whether a seccomp filter stands before this process's system calls, as far as it lets see. */
int sys_seccomp_filtered(void);

/* Each answers 1, 0, or -errno where a sandbox hides it; none changes anything. */
int sys_has_collapse(void);
int sys_has_process_madvise(void);
int sys_has_pagemap_scan(int pagemap_fd);

#endif /* THP_SYS_H */
