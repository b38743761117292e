// SPDX-License-Identifier: MIT
/* What a walk of a process's page tables would cost, counted for a bounded price. */
#include "pagemap.h"
#include "procdir.h"
#include "sys.h"

#include <errno.h>
#include <string.h>

/* The kernel refuses a range that goes beyond user memory, whose end depends on the machine. */
static const uint64_t user_ends[] = {1ull << 56, 1ull << 52, 1ull << 48, 1ull << 47};

static int count_small(const struct pagemap *map, uint64_t user_end, uint64_t limit,
		       uint64_t *ret_bytes)
{
	struct sys_region regions[SYS_REGIONS_MAX];
	struct sys_scan scan = {
		.end = user_end - map->page_size,
		.all = SYS_PAGE_PRESENT,
		.none = SYS_PAGE_HUGE,
	};
	uint64_t bytes = 0;
	int nr;

	do {
		scan.most = (limit - bytes) / map->page_size + 1;
		nr = sys_pagemap_scan(map->fd, &scan, regions);
		if (nr < 0)
			return nr;
		for (int i = 0; i < nr; i++)
			bytes += regions[i].end - regions[i].start;
		if (nr > 0)
			scan.start = regions[nr - 1].end;
	} while (nr == SYS_REGIONS_MAX && bytes <= limit);
	*ret_bytes = bytes;
	return 0;
}

EXPORT int thp_usage_small(struct thp_ctx *ctx, pid_t pid, uint64_t limit, uint64_t *ret_bytes)
{
	struct procdir dir;
	struct pagemap map;
	int r = procdir_find(ctx, pid, &dir);

	if (r < 0)
		return r;
	r = pagemap_open(&map, ctx, dir.path, 0, false);
	if (r < 0)
		return r;
	if (map.scan) {
		r = -EFAULT;
		for (size_t i = 0; r == -EFAULT && i < sizeof(user_ends) / sizeof(user_ends[0]);
		     i++)
			r = count_small(&map, user_ends[i], limit, ret_bytes);
		if (r < 0)
			fail(ctx, r, "/%s: PAGEMAP_SCAN: %s", map.path, strerror(-r));
	} else {
		r = fail(ctx, -EOPNOTSUPP, "%s/%s: no PAGEMAP_SCAN (needs Linux 6.7)", ctx->root,
			 map.path);
	}
	pagemap_close(&map);
	return r;
}
