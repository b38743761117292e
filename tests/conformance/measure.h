/* SPDX-License-Identifier: MIT */
/* What /proc says about this process. No malloc, so that measuring does not move the heap. */
#ifndef CONFORMANCE_MEASURE_H
#define CONFORMANCE_MEASURE_H

#include "memory.h"

/* kB mapped by PMD in the mappings that touch the block, from smaps: all kinds. Or -errno. */
long measure_huge_kb(const struct block *block);

/* How many kB of [start, start + length) are present, from pagemap: shows any page size. */
long measure_present_kb(const char *start, size_t length);

/* THP_enabled in /proc/self/status, or -ENODATA. */
long measure_thp_enabled(void);

/* Sum of the system's counters of huge pages that could not be had, from /proc/vmstat. */
long measure_fallbacks(void);

#endif
