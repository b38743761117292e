/* SPDX-License-Identifier: MIT */
/*
 * One block of memory of PMD size, aligned, of each kind. Alone in its mapping where the kind
 * allows, so that a huge page in it cannot be anyone else's. For use in children: nothing is freed.
 */
#ifndef CONFORMANCE_MEMORY_H
#define CONFORMANCE_MEMORY_H

#include <stddef.h>

#include "model.h"

struct block {
	char *start;
	size_t length;
	enum kind kind;
};

/* `file_dir`: where the private file is made. Returns 0 or -errno. */
int memory_map(enum kind kind, size_t pmd_size, const char *file_dir, struct block *ret_block);

/* Touch a few pages far apart: one is enough for a huge page, and MADV_COLLAPSE fills the rest. */
void memory_touch(const struct block *block);

/* Touch every page. */
void memory_touch_all(const struct block *block);

/* Hints go before the first touch and MADV_COLLAPSE after it. Both return madvise's 0 or -errno. */
long memory_advise(const struct block *block, enum advice advice);
long memory_collapse(const struct block *block);

#endif
