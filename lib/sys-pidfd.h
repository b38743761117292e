/* SPDX-License-Identifier: MIT */
/* Descriptors of processes as plain functions: the kernel's answer or -errno, no policy. */
#ifndef THP_SYS_PIDFD_H
#define THP_SYS_PIDFD_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* A descriptor of a process, close-on-exec (Linux 5.3). -EINVAL: a thread, not a process. */
int sys_pidfd_open(pid_t pid);

/* 0 as long as the process is there, a zombie included; -ESRCH when it is not. */
int sys_pidfd_alive(int pidfd);

/*
 * The inode of a pidfd, which no other process ever has until the next boot (Linux 6.9).
 * -EOPNOTSUPP: before, all pidfds share one inode.
 */
int sys_pidfd_inode(int pidfd, uint64_t *ret_inode);

/*
 * process_madvise(2) (Linux 5.10): bytes advised, which may be less than asked, or -errno.
 */
ssize_t sys_process_madvise(int pidfd, const struct iovec *ranges, size_t nr, int advice);

#define SYS_MADV_COLD     20
#define SYS_MADV_COLLAPSE 25 /* Linux 6.1 */

#endif /* THP_SYS_PIDFD_H */
