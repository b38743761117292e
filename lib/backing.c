// SPDX-License-Identifier: MIT
#include "backing.h"

#include "lines.h"
#include "sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

static int add_mount(struct mounts *mounts, const struct parse_mount *mount)
{
	struct parse_mount *more;

	more = realloc(mounts->list, (mounts->nr + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	mounts->list = more;
	more[mounts->nr++] = *mount;
	return 0;
}

int mounts_read(struct mounts *mounts, struct thp_ctx *ctx, const char *dir)
{
	char path[PROCDIR_MAX + 16];
	struct lines lines;
	char *line;
	int r = 0;

	*mounts = (struct mounts){0};
	if (is_live(ctx))
		sys_shmem_device(&mounts->shmem_device);
	snprintf(path, sizeof(path), "%s/mountinfo", dir);
	if (lines_open(&lines, ctx, path) < 0)
		return 0;
	while (r == 0 && lines_next(&lines, &line) > 0) {
		struct parse_mount mount;

		if (parse_mount_line(line, &mount) == 0 && mount.type != PARSE_MOUNT_OTHER)
			r = add_mount(mounts, &mount);
	}
	lines_close(&lines);
	if (r < 0) {
		mounts_free(mounts);
		return fail(ctx, r, "%s/%s: %s", ctx->root, path, strerror(-r));
	}
	return 0;
}

void mounts_free(struct mounts *mounts)
{
	free(mounts->list);
	mounts->list = NULL;
	mounts->nr = 0;
}

static const struct parse_mount *find_mount(const struct mounts *mounts,
					    const struct parse_maps *maps)
{
	for (size_t i = 0; i < mounts->nr; i++) {
		if (mounts->list[i].major == maps->major && mounts->list[i].minor == maps->minor)
			return &mounts->list[i];
	}
	return NULL;
}

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The kernel names what has no path in brackets; these are the ones that are the program's. */
static enum thp_backing backing_of_bracket(const char *name)
{
	if (starts_with(name, "[anon_shmem:"))
		return THP_BACKING_SHMEM;
	if (starts_with(name, "[heap]") || starts_with(name, "[stack") ||
	    starts_with(name, "[anon:"))
		return THP_BACKING_ANON;
	return THP_BACKING_SPECIAL;
}

/* Memory of the kernel's internal tmpfs, by the names that the kernel gives to it. */
static bool is_internal(const struct mounts *mounts, const struct parse_maps *maps)
{
	if (mounts->shmem_device)
		return mounts->shmem_device == makedev(maps->major, maps->minor);
	return maps->major == 0 &&
	       (starts_with(maps->name, "/dev/zero (deleted)") ||
		starts_with(maps->name, "/memfd:") || starts_with(maps->name, "/SYSV"));
}

enum thp_backing backing_of(const struct mounts *mounts, const struct parse_maps *maps,
			    const struct parse_vma *vma)
{
	const struct parse_mount *mount;

	if (vma->hugetlb)
		return THP_BACKING_HUGETLB;
	if (vma->device)
		return THP_BACKING_SPECIAL;
	if (maps->inode == 0)
		return maps->name[0] == '[' ? backing_of_bracket(maps->name) : THP_BACKING_ANON;
	if (is_internal(mounts, maps))
		return THP_BACKING_SHMEM;
	mount = find_mount(mounts, maps);
	if (mount)
		return mount->type == PARSE_MOUNT_TMPFS ? THP_BACKING_SHMEM : THP_BACKING_HUGETLB;
	/* hugetlb has internal mounts too: MAP_HUGETLB, memfd_create(MFD_HUGETLB), shmget. */
	if (maps->major == 0 &&
	    (starts_with(maps->name, "/anon_hugepage") || starts_with(maps->name, "/memfd:") ||
	     starts_with(maps->name, "/SYSV")))
		return THP_BACKING_HUGETLB;
	if (strcmp(maps->name, "/dev/zero") == 0 && !(maps->flags & THP_MAP_SHARED))
		return THP_BACKING_ANON;
	if (starts_with(maps->name, "/dev/") || starts_with(maps->name, "anon_inode:") ||
	    starts_with(maps->name, "socket:"))
		return THP_BACKING_SPECIAL;
	return THP_BACKING_FILE;
}

enum thp_setting backing_shmem(const struct mounts *mounts, const struct parse_maps *maps,
			       const struct thp_system *system)
{
	const struct parse_mount *mount = find_mount(mounts, maps);

	/* deny and force override mount options too. */
	if (!mount || system->presence != THP_PRESENT ||
	    system->shmem_enabled == THP_SETTING_DENY || system->shmem_enabled == THP_SETTING_FORCE)
		return thp_system_shmem(system, system->pmd_bytes);
	return mount->huge;
}
