// SPDX-License-Identifier: MIT
/*
 * Page tables by PAGEMAP_SCAN (Linux 6.7), else by reads of /proc/PID/pagemap. Both hold the
 * process's mmap lock while they work, hence small steps: a scan of 4 GiB of small pages in one go
 * stops the process's own mmap(2) for 140 ms. And pauses between the steps: who waits to write
 * wakes up too slowly to get ahead of a reader that is back at once, for 4 ms each time
 * (RWSEM_WAIT_TIMEOUT of kernel/locking/rwsem.c).
 */
#include "pagemap.h"

#include "root.h"
#include "sys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STEP_LEAST (64ull << 20) /* about 0.1 ms of small pages; then a pause */
#define STEP_MOST  (64ull << 30) /* where no small page is there is nothing to hold up */
#define FIND_MOST  (1ull << 30)  /* nor may small pages behind that take more than 1.5 ms */

#define READ_ENTRIES 8192 /* a whole block on every architecture */

int pagemap_open(struct pagemap *map, struct thp_ctx *ctx, const char *dir, uint64_t pmd_size,
		 bool reads)
{
	map->ctx = ctx;
	map->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	map->pmd_size = pmd_size;
	map->scan = false;
	map->fd = -1;
	map->held = 0;
	snprintf(map->path, sizeof(map->path), "%s/pagemap", dir);
	if (!is_live(ctx))
		return 0;
	map->fd = root_open(ctx, map->path);
	if (map->fd < 0)
		return map->fd == -ENOENT ? 0 : map->fd; /* CONFIG_PROC_PAGE_MONITOR=n */
	map->scan = !reads && sys_has_pagemap_scan(map->fd) == 1;
	return 0;
}

void pagemap_close(struct pagemap *map)
{
	if (map->fd >= 0)
		close(map->fd);
}

/* Hands on ranges joined: the next one that continues the last is one with it. */
struct joiner {
	range_fn fn;
	void *arg;
	struct range last; /* empty at first */
};

static int join(struct joiner *joiner, uint64_t start, uint64_t end, enum thp_range_kind kind)
{
	struct range *last = &joiner->last;
	int r = 0;

	if (last->end == start && last->kind == kind) {
		last->end = end;
		return 0;
	}
	if (last->start < last->end)
		r = joiner->fn(joiner->arg, last);
	*last = (struct range){.start = start, .end = end, .kind = kind};
	return r;
}

static int join_end(struct joiner *joiner)
{
	return join(joiner, 0, 0, 0);
}

static enum thp_range_kind kind_of(uint64_t categories)
{
	if (categories & SYS_PAGE_SWAPPED)
		return THP_RANGE_SWAPPED;
	if (categories & SYS_PAGE_PFNZERO)
		return THP_RANGE_ZERO;
	return categories & SYS_PAGE_HUGE ? THP_RANGE_HUGE : THP_RANGE_SMALL;
}

static void give_way(struct pagemap *map, uint64_t bytes)
{
	map->held += bytes;
	if (map->held >= STEP_LEAST) {
		map->held = 0;
		sys_give_way();
	}
}

/* What a step found, and how much of it in small pages, which is what takes time. */
static void measure(const struct sys_region *regions, int nr, uint64_t *ret_found,
		    uint64_t *ret_small)
{
	uint64_t found = 0, small = 0;

	for (int i = 0; i < nr; i++) {
		uint64_t bytes = regions[i].end - regions[i].start;

		found += bytes;
		if (!(regions[i].categories & SYS_PAGE_HUGE))
			small += bytes;
	}
	*ret_found = found;
	*ret_small = small;
}

static int walk_scan(struct pagemap *map, uint64_t start, uint64_t end, struct joiner *joiner)
{
	/* Not PAGE_IS_FILE: to find it out costs four times as much, and maps tells it. */
	struct sys_scan scan = {
		.any = SYS_PAGE_PRESENT | SYS_PAGE_SWAPPED,
		.tell = SYS_PAGE_PRESENT | SYS_PAGE_SWAPPED | SYS_PAGE_PFNZERO | SYS_PAGE_HUGE,
		.most = FIND_MOST / map->page_size,
	};
	struct sys_region regions[SYS_REGIONS_MAX];
	uint64_t step = STEP_LEAST;

	while (start < end) {
		uint64_t stop = end - start > step ? start + step : end, found, small;
		int nr, r;

		scan.start = start;
		scan.end = stop;
		nr = sys_pagemap_scan(map->fd, &scan, regions);
		if (nr == -EFAULT)
			return 0; /* beyond user memory: x86's [vsyscall] */
		if (nr < 0)
			return fail(map->ctx, nr, "/%s: PAGEMAP_SCAN: %s", map->path,
				    strerror(-nr));
		for (int i = 0; i < nr; i++) {
			r = join(joiner, regions[i].start, regions[i].end,
				 kind_of(regions[i].categories));
			if (r < 0)
				return r;
		}
		measure(regions, nr, &found, &small);
		give_way(map, small);
		start = nr == SYS_REGIONS_MAX || found >= FIND_MOST ? regions[nr - 1].end : stop;
		if (small > 0)
			step = STEP_LEAST;
		else if (step < STEP_MOST)
			step *= 2;
	}
	return 0;
}

ssize_t pagemap_read(const struct pagemap *map, uint64_t address, uint64_t *entries, size_t nr)
{
	off_t offset = (off_t)(address / map->page_size * sizeof(*entries));
	ssize_t n;

	do {
		n = pread(map->fd, entries, nr * sizeof(*entries), offset);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		int err = errno;

		return fail(map->ctx, -err, "/%s: %s", map->path, strerror(err));
	}
	return n / (ssize_t)sizeof(*entries);
}

static bool all_present(const uint64_t *entries, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!(entries[i] & PAGEMAP_PRESENT))
			return false;
	}
	return true;
}

static int join_entries(const struct pagemap *map, uint64_t address, const uint64_t *entries,
			size_t nr, struct joiner *joiner)
{
	int r = 0;

	for (size_t i = 0; i < nr && r >= 0; i++, address += map->page_size) {
		if (entries[i] & PAGEMAP_PRESENT)
			r = join(joiner, address, address + map->page_size, THP_RANGE_SMALL);
		else if (entries[i] & PAGEMAP_SWAPPED)
			r = join(joiner, address, address + map->page_size, THP_RANGE_SWAPPED);
	}
	return r;
}

/*
 * One aligned block at a time. Where all of it is present it is of the kind that the caller has
 * for whole blocks. Without a joiner it only counts their bytes.
 */
static int walk_blocks(const struct pagemap *map, uint64_t start, uint64_t end,
		       enum thp_range_kind whole_kind, struct joiner *joiner, uint64_t *ret_whole)
{
	uint64_t entries[READ_ENTRIES], whole = 0;

	while (start < end) {
		uint64_t block_end = (start / map->pmd_size + 1) * map->pmd_size;
		uint64_t stop = block_end < end ? block_end : end;
		size_t wanted = (size_t)((stop - start) / map->page_size);
		ssize_t nr;
		int r = 0;

		if (wanted > READ_ENTRIES)
			wanted = READ_ENTRIES;
		nr = pagemap_read(map, start, entries, wanted);
		if (nr < 0)
			return (int)nr;
		if (nr == 0)
			break; /* it ended */
		if ((size_t)nr * map->page_size == map->pmd_size &&
		    all_present(entries, (size_t)nr)) {
			whole += map->pmd_size;
			if (joiner)
				r = join(joiner, start, stop, whole_kind);
		} else if (joiner) {
			r = join_entries(map, start, entries, (size_t)nr, joiner);
		}
		if (r < 0)
			return r;
		start += (size_t)nr * map->page_size;
	}
	*ret_whole = whole;
	return 0;
}

/*
 * pagemap does not tell huge entries from small ones, but a huge page is a block that is present as
 * a whole, and smaps tells how much is huge: if that is none or all of such blocks, it is known
 * which they are.
 */
static int walk_reads(const struct pagemap *map, uint64_t start, uint64_t end, uint64_t huge,
		      struct joiner *joiner)
{
	enum thp_range_kind kind = THP_RANGE_SMALL;
	uint64_t whole;
	int r;

	if (huge > 0) {
		r = walk_blocks(map, start, end, kind, NULL, &whole);
		if (r < 0)
			return r;
		kind = whole == huge ? THP_RANGE_HUGE : THP_RANGE_UNSURE;
	}
	return walk_blocks(map, start, end, kind, joiner, &whole);
}

int pagemap_walk(struct pagemap *map, uint64_t start, uint64_t end, uint64_t huge, range_fn fn,
		 void *arg)
{
	struct joiner joiner = {.fn = fn, .arg = arg};
	int r = 0;

	if (map->fd < 0)
		return 0;
	if (map->scan)
		r = walk_scan(map, start, end, &joiner);
	else
		r = walk_reads(map, start, end, huge, &joiner);
	return r < 0 ? r : join_end(&joiner);
}

/* The kernel refuses a range that goes beyond user memory, whose end depends on the machine. */
static const uint64_t user_ends[] = {1ull << 56, 1ull << 52, 1ull << 48, 1ull << 47};

static int count_small(struct pagemap *map, uint64_t user_end, uint64_t limit, uint64_t *ret_bytes)
{
	struct sys_region regions[SYS_REGIONS_MAX];
	struct sys_scan scan = {
		.end = user_end - map->page_size,
		.all = SYS_PAGE_PRESENT,
		.none = SYS_PAGE_HUGE,
	};
	const uint64_t step = STEP_LEAST / map->page_size;
	uint64_t bytes = 0, found;
	int nr;

	do {
		/* The kernel stops after so many pages: a step, however the memory is spread. */
		scan.most = step;
		nr = sys_pagemap_scan(map->fd, &scan, regions);
		if (nr < 0)
			return nr;
		found = 0;
		for (int i = 0; i < nr; i++)
			found += regions[i].end - regions[i].start;
		if (nr > 0)
			scan.start = regions[nr - 1].end;
		bytes += found;
		give_way(map, found);
	} while ((nr == SYS_REGIONS_MAX || found / map->page_size == step) && bytes <= limit);
	*ret_bytes = bytes;
	return 0;
}

int pagemap_small(struct pagemap *map, uint64_t limit, uint64_t *ret_bytes)
{
	int r = -EFAULT;

	if (!map->scan)
		return -EOPNOTSUPP;
	for (size_t i = 0; r == -EFAULT && i < sizeof(user_ends) / sizeof(user_ends[0]); i++)
		r = count_small(map, user_ends[i], limit, ret_bytes);
	return r;
}
