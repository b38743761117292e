/* SPDX-License-Identifier: MIT */
/*
 * The kernel calls that the suite is about, made directly: no libthp here, so that a mistake in the
 * library cannot hide a mistake in our picture of the kernel, nor the other way round.
 *
 * All return 0 or a positive value, or -errno.
 */
#ifndef CONFORMANCE_KERNEL_H
#define CONFORMANCE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* <linux/prctl.h> has the two operations since 3.15, the flag only since 6.18. */
#define SET_THP_DISABLE 41
#define GET_THP_DISABLE 42
#define EXCEPT_ADVISED  (1UL << 1)

/* <linux/mman.h>; MADV_COLLAPSE came with 6.1. */
#define ADVISE_HUGEPAGE   14
#define ADVISE_NOHUGEPAGE 15
#define ADVISE_COLLAPSE   25

/* prctl with all five arguments, as they are. */
long kernel_prctl(int operation, unsigned long arg2, unsigned long arg3, unsigned long arg4,
		  unsigned long arg5);
long kernel_thp_set(unsigned long disable, unsigned long flags);
long kernel_thp_get(void);
long kernel_madvise(void *start, size_t length, int advice);

/* The program break after asking for `address` (NULL: as it is). Past malloc's back: cells only. */
char *kernel_brk(char *address);

/* kB of [start, start + length) mapped by a PMD as PAGEMAP_SCAN sees it (6.7+), or -errno. */
long kernel_scan_huge_kb(const void *start, size_t length);

/*
 * Run thp_set(disable, flags) in a child that shares this address space, and wait for the child:
 * by vfork(), or by clone(CLONE_VM) alone, where the parent keeps running meanwhile.
 * Returns what the child's prctl returned.
 */
long kernel_thp_set_in_vfork_child(unsigned long disable, unsigned long flags);
long kernel_thp_set_in_clone_vm_child(unsigned long disable, unsigned long flags);

#endif
