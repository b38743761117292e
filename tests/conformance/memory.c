/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel.h"

static char *align_up(char *address, size_t size)
{
	return (char *)(((uintptr_t)address + size - 1) & ~(uintptr_t)(size - 1));
}

/*
 * An aligned place with inaccessible pages on both sides: a mapping put there cannot be merged
 * with a neighbour.
 */
static char *reserve(size_t pmd_size)
{
	char *place = mmap(NULL, 3 * pmd_size, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return place == MAP_FAILED ? NULL : align_up(place + 1, pmd_size);
}

/*
 * A hole of PMD size, opened read-only: khugepaged leaves files alone that somebody has open for
 * writing, and a file that was never written has no pages in the page cache yet.
 */
static int make_file(const char *dir, size_t length)
{
	char path[4096];
	int fd, error;

	if ((size_t)snprintf(path, sizeof(path), "%s/thp-conformance-XXXXXX", dir) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = mkstemp(path);
	if (fd < 0)
		return -errno;
	error = ftruncate(fd, (off_t)length) < 0 ? -errno : 0;
	close(fd);
	fd = error < 0 ? error : open(path, O_RDONLY | O_CLOEXEC);
	if (error == 0 && fd < 0)
		fd = -errno;
	unlink(path);
	return fd;
}

static int map_heap(size_t pmd_size, char **ret_start)
{
	char *start = align_up(kernel_brk(NULL), pmd_size);

	/* In one step: glibc's own 132 KiB steps would never leave room for a huge page. */
	if (kernel_brk(start + pmd_size) != start + pmd_size)
		return -ENOMEM;
	*ret_start = start;
	return 0;
}

int memory_map(enum kind kind, size_t pmd_size, const char *file_dir, struct block *ret_block)
{
	int protection = PROT_READ | (kind == KIND_FILE ? 0 : PROT_WRITE);
	int flags = MAP_FIXED | (kind == KIND_SHMEM ? MAP_SHARED : MAP_PRIVATE) |
		    (kind == KIND_FILE ? 0 : MAP_ANONYMOUS);
	char *start = NULL;
	int fd = -1, error = 0;

	if (kind == KIND_HEAP) {
		error = map_heap(pmd_size, &start);
	} else {
		start = reserve(pmd_size);
		if (!start)
			return -ENOMEM;
		if (kind == KIND_FILE) {
			fd = make_file(file_dir, pmd_size);
			if (fd < 0)
				return fd;
		}
		if (mmap(start, pmd_size, protection, flags, fd, 0) == MAP_FAILED)
			error = -errno;
		if (fd >= 0)
			close(fd);
	}
	if (error < 0)
		return error;
	*ret_block = (struct block){start, pmd_size, kind};
	return 0;
}

static void touch_every(const struct block *block, size_t step)
{
	for (size_t offset = 0; offset < block->length; offset += step) {
		volatile char *byte = block->start + offset;

		if (block->kind == KIND_FILE)
			(void)*byte;
		else
			*byte = 1;
	}
}

void memory_touch(const struct block *block)
{
	touch_every(block, block->length / 4);
}

void memory_touch_all(const struct block *block)
{
	touch_every(block, (size_t)sysconf(_SC_PAGESIZE));
}

long memory_advise(const struct block *block, enum advice advice)
{
	if (advice == ADVICE_HUGE)
		return kernel_madvise(block->start, block->length, ADVISE_HUGEPAGE);
	if (advice == ADVICE_NOHUGE)
		return kernel_madvise(block->start, block->length, ADVISE_NOHUGEPAGE);
	return 0;
}

long memory_collapse(const struct block *block)
{
	long returned = 0;

	/* madvise(2): EAGAIN, EBUSY and ENOMEM depend on the moment; everything else is a verdict.
	 */
	for (int attempt = 0; attempt < 20; attempt++) {
		returned = kernel_madvise(block->start, block->length, ADVISE_COLLAPSE);
		if (returned != -EAGAIN && returned != -EBUSY && returned != -ENOMEM)
			break;
		usleep(2000);
	}
	/* A collapsed shared page is mapped by PMD at the next touch at the latest. */
	if (returned == 0)
		memory_touch(block);
	return returned;
}
