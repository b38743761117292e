// SPDX-License-Identifier: MIT
/*
 * A huge page with one hole, or one of a smaller size (mTHP), is mapped by small entries: only the
 * flags of its physical page tell, /proc/kpageflags, for CAP_SYS_ADMIN. See
 * Documentation/admin-guide/mm/pagemap.rst.
 */
#include "folios.h"

#include "root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KPF_HEAD (1ull << 15) /* KPF_COMPOUND_HEAD */
#define KPF_TAIL (1ull << 16) /* KPF_COMPOUND_TAIL */
#define KPF_THP  (1ull << 22) /* not a driver's buffer of many pages */

#define ENTRIES 512

int folios_open(struct folios *folios, struct thp_ctx *ctx, const struct pagemap *map)
{
	*folios = (struct folios){.ctx = ctx, .fd = -1, .map = map};
	folios->room = (size_t)(map->pmd_size / map->page_size);
	folios->flags = malloc(folios->room * sizeof(*folios->flags));
	if (!folios->flags)
		return fail(ctx, -ENOMEM, "page flags: %s", strerror(ENOMEM));
	folios->fd = root_open(ctx, "proc/kpageflags");
	if (folios->fd < 0) {
		free(folios->flags);
		return folios->fd;
	}
	return 0;
}

void folios_close(struct folios *folios)
{
	close(folios->fd);
	free(folios->flags);
}

static int read_flags(const struct folios *folios, uint64_t frame, uint64_t *flags, size_t nr)
{
	ssize_t n = pread(folios->fd, flags, nr * sizeof(*flags), (off_t)(frame * sizeof(*flags)));

	if (n < 0) {
		int err = errno;

		return fail(folios->ctx, -err, "/proc/kpageflags: %s", strerror(err));
	}
	return (int)(n / (ssize_t)sizeof(*flags));
}

/*
 * Flags of one frame. Neighbours are often asked for next, but memory in single pages is often
 * scattered: the window around is read only for a page that is part of something larger.
 */
static int flags_of(struct folios *folios, uint64_t frame, uint64_t *ret_flags)
{
	int r;

	if (frame - folios->first >= folios->nr) {
		r = read_flags(folios, frame, ret_flags, 1);
		if (r <= 0)
			return r < 0 ? r : -ENODATA;
		if (!(*ret_flags & (KPF_HEAD | KPF_TAIL)))
			return 0;
		/* Large pages are aligned to their size: none crosses a window's border. */
		folios->first = frame / folios->room * folios->room;
		folios->nr = 0;
		r = read_flags(folios, folios->first, folios->flags, folios->room);
		if (r < 0)
			return r;
		folios->nr = (size_t)r;
		if (frame - folios->first >= folios->nr)
			return -ENODATA;
	}
	*ret_flags = folios->flags[frame - folios->first];
	return 0;
}

/* The page that a frame is part of: its first frame and its order, from the window. */
static unsigned find_folio(const struct folios *folios, uint64_t frame, uint64_t *ret_head)
{
	size_t head = (size_t)(frame - folios->first), end = head + 1;
	unsigned order = 0;

	while (head > 0 && (folios->flags[head] & KPF_TAIL))
		head--;
	while (end < folios->nr && (folios->flags[end] & KPF_TAIL))
		end++;
	while ((end - head) >> (order + 1))
		order++;
	*ret_head = folios->first + head;
	return order;
}

/*
 * A huge page may lie in several mappings, after mprotect(2) of a part of it. All of them together
 * map what is mapped; what is not belongs to the one that has its first page.
 */
static void count_part(struct folios *folios)
{
	const struct pagemap *map = folios->map;
	uint64_t pages = map->pmd_size / map->page_size, mapped = 0, first = 0, nr_read = 0;
	uint64_t entries[ENTRIES];

	while (folios->part_at && nr_read < pages) {
		uint64_t at = folios->part_at + nr_read * map->page_size, left = pages - nr_read;
		ssize_t nr = pagemap_read(map, at, entries, left < ENTRIES ? left : ENTRIES);

		if (nr <= 0)
			return; /* it ended */
		for (ssize_t i = 0; i < nr; i++) {
			uint64_t frame = entries[i] & PAGEMAP_FRAME;

			if (!(entries[i] & PAGEMAP_PRESENT) || frame - folios->part_head >= pages)
				continue;
			if (mapped++ == 0)
				first = at + (uint64_t)i * map->page_size;
		}
		nr_read += (uint64_t)nr;
	}
	if (mapped > 0 && first >= folios->start)
		*folios->held += (pages - mapped) * map->page_size;
	folios->part_at = 0;
}

void folios_begin(struct folios *folios, uint64_t start, uint64_t *held)
{
	folios->start = start;
	folios->held = held;
}

void folios_end(struct folios *folios)
{
	count_part(folios);
	/* Pages change under us: the next mapping reads them again. */
	folios->nr = 0;
}

/* A page at an address is one of a huge page. */
static void meet_part(struct folios *folios, uint64_t head, uint64_t frame, uint64_t at)
{
	if (folios->part_at && folios->part_head == head)
		return;
	count_part(folios);
	folios->part_head = head;
	folios->part_at = at - (frame - head) * folios->map->page_size;
}

/* What one small page is part of; ret_head is set for THP_RANGE_SPLIT. */
static int judge(struct folios *folios, const struct pagemap *map, uint64_t frame,
		 struct range *piece, uint64_t *ret_head)
{
	uint64_t flags, head;
	int r;

	piece->kind = THP_RANGE_SMALL;
	piece->order = 0;
	r = flags_of(folios, frame, &flags);
	if (r < 0)
		return r == -ENODATA ? 0 : r;
	if (!(flags & KPF_THP) || !(flags & (KPF_HEAD | KPF_TAIL)))
		return 0;
	piece->order = find_folio(folios, frame, &head);
	if (map->page_size << piece->order != map->pmd_size) {
		piece->kind = THP_RANGE_SIZED;
	} else {
		piece->kind = THP_RANGE_SPLIT;
		*ret_head = head;
	}
	return 0;
}

int folios_walk(struct folios *folios, const struct pagemap *map, const struct range *range,
		range_fn fn, void *arg)
{
	struct range last = {.start = range->start, .end = range->start};
	uint64_t entries[ENTRIES], at = range->start;

	while (at < range->end) {
		uint64_t left = (range->end - at) / map->page_size;
		ssize_t nr = pagemap_read(map, at, entries, left < ENTRIES ? left : ENTRIES);

		if (nr <= 0)
			return nr < 0 ? (int)nr : fail(map->ctx, -ESRCH, "/%s: ended", map->path);
		for (ssize_t i = 0; i < nr; i++, at += map->page_size) {
			uint64_t frame = entries[i] & PAGEMAP_FRAME, head = 0;
			struct range piece = {
				.start = at, .end = at + map->page_size, .kind = THP_RANGE_SMALL};
			int r = 0;

			/* Gone meanwhile, or hidden: what the scan saw stands. */
			if ((entries[i] & PAGEMAP_PRESENT) && frame)
				r = judge(folios, map, frame, &piece, &head);
			if (r < 0)
				return r;
			if (piece.kind == THP_RANGE_SPLIT)
				meet_part(folios, head, frame, at);
			if (last.kind == piece.kind && last.order == piece.order) {
				last.end = piece.end;
				continue;
			}
			if (last.end > last.start)
				r = fn(arg, &last);
			if (r < 0)
				return r;
			last = piece;
		}
	}
	return last.end > last.start ? fn(arg, &last) : 0;
}

int folios_sample(struct folios *folios, const struct pagemap *map, const struct range *range,
		  range_fn fn, void *arg)
{
	struct range piece = *range;

	for (; piece.start < range->end; piece.start = piece.end) {
		uint64_t entry, head;
		ssize_t nr;
		int r = 0;

		piece.end = (piece.start / map->pmd_size + 1) * map->pmd_size;
		if (piece.end > range->end)
			piece.end = range->end;
		piece.kind = THP_RANGE_SMALL;
		nr = pagemap_read(map, piece.start, &entry, 1);
		if (nr < 0)
			return (int)nr;
		if (nr == 1 && (entry & PAGEMAP_PRESENT) && (entry & PAGEMAP_FRAME))
			r = judge(folios, map, entry & PAGEMAP_FRAME, &piece, &head);
		if (r >= 0)
			r = fn(arg, &piece);
		if (r < 0)
			return r;
	}
	return 0;
}
