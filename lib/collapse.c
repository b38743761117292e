// SPDX-License-Identifier: MIT
/* Makes huge pages of another process's memory, block by block. */
#include "blocks.h"
#include "sys-pidfd.h"
#include "sys-ptrace.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define TRIES 3

/*
 * Why the kernel found a block invalid. To read the advice walks the page tables of its mapping, so
 * that is done only for those that failed.
 */
static enum thp_block_result explain_invalid(struct thp_ctx *ctx, const struct thp_target *target,
					     const struct block *block, uint64_t bytes)
{
	const struct thp_usage_request request = {
		.size = sizeof(request),
		.flags = THP_USE_ADVICE,
		.start = block->address,
		.end = block->address + bytes,
	};
	struct thp_mapping mapping = {.size = sizeof(mapping)};
	enum thp_block_result result = THP_BLOCK_FAILED;
	struct thp_usage *usage;

	if (thp_usage_open(ctx, target->pid, &request, &usage) < 0)
		return result;
	if (thp_usage_next(usage, &mapping) > 0) {
		if (mapping.counts.resident == 0)
			result = THP_BLOCK_UNPOPULATED;
		else if (mapping.end - mapping.start < bytes)
			result = THP_BLOCK_MIXED;
		else if (mapping.advice == THP_ADVICE_NOHUGE)
			result = THP_BLOCK_NOHUGEPAGE;
		else if (mapping.backing == THP_BACKING_SHMEM && !(mapping.flags & THP_MAP_SHARED))
			result = THP_BLOCK_PRIVATE;
		else if (mapping.backing == THP_BACKING_SHMEM && mapping.offset % bytes)
			result = THP_BLOCK_ASKEW;
	} else {
		result = THP_BLOCK_UNPOPULATED;
	}
	thp_usage_close(usage);
	return result;
}

static enum thp_block_result result_of(int err)
{
	switch (err) {
	case -ENOMEM:
		return THP_BLOCK_NO_MEMORY; /* or unmapped, which explain_invalid() would tell */
	case -EBUSY:
		return THP_BLOCK_LIMIT;
	case -EAGAIN:
		return THP_BLOCK_BUSY;
	default:
		return THP_BLOCK_FAILED;
	}
}

/* One block. 0, or -errno where going on has no use. */
static int collapse_one(struct thp_ctx *ctx, const struct thp_target *target, struct block *block,
			uint64_t bytes)
{
	const struct iovec range = {
		.iov_base = (void *)(uintptr_t)block->address,
		.iov_len = bytes,
	};
	ssize_t n = -EAGAIN;

	for (unsigned i = 0; i < TRIES && n == -EAGAIN; i++)
		n = sys_process_madvise(target->pidfd, &range, 1, SYS_MADV_COLLAPSE);
	block->result = THP_BLOCK_DONE;
	if (n >= 0)
		return 0;
	if (n == -EPERM || n == -ESRCH || n == -ENOSYS)
		return fail(ctx, (int)(n == -ENOSYS ? -EOPNOTSUPP : n),
			    "process_madvise(MADV_COLLAPSE): %s%s", strerror((int)-n),
			    n == -EPERM ? ": needs CAP_SYS_NICE and the right to trace it" : "");
	block->error = (int)n;
	block->result =
		n == -EINVAL ? explain_invalid(ctx, target, block, bytes) : result_of((int)n);
	return 0;
}

/* Sleeps until the bytes done so far are no more than the rate allows. */
static void keep_rate(uint64_t since, uint64_t done, uint64_t max_rate)
{
	uint64_t due, now = sys_now();
	struct timespec pause;

	if (max_rate == 0)
		return;
	due = since + (uint64_t)((double)done / (double)max_rate * 1e9);
	if (due <= now)
		return;
	pause.tv_sec = (time_t)((due - now) / 1000000000u);
	pause.tv_nsec = (long)((due - now) % 1000000000u);
	nanosleep(&pause, NULL);
}

static int collapse_all(struct thp_ctx *ctx, const struct thp_target *target,
			const struct thp_change_request *request, struct blocks *blocks,
			struct thp_change *change)
{
	uint64_t since = sys_now(), done = 0;
	int r = 0;

	for (size_t i = 0; i < blocks->nr && r == 0; i++) {
		struct block *block = &blocks->blocks[i];

		if (block->huge) {
			block->result = THP_BLOCK_ALREADY;
		} else if (block->mixed) {
			block->result = THP_BLOCK_MIXED;
		} else if (request->flags & THP_CHANGE_DRY_RUN) {
			block->result = THP_BLOCK_PLANNED;
		} else {
			r = collapse_one(ctx, target, block, blocks->bytes);
			if (r < 0)
				break;
			done += blocks->bytes;
			keep_rate(since, done, request->max_rate);
		}
		r = blocks_report(blocks, i, request, change);
	}
	return r;
}

/* Under the full flag each block would only say EINVAL; and before Linux 6.1, too. */
static int check(struct thp_ctx *ctx, const struct thp_target *target)
{
	struct thp_process process = {.size = sizeof(process)};
	struct thp_caps caps = {.size = sizeof(caps)};
	int r = thp_process_read(ctx, target->pid, 0, &process);

	if (r == 0)
		r = thp_caps_read(ctx, &caps);
	if (r < 0)
		return r;
	if (caps.collapse == THP_NO || caps.process_madvise == THP_NO)
		return fail(ctx, -EOPNOTSUPP, "the kernel has no MADV_COLLAPSE (needs Linux 6.1)");
	if (process.mode == THP_MODE_NEVER)
		return fail(
			ctx, -EOPNOTSUPP,
			"its mode is never: 'thpctl set default %d' would let it have huge pages",
			(int)target->pid);
	return 0;
}

EXPORT int thp_collapse(struct thp_ctx *ctx, struct thp_target *target,
			const struct thp_change_request *request, struct thp_change *ret_change)
{
	struct thp_change change = {.bloat = THP_BYTES_UNKNOWN};
	struct blocks blocks = {0};
	int r = blocks_check(ctx, target, request), stopped;

	if (r == 0)
		r = check(ctx, target);
	if (r == 0)
		r = blocks_find(ctx, target, request->start, request->end, &blocks);
	if (r < 0)
		return r;
	change.block_bytes = blocks.bytes;
	blocks_measure(ctx, target, &change.resident_before, &change.huge_before);
	stopped = collapse_all(ctx, target, request, &blocks, &change);
	blocks_measure(ctx, target, &change.resident_after, &change.huge_after);
	blocks_free(&blocks);
	r = copy_out(ctx, ret_change, ret_change->size, &change, sizeof(change), sizeof(change));
	return r < 0 ? r : stopped;
}
