// SPDX-License-Identifier: MIT
/*
 * Splits huge pages of another process. MADV_COLD of a part of a huge page makes the kernel split
 * it first, and a split frees the small pages that hold nothing but zeros; no tracing is needed.
 */
#include "blocks.h"
#include "pagemap.h"
#include "root.h"
#include "sys-pidfd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH 1024 /* UIO_MAXIOV */
#define TRIES 3    /* a page is skipped in silence while somebody holds its lock */

/* Which of the blocks are to be tried: those that are huge, in batches. */
struct batch {
	size_t nr;
	struct iovec ranges[BATCH];
	struct block *blocks[BATCH];
};

/*
 * Advises a batch. The kernel stops at the first range that it refuses and tells how far it came;
 * that one is passed over.
 */
static int advise(struct thp_ctx *ctx, const struct thp_target *target, struct batch *batch)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < batch->nr;) {
		ssize_t n = sys_process_madvise(target->pidfd, batch->ranges + at, batch->nr - at,
						SYS_MADV_COLD);

		if (n == -EPERM || n == -ESRCH || n == -ENOSYS)
			return fail(ctx, (int)(n == -ENOSYS ? -EOPNOTSUPP : n),
				    "process_madvise(MADV_COLD): %s%s", strerror((int)-n),
				    n == -EPERM ? ": needs CAP_SYS_NICE and the right to trace it"
						: "");
		if (n > 0) {
			at += (size_t)n / page;
			continue;
		}
		batch->blocks[at]->error = (int)n;
		at++;
	}
	batch->nr = 0;
	return 0;
}

static int advise_all(struct thp_ctx *ctx, const struct thp_target *target, struct blocks *blocks)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct batch *batch = calloc(1, sizeof(*batch));
	int r = 0;

	if (!batch)
		return fail(ctx, -ENOMEM, "%s", strerror(ENOMEM));
	for (size_t i = 0; i < blocks->nr && r == 0; i++) {
		struct block *block = &blocks->blocks[i];

		/* Nothing is there to split, or it was refused before. */
		if (!block->huge || block->error)
			continue;
		batch->ranges[batch->nr] = (struct iovec){
			.iov_base = (void *)(uintptr_t)block->address,
			.iov_len = page,
		};
		batch->blocks[batch->nr++] = block;
		if (batch->nr == BATCH)
			r = advise(ctx, target, batch);
	}
	if (r == 0)
		r = advise(ctx, target, batch);
	free(batch);
	return r;
}

/* Which of them are huge still. Returns how many, or -errno. */
static ssize_t verify(struct thp_ctx *ctx, const struct thp_target *target,
		      const struct thp_change_request *request, struct blocks *blocks)
{
	struct blocks now;
	ssize_t left = 0;
	size_t k = 0;
	int r = blocks_find(ctx, target, request->start, request->end, &now);

	if (r < 0)
		return r;
	for (size_t i = 0; i < blocks->nr; i++) {
		struct block *block = &blocks->blocks[i];

		while (k < now.nr && now.blocks[k].address < block->address)
			k++;
		if (block->huge &&
		    (k == now.nr || now.blocks[k].address != block->address || !now.blocks[k].huge))
			block->huge = false;
		left += block->huge;
	}
	blocks_free(&now);
	return left;
}

/* Why a block is huge still. */
static enum thp_block_result explain_left(const struct pagemap *map, const struct block *block)
{
	uint64_t entry;

	if (block->error == -EINVAL)
		return THP_BLOCK_MLOCKED;
	if (block->error)
		return THP_BLOCK_FAILED;
	/* Only a page that one process maps is split; the others are skipped in silence. */
	if (map->fd >= 0 && pagemap_read(map, block->address, &entry, 1) == 1 &&
	    (entry & PAGEMAP_PRESENT) && !(entry & PAGEMAP_ALONE))
		return THP_BLOCK_SHARED;
	return THP_BLOCK_BUSY;
}

static bool is_zero(const uint64_t *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (words[i])
			return false;
	}
	return true;
}

/*
 * Bytes of small pages in huge ones that hold nothing but zeros. Not by process_vm_readv(2): it
 * pins pages, and to pin a page that is shared after a fork the kernel first makes a copy.
 */
static int count_zero(struct thp_ctx *ctx, const struct thp_target *target,
		      const struct blocks *blocks, uint64_t *ret_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t zero = 0, *words;
	char path[PROCDIR_MAX + 16];
	struct procdir dir;
	int fd = procdir_find(ctx, target->pid, &dir);

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "%s/mem", dir.path);
	fd = root_open(ctx, path);
	if (fd < 0)
		return fd;
	words = malloc(blocks->bytes);
	if (!words) {
		close(fd);
		return fail(ctx, -ENOMEM, "%s", strerror(ENOMEM));
	}
	for (size_t i = 0; i < blocks->nr; i++) {
		ssize_t n = 0;

		if (blocks->blocks[i].huge)
			n = pread(fd, words, blocks->bytes, (off_t)blocks->blocks[i].address);
		for (ssize_t at = 0; at + (ssize_t)page <= n; at += (ssize_t)page) {
			if (is_zero(words + (size_t)at / sizeof(*words), page / sizeof(*words)))
				zero += page;
		}
	}
	free(words);
	close(fd);
	*ret_bytes = zero;
	return 0;
}

/* Only what was huge before is reported: the rest needs no splitting. */
static void keep_huge(struct blocks *blocks)
{
	size_t nr = 0;

	for (size_t i = 0; i < blocks->nr; i++) {
		if (blocks->blocks[i].huge)
			blocks->blocks[nr++] = blocks->blocks[i];
	}
	blocks->nr = nr;
}

static int split_all(struct thp_ctx *ctx, const struct thp_target *target,
		     const struct thp_change_request *request, struct blocks *blocks)
{
	struct pagemap map = {.fd = -1};
	struct procdir dir;
	ssize_t left = 1;
	int r = 0;

	for (unsigned i = 0; i < TRIES && left > 0 && r == 0; i++) {
		r = advise_all(ctx, target, blocks);
		if (r == 0)
			left = verify(ctx, target, request, blocks);
		if (left < 0)
			r = (int)left;
	}
	if (r < 0)
		return r;
	if (procdir_find(ctx, target->pid, &dir) < 0 ||
	    pagemap_open(&map, ctx, dir.path, blocks->bytes, false) < 0)
		map.fd = -1;
	for (size_t i = 0; i < blocks->nr; i++) {
		struct block *block = &blocks->blocks[i];

		block->result = block->huge ? explain_left(&map, block) : THP_BLOCK_DONE;
		if (!block->huge)
			block->error = 0;
	}
	pagemap_close(&map);
	return 0;
}

EXPORT int thp_split(struct thp_ctx *ctx, struct thp_target *target,
		     const struct thp_change_request *request, struct thp_change *ret_change)
{
	struct thp_change change = {.bloat = THP_BYTES_UNKNOWN};
	struct thp_caps caps = {.size = sizeof(caps)};
	struct blocks blocks;
	int r = blocks_check(ctx, target, request), stopped = 0;

	if (r == 0)
		r = thp_caps_read(ctx, &caps);
	if (r < 0)
		return r;
	if (caps.process_madvise == THP_NO || caps.pagemap_scan == THP_NO)
		return fail(
			ctx, -EOPNOTSUPP,
			"the kernel has no process_madvise or no PAGEMAP_SCAN to find huge pages "
			"by (needs Linux 6.7)");
	r = blocks_find(ctx, target, request->start, request->end, &blocks);
	if (r < 0)
		return r;
	keep_huge(&blocks);
	change.block_bytes = blocks.bytes;
	blocks_measure(ctx, target, &change.resident_before, &change.huge_before);
	if (request->flags & THP_CHANGE_BLOAT)
		r = count_zero(ctx, target, &blocks, &change.bloat);
	if (r == 0 && !(request->flags & THP_CHANGE_DRY_RUN))
		r = split_all(ctx, target, request, &blocks);
	for (size_t i = 0; i < blocks.nr && r == 0 && stopped == 0; i++) {
		if (request->flags & THP_CHANGE_DRY_RUN)
			blocks.blocks[i].result = THP_BLOCK_PLANNED;
		stopped = blocks_report(&blocks, i, request, &change);
	}
	blocks_free(&blocks);
	if (r < 0)
		return r;
	blocks_measure(ctx, target, &change.resident_after, &change.huge_after);
	r = copy_out(ctx, ret_change, ret_change->size, &change, sizeof(change), sizeof(change));
	return r < 0 ? r : stopped;
}
