/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* From <linux/fs.h> of 6.7; the distributions' headers are often older than their kernels. */
struct scan_region {
	uint64_t start, end, categories;
};

struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define PAGEMAP_SCAN_IOCTL _IOWR('f', 16, struct scan_arg)
#define SCAN_PAGE_IS_HUGE  (1 << 6)

static long result(long returned)
{
	return returned == -1 ? -errno : returned;
}

long kernel_prctl(int operation, unsigned long arg2, unsigned long arg3, unsigned long arg4,
		  unsigned long arg5)
{
	return result(syscall(SYS_prctl, operation, arg2, arg3, arg4, arg5));
}

long kernel_thp_set(unsigned long disable, unsigned long flags)
{
	return kernel_prctl(SET_THP_DISABLE, disable, flags, 0, 0);
}

long kernel_thp_get(void)
{
	return kernel_prctl(GET_THP_DISABLE, 0, 0, 0, 0);
}

long kernel_madvise(void *start, size_t length, int advice)
{
	return result(syscall(SYS_madvise, start, length, advice));
}

char *kernel_brk(char *address)
{
	return (char *)syscall(SYS_brk, address);
}

long kernel_scan_huge_kb(const void *start, size_t length)
{
	struct scan_region regions[16];
	struct scan_arg arg = {
		.size = sizeof(arg),
		.start = (uintptr_t)start,
		.end = (uintptr_t)start + length,
		.vec = (uintptr_t)regions,
		.vec_len = sizeof(regions) / sizeof(regions[0]),
		.category_mask = SCAN_PAGE_IS_HUGE,
		.return_mask = SCAN_PAGE_IS_HUGE,
	};
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	long count, kb = 0;

	if (fd < 0)
		return -errno;
	count = result(ioctl(fd, PAGEMAP_SCAN_IOCTL, &arg));
	close(fd);
	if (count < 0)
		return count;
	for (long i = 0; i < count; i++)
		kb += (long)((regions[i].end - regions[i].start) / 1024);
	return kb;
}

/* What the child that shares our memory hands back; its exit status has too few bits for -errno. */
struct shared_call {
	unsigned long disable, flags;
	volatile long returned;
};

static long wait_for(pid_t child, const struct shared_call *call)
{
	while (waitpid(child, NULL, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return call->returned;
}

long kernel_thp_set_in_vfork_child(unsigned long disable, unsigned long flags)
{
	static struct shared_call call;
	pid_t child;

	call = (struct shared_call){disable, flags, -ECHILD};
	/* vfork, and a call before exec or _exit, is what is being tested. */
	child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (child < 0)
		return -errno;
	if (child == 0) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
		call.returned = kernel_thp_set(call.disable, call.flags);
		_exit(0);
	}
	return wait_for(child, &call);
}

static int clone_vm_child(void *argument)
{
	struct shared_call *call = argument;

	call->returned = kernel_thp_set(call->disable, call->flags);
	return 0;
}

long kernel_thp_set_in_clone_vm_child(unsigned long disable, unsigned long flags)
{
	static struct shared_call call;
	const size_t stack_size = 64 * 1024;
	char *stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	long returned;
	pid_t child;

	if (stack == MAP_FAILED)
		return -errno;
	call = (struct shared_call){disable, flags, -ECHILD};
	child = clone(clone_vm_child, stack + stack_size, CLONE_VM | SIGCHLD, &call);
	returned = child < 0 ? -errno : wait_for(child, &call);
	munmap(stack, stack_size);
	return returned;
}
