// SPDX-License-Identifier: MIT
#include "blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MB (1ul << 20)

static const struct {
	const char *name, *text;
} results[THP_BLOCK_RESULTS] = {
	[THP_BLOCK_DONE] = {"done", "done"},
	[THP_BLOCK_ALREADY] = {"already", "already huge"},
	[THP_BLOCK_MIXED] = {"mixed", "mixed protection or advice"},
	[THP_BLOCK_NOHUGEPAGE] = {"nohugepage", "marked MADV_NOHUGEPAGE by the program"},
	[THP_BLOCK_UNPOPULATED] = {"unpopulated", "lost its memory meanwhile"},
	[THP_BLOCK_NO_MEMORY] = {"no-memory", "no free huge page"},
	[THP_BLOCK_LIMIT] = {"limit", "the control group's memory limit"},
	[THP_BLOCK_BUSY] = {"busy", "pages locked or pinned"},
	[THP_BLOCK_SHARED] = {"shared", "shared with another process"},
	[THP_BLOCK_MLOCKED] = {"mlocked", "locked by mlock"},
	[THP_BLOCK_PRIVATE] = {"private", "private copies of a file's or shared memory's pages"},
	[THP_BLOCK_ASKEW] = {"askew", "mapped askew to the shared object's own blocks"},
	[THP_BLOCK_FAILED] = {"failed", "refused by the kernel"},
	[THP_BLOCK_PLANNED] = {"planned", "would be tried"},
};

EXPORT const char *thp_block_result_name(enum thp_block_result result)
{
	return (unsigned)result < THP_BLOCK_RESULTS && results[result].name ? results[result].name
									    : "unknown";
}

EXPORT const char *thp_block_result_text(enum thp_block_result result)
{
	return (unsigned)result < THP_BLOCK_RESULTS && results[result].text ? results[result].text
									    : "unknown";
}

/* Collects while the walk goes on. */
struct finder {
	struct blocks *blocks;
	size_t room, room_stretches;
	uint64_t mapping_start; /* the last mapping that was seen, none: end 0 */
	uint64_t mapping_end;
	int err;
};

/* The array with room for one more element behind nr, or NULL, and it is as it was. */
static void *make_room(void *array, size_t nr, size_t *room, size_t each)
{
	size_t more = *room ? 2 * *room : 64;
	void *moved;

	if (array && nr < *room)
		return array;
	moved = reallocarray(array, more, each);
	if (moved)
		*room = more;
	return moved;
}

static bool fits(const struct thp_mapping *mapping)
{
	return mapping->backing == THP_BACKING_ANON || mapping->backing == THP_BACKING_SHMEM;
}

/* A mapping, once: it continues the last stretch, or begins another. */
static int see_mapping(struct finder *finder, const struct thp_mapping *mapping)
{
	struct blocks *blocks = finder->blocks;
	struct stretch *last =
		blocks->nr_stretches ? &blocks->stretches[blocks->nr_stretches - 1] : NULL;
	struct stretch *stretches;

	if (finder->mapping_end && mapping->start == finder->mapping_start)
		return 0;
	finder->mapping_start = mapping->start;
	finder->mapping_end = mapping->end;
	if (last && last->end == mapping->start && last->backing == mapping->backing &&
	    last->inode == mapping->inode) {
		last->end = mapping->end;
		return 0;
	}
	stretches = make_room(blocks->stretches, blocks->nr_stretches, &finder->room_stretches,
			      sizeof(*stretches));
	if (!stretches)
		return -ENOMEM;
	blocks->stretches = stretches;
	blocks->stretches[blocks->nr_stretches++] = (struct stretch){
		.start = mapping->start,
		.end = mapping->end,
		.inode = mapping->inode,
		.backing = mapping->backing,
	};
	return 0;
}

static int see_block(struct finder *finder, uint64_t address, bool huge)
{
	struct blocks *blocks = finder->blocks;
	struct block *last = blocks->nr ? &blocks->blocks[blocks->nr - 1] : NULL;
	bool mixed =
		address < finder->mapping_start || address + blocks->bytes > finder->mapping_end;
	struct block *array;

	if (last && last->address == address) {
		last->huge |= huge;
		last->mixed |= mixed;
		return 0;
	}
	array = make_room(blocks->blocks, blocks->nr, &finder->room, sizeof(*array));
	if (!array)
		return -ENOMEM;
	blocks->blocks = array;
	blocks->blocks[blocks->nr++] = (struct block){
		.address = address,
		.stretch = blocks->nr_stretches - 1,
		.huge = huge,
		.mixed = mixed,
	};
	return 0;
}

static void on_range(void *arg, const struct thp_mapping *mapping, uint64_t start, uint64_t end,
		     enum thp_range_kind kind)
{
	struct finder *finder = arg;
	uint64_t bytes = finder->blocks->bytes;

	if (finder->err < 0 || !fits(mapping))
		return;
	if (kind != THP_RANGE_SMALL && kind != THP_RANGE_HUGE && kind != THP_RANGE_UNSURE)
		return;
	finder->err = see_mapping(finder, mapping);
	for (uint64_t at = start - start % bytes; at < end && finder->err == 0; at += bytes)
		finder->err = see_block(finder, at, kind == THP_RANGE_HUGE);
}

/* Drops what turned out to reach out of its stretch: no huge page fits there. */
static void drop_edges(struct blocks *blocks)
{
	size_t nr = 0;

	for (size_t i = 0; i < blocks->nr; i++) {
		const struct block *block = &blocks->blocks[i];
		const struct stretch *stretch = &blocks->stretches[block->stretch];

		if (block->address >= stretch->start &&
		    block->address + blocks->bytes <= stretch->end)
			blocks->blocks[nr++] = *block;
	}
	blocks->nr = nr;
}

static int walk(struct thp_ctx *ctx, const struct thp_target *target, uint64_t start, uint64_t end,
		struct finder *finder)
{
	struct thp_usage_request request = {
		.size = sizeof(request),
		.start = start,
		.end = end,
		.on_range = on_range,
		.arg = finder,
	};
	struct thp_mapping mapping = {.size = sizeof(mapping)};
	struct thp_usage *usage;
	int r = thp_usage_open(ctx, target->pid, &request, &usage);

	if (r < 0)
		return r;
	while ((r = thp_usage_next(usage, &mapping)) > 0 && finder->err == 0) {
		if (fits(&mapping))
			finder->err = see_mapping(finder, &mapping);
	}
	thp_usage_close(usage);
	return r < 0 ? r : finder->err;
}

int blocks_find(struct thp_ctx *ctx, const struct thp_target *target, uint64_t start, uint64_t end,
		struct blocks *ret_blocks)
{
	struct thp_system system = {.size = sizeof(system)};
	struct blocks blocks = {0};
	struct finder finder = {.blocks = &blocks};
	int r = thp_system_read(ctx, &system);

	if (r < 0)
		return r;
	/* Where sysfs is hidden: of the architectures that this runs on all have 2 MiB by default.
	 */
	blocks.bytes = system.pmd_bytes ? system.pmd_bytes : 2 * MB;
	/* Every block that the range touches. */
	start -= start % blocks.bytes;
	if (end % blocks.bytes)
		end += blocks.bytes - end % blocks.bytes;
	r = walk(ctx, target, start, end, &finder);
	/* The number may have gone to another process: only now it is known whose memory it was. */
	if (r == 0)
		r = target_alive(ctx, target);
	if (r < 0) {
		blocks_free(&blocks);
		return r == -ENOMEM ? fail(ctx, r, "%s", strerror(ENOMEM)) : r;
	}
	drop_edges(&blocks);
	*ret_blocks = blocks;
	return 0;
}

void blocks_free(struct blocks *blocks)
{
	free(blocks->blocks);
	free(blocks->stretches);
}

void blocks_measure(struct thp_ctx *ctx, const struct thp_target *target, uint64_t *ret_resident,
		    uint64_t *ret_huge)
{
	struct thp_process process = {.size = sizeof(process)};

	*ret_resident = THP_BYTES_UNKNOWN;
	*ret_huge = THP_BYTES_UNKNOWN;
	if (thp_process_read(ctx, target->pid, THP_READ_HUGE, &process) < 0)
		return;
	*ret_resident = process.resident;
	*ret_huge = thp_process_huge(&process);
}

int blocks_report(const struct blocks *blocks, size_t index,
		  const struct thp_change_request *request, struct thp_change *change)
{
	const struct block *block = &blocks->blocks[index];
	const struct stretch *stretch = &blocks->stretches[block->stretch];
	const struct thp_block report = {
		.size = sizeof(report),
		.address = block->address,
		.result = block->result,
		.error = block->error,
		.range_start = stretch->start,
		.range_end = stretch->end,
		.backing = stretch->backing,
		.done = index + 1,
		.total = blocks->nr,
	};

	change->results[block->result]++;
	return request->on_block ? request->on_block(request->arg, &report) : 0;
}

int blocks_check(struct thp_ctx *ctx, const struct thp_target *target,
		 const struct thp_change_request *request)
{
	struct thp_process process = {.size = sizeof(process)};
	int r;

	if (request->size < sizeof(*request) ||
	    (request->flags & ~(THP_CHANGE_DRY_RUN | THP_CHANGE_BLOAT)))
		return fail(ctx, -EINVAL, "change flags 0x%x or structure size %zu: unknown",
			    request->flags, request->size);
	r = thp_process_read(ctx, target->pid, 0, &process);
	if (r < 0)
		return r;
	if (process.kind == THP_KIND_KERNEL)
		return fail(ctx, -EINVAL, "is a kernel thread: it has no memory of its own");
	if (process.kind == THP_KIND_ZOMBIE)
		return fail(ctx, -ESRCH, "has ended: it is a zombie");
	return target_alive(ctx, target);
}
