/* SPDX-License-Identifier: MIT */
/* How ranges of a process's memory are mapped, read in bounded steps. */
#ifndef THP_PAGEMAP_H
#define THP_PAGEMAP_H

#include "internal.h"
#include "procdir.h"

struct pagemap {
	struct thp_ctx *ctx;
	char path[PROCDIR_MAX + 16];
	int fd;    /* -1: there is none to read, as in a captured tree */
	bool scan; /* PAGEMAP_SCAN is there */
	uint64_t page_size;
	uint64_t pmd_size;
	uint64_t held; /* bytes scanned without a pause */
};

/* A piece of the memory; with THP_RANGE_SIZED, order is the size of its pages. */
struct range {
	uint64_t start;
	uint64_t end;
	enum thp_range_kind kind;
	unsigned order;
};
typedef int (*range_fn)(void *arg, const struct range *range);

/* Opens it for a process directory. reads: as if there were no PAGEMAP_SCAN. 0 or -errno. */
int pagemap_open(struct pagemap *map, struct thp_ctx *ctx, const char *dir, uint64_t pmd_size,
		 bool reads);
void pagemap_close(struct pagemap *map);

/*
 * Calls fn for what is mapped or swapped out in a range of addresses, ascending; it ends the walk
 * by a value below 0, which is then returned. huge is how much of the range smaps calls huge, for
 * kernels whose pagemap does not tell.
 */
int pagemap_walk(struct pagemap *map, uint64_t start, uint64_t end, uint64_t huge, range_fn fn,
		 void *arg);

/* Entries of pagemap: nr of them from address on. Returns how many could be read, or -errno. */
#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_ALONE   (1ull << 56)       /* mapped by nobody else, Linux 4.2 */
#define PAGEMAP_FRAME   ((1ull << 55) - 1) /* zero without CAP_SYS_ADMIN */
ssize_t pagemap_read(const struct pagemap *map, uint64_t address, uint64_t *entries, size_t nr);

/*
 * Counts the memory that is mapped by small entries, up to about limit bytes: what a walk of the
 * page tables costs, for a price that limit bounds. 0, or -EOPNOTSUPP without PAGEMAP_SCAN.
 */
int pagemap_small(struct pagemap *map, uint64_t limit, uint64_t *ret_bytes);

#endif /* THP_PAGEMAP_H */
