/* SPDX-License-Identifier: MIT */
/* What stands behind a mapping, from its name, its device and the mounts. */
#ifndef THP_BACKING_H
#define THP_BACKING_H

#include "parse.h"
#include "procdir.h"

struct mounts {
	struct parse_mount *list; /* tmpfs and hugetlbfs only */
	size_t nr;
	dev_t shmem_device; /* of the kernel's internal tmpfs; 0 unknown, as in a captured tree */
};

/* Reads the mounts that a process sees; without them devices are less well known. 0 or -ENOMEM. */
int mounts_read(struct mounts *mounts, struct thp_ctx *ctx, const char *dir);
void mounts_free(struct mounts *mounts);

/* vma holds what smaps told, or zeros. */
enum thp_backing backing_of(const struct mounts *mounts, const struct parse_maps *maps,
			    const struct parse_vma *vma);

/* What shared memory of a mapping gets: its mount's option, or for the internal one the system's.
 */
enum thp_setting backing_shmem(const struct mounts *mounts, const struct parse_maps *maps,
			       const struct thp_system *system);

#endif /* THP_BACKING_H */
