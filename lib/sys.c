// SPDX-License-Identifier: MIT
#include "sys.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#define PR_GET_THP_DISABLE 42
#endif
#define PR_THP_DISABLE_EXCEPT_ADVISED (1ul << 1) /* <linux/prctl.h> of Linux 6.18 */

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440 /* Linux 5.10, the same on every architecture */
#endif
#define SECCOMP_MODE_FILTER 2 /* <linux/seccomp.h>; a strict process could not even ask */
#ifndef __WALL
#define __WALL 0x40000000
#endif

/* <linux/fs.h> of Linux 6.7 */
struct pm_scan_arg {
	uint64_t size;
	uint64_t flags;
	uint64_t start;
	uint64_t end;
	uint64_t walk_end;
	uint64_t vec;
	uint64_t vec_len;
	uint64_t max_pages;
	uint64_t category_inverted;
	uint64_t category_mask;
	uint64_t category_anyof_mask;
	uint64_t return_mask;
};
#define PAGEMAP_SCAN _IOWR('f', 16, struct pm_scan_arg)

void sys_thp_args(int state, unsigned long args[5])
{
	args[0] = state == SYS_THP_ASK ? PR_GET_THP_DISABLE : PR_SET_THP_DISABLE;
	args[1] = state == SYS_THP_DISABLED || state == SYS_THP_EXCEPT_ADVISED;
	args[2] = state == SYS_THP_EXCEPT_ADVISED ? PR_THP_DISABLE_EXCEPT_ADVISED : 0;
	args[3] = 0;
	args[4] = 0;
}

int sys_thp_get(void)
{
	int state = prctl(PR_GET_THP_DISABLE, 0ul, 0ul, 0ul, 0ul);

	return state < 0 ? -errno : state;
}

int sys_thp_set(int state)
{
	unsigned long args[5];

	sys_thp_args(state, args);
	return prctl((int)args[0], args[1], args[2], args[3], args[4]) < 0 ? -errno : 0;
}

/*
 * A clone without CLONE_VM has its own mm, hence its own flag; without an exit signal its end
 * raises no SIGCHLD, and only a __WALL or __WCLONE wait can collect it, so no wait of the calling
 * program's sees it. It may only make plain system calls: other threads' locks are copied as held.
 */
int sys_thp_probe(int state)
{
	siginfo_t info = {0};
	pid_t pid;

	pid = (pid_t)syscall(SYS_clone, 0ul, 0ul, 0ul, 0ul, 0ul);
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		int err = -sys_thp_set(state);

		if (!err && sys_thp_get() != state)
			err = EINVAL;
		_exit(err);
	}
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	if (info.si_code != CLD_EXITED)
		return -EPERM; /* a sandbox that kills */
	if (info.si_status == EINVAL)
		return 0;
	return info.si_status ? -info.si_status : 1;
}

int sys_seccomp_filtered(void)
{
	return prctl(PR_GET_SECCOMP, 0ul, 0ul, 0ul, 0ul) == SECCOMP_MODE_FILTER;
}

int sys_has_collapse(void)
{
	/* An empty range is checked for a valid advice, then nothing is done (madvise(2)). */
	if (madvise(NULL, 0, MADV_COLLAPSE) == 0)
		return 1;
	return errno == EINVAL ? 0 : -errno;
}

int sys_has_process_madvise(void)
{
	syscall(SYS_process_madvise, -1, NULL, 0ul, MADV_COLLAPSE, 0u);
	if (errno == ENOSYS)
		return 0;
	return errno == EPERM ? -EPERM : 1;
}

int sys_has_pagemap_scan(int pagemap_fd)
{
	/* With no argument to read, a kernel that knows the request says EFAULT. */
	if (ioctl(pagemap_fd, PAGEMAP_SCAN, NULL) == 0 || errno == EFAULT)
		return 1;
	return errno == ENOTTY || errno == EINVAL ? 0 : -errno;
}

int sys_pagemap_scan(int pagemap_fd, const struct sys_scan *scan,
		     struct sys_region regions[SYS_REGIONS_MAX])
{
	/* The kernel allocates a copy of the whole vector for each call. */
	uint64_t pages = (scan->end - scan->start) / (uint64_t)sysconf(_SC_PAGESIZE);
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.start = scan->start,
		.end = scan->end,
		.vec = (uintptr_t)regions,
		.vec_len = pages < SYS_REGIONS_MAX ? pages : SYS_REGIONS_MAX,
		.max_pages = scan->most,
		.category_inverted = scan->none,
		.category_mask = scan->all | scan->none,
		.category_anyof_mask = scan->any,
		.return_mask = scan->tell,
	};
	int nr = ioctl(pagemap_fd, PAGEMAP_SCAN, &arg);

	return nr < 0 ? -errno : nr;
}

void sys_give_way(void)
{
	struct timespec time = {.tv_nsec = 50000};

	nanosleep(&time, NULL);
}

int sys_page_nodes(pid_t pid, unsigned long nr, void **pages, int *nodes)
{
	/* Without wanted nodes it moves nothing (move_pages(2)). */
	return syscall(SYS_move_pages, pid, nr, pages, NULL, nodes, 0) < 0 ? -errno : 0;
}

int sys_shmem_device(dev_t *ret_device)
{
	int fd = memfd_create("thp", MFD_CLOEXEC);
	struct stat st;
	int r = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else
		*ret_device = st.st_dev;
	close(fd);
	return r;
}

int sys_lock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
}
