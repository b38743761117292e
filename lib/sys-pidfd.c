// SPDX-License-Identifier: MIT
#include "sys-pidfd.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#define PIDFS_MAGIC 0x50494446 /* <linux/magic.h> of Linux 6.9 */

int sys_pidfd_open(pid_t pid)
{
	long fd = syscall(SYS_pidfd_open, (long)pid, 0ul);

	return fd < 0 ? -errno : (int)fd;
}

int sys_pidfd_alive(int pidfd)
{
	/* Signal 0 is a question only; EPERM answers it too. */
	if (syscall(SYS_pidfd_send_signal, (long)pidfd, 0l, NULL, 0ul) == 0 || errno == EPERM)
		return 0;
	return -errno;
}

int sys_pidfd_inode(int pidfd, uint64_t *ret_inode)
{
	struct statfs fs;
	struct stat st;

	if (fstatfs(pidfd, &fs) < 0 || fstat(pidfd, &st) < 0)
		return -errno;
	if ((unsigned long)fs.f_type != PIDFS_MAGIC)
		return -EOPNOTSUPP;
	*ret_inode = st.st_ino;
	return 0;
}

ssize_t sys_process_madvise(int pidfd, const struct iovec *ranges, size_t nr, int advice)
{
	long n = syscall(SYS_process_madvise, (long)pidfd, ranges, nr, (long)advice, 0ul);

	return n < 0 ? -errno : n;
}
