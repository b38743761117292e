/* SPDX-License-Identifier: MIT */
/*
 * The sole maker of kernel calls beyond plain file reading. Plain functions that return the
 * kernel's answer or -errno; no policy. Numbers newer than Debian 12's headers are carried here.
 */
#ifndef THP_SYS_H
#define THP_SYS_H

#include <stdint.h>
#include <sys/types.h>

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

/* Categories of a page in PAGEMAP_SCAN, <linux/fs.h> of Linux 6.7. */
#define SYS_PAGE_PRESENT (1u << 3)
#define SYS_PAGE_SWAPPED (1u << 4)
#define SYS_PAGE_PFNZERO (1u << 5)
#define SYS_PAGE_HUGE    (1u << 6)

struct sys_region {
	uint64_t start;
	uint64_t end;
	uint64_t categories;
};

/* What PAGEMAP_SCAN is to look for. */
struct sys_scan {
	uint64_t start;
	uint64_t end;
	unsigned all;  /* categories that a page must have */
	unsigned none; /* and must not have */
	unsigned any;  /* and one of which it must have; 0: does not matter */
	unsigned tell; /* those that come with a region */
	uint64_t most; /* pages to find at most; 0: no limit */
};

/*
 * Up to 512 regions, ascending. More at a time, and what the kernel says of how far it came is
 * wrong (seen on Linux 6.18): so a full answer is continued behind its last region.
 */
#define SYS_REGIONS_MAX 512
int sys_pagemap_scan(int pagemap_fd, const struct sys_scan *scan,
		     struct sys_region regions[SYS_REGIONS_MAX]);

/* Sleeps so long that who waits for a lock that was just released gets it. */
void sys_give_way(void);

/* The node of each page of a process into nodes[], or -errno of it. 0 or -errno. */
int sys_page_nodes(pid_t pid, unsigned long nr, void **pages, int *nodes);

/* Locks an open file (flock(2)) as long as it is open. -EAGAIN: somebody else has the lock. */
int sys_lock(int fd);

/* st_dev of memfd_create(2) and all other memory of the kernel's internal tmpfs. 0 or -errno. */
int sys_shmem_device(dev_t *ret_device);

#endif /* THP_SYS_H */
