// SPDX-License-Identifier: MIT
/* Reads /sys/kernel/mm/transparent_hugepage. */
#include "internal.h"
#include "parse.h"
#include "root.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Settings hold a handful of words, counters one number. */
#define FILE_MAX 256

static ssize_t read_file(struct thp_ctx *ctx, const char *name, char buf[FILE_MAX])
{
	char path[128];

	snprintf(path, sizeof(path), ROOT_THP "/%s", name);
	return root_read(ctx, path, buf, FILE_MAX);
}

static enum thp_setting read_setting(struct thp_ctx *ctx, const char *name)
{
	char buf[FILE_MAX];
	ssize_t len = read_file(ctx, name, buf);

	if (len < 0)
		return len == -ENOENT ? THP_SETTING_NONE : THP_SETTING_UNKNOWN;
	return parse_setting(buf);
}

static int64_t read_count(struct thp_ctx *ctx, const char *name)
{
	char buf[FILE_MAX];
	uint64_t value;

	if (read_file(ctx, name, buf) < 0 || parse_u64(buf, &value, NULL) < 0 || value > INT64_MAX)
		return THP_COUNT_UNKNOWN;
	return (int64_t)value;
}

static int read_switch(struct thp_ctx *ctx, const char *name)
{
	int64_t value = read_count(ctx, name);

	return value == 0 || value == 1 ? (int)value : THP_COUNT_UNKNOWN;
}

static int by_bytes(const void *left, const void *right)
{
	const struct thp_size_setting *a = left, *b = right;

	return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static void read_size(struct thp_ctx *ctx, const char *dir, struct thp_size_setting *size)
{
	char name[64];

	snprintf(name, sizeof(name), "%.40s/enabled", dir);
	size->enabled = read_setting(ctx, name);
	snprintf(name, sizeof(name), "%.40s/shmem_enabled", dir);
	size->shmem_enabled = read_setting(ctx, name);
}

static int read_sizes(struct thp_ctx *ctx, struct thp_system *system)
{
	struct dirent *entry;
	DIR *dir;
	int r = root_opendir(ctx, ROOT_THP, &dir);

	if (r < 0)
		return r;
	while (system->nr_sizes < THP_SIZES_MAX && (entry = readdir(dir))) {
		struct thp_size_setting *size = &system->sizes[system->nr_sizes];

		if (parse_size_dir(entry->d_name, &size->bytes) < 0 || strlen(entry->d_name) > 40)
			continue;
		read_size(ctx, entry->d_name, size);
		system->nr_sizes++;
	}
	closedir(dir);
	qsort(system->sizes, system->nr_sizes, sizeof(system->sizes[0]), by_bytes);
	return 0;
}

static enum thp_presence find_presence(struct thp_ctx *ctx)
{
	/* A kernel with sysfs always has kernel/mm; a bare or covered /sys does not. */
	if (root_exists(ctx, ROOT_THP "/enabled") == 1)
		return THP_PRESENT;
	if (root_exists(ctx, ROOT_THP) == 0 && root_exists(ctx, "sys/kernel/mm") == 1 &&
	    root_on_sysfs(ctx, "sys/kernel/mm"))
		return THP_ABSENT;
	return THP_HIDDEN;
}

uint64_t system_pmd_bytes(struct thp_ctx *ctx)
{
	int64_t bytes = read_count(ctx, "hpage_pmd_size");

	return bytes > 0 ? (uint64_t)bytes : 0;
}

void system_read_pmd(struct thp_ctx *ctx, struct thp_system *ret_system)
{
	struct thp_system system = {.size = sizeof(system), .presence = find_presence(ctx)};
	struct thp_size_setting *size = &system.sizes[0];
	char dir[40];

	if (system.presence == THP_PRESENT) {
		system.enabled = read_setting(ctx, "enabled");
		system.shmem_enabled = read_setting(ctx, "shmem_enabled");
		system.pmd_bytes = system_pmd_bytes(ctx);
		size->bytes = system.pmd_bytes;
		snprintf(dir, sizeof(dir), "hugepages-%" PRIu64 "kB", size->bytes / 1024);
		read_size(ctx, dir, size);
		system.nr_sizes = size->enabled != THP_SETTING_NONE; /* before Linux 6.8 */
	}
	*ret_system = system;
}

EXPORT int thp_system_read(struct thp_ctx *ctx, struct thp_system *ret_system)
{
	struct thp_system system = {
		.presence = find_presence(ctx),
		.use_zero_page = THP_COUNT_UNKNOWN,
		.khugepaged = {THP_COUNT_UNKNOWN, THP_COUNT_UNKNOWN, THP_COUNT_UNKNOWN,
			       THP_COUNT_UNKNOWN, THP_COUNT_UNKNOWN, THP_COUNT_UNKNOWN,
			       THP_COUNT_UNKNOWN, THP_COUNT_UNKNOWN, THP_COUNT_UNKNOWN},
	};
	struct thp_khugepaged *khugepaged = &system.khugepaged;
	int r;

	if (system.presence == THP_PRESENT) {
		system.enabled = read_setting(ctx, "enabled");
		system.defrag = read_setting(ctx, "defrag");
		system.shmem_enabled = read_setting(ctx, "shmem_enabled");
		system.pmd_bytes = system_pmd_bytes(ctx);
		system.use_zero_page = read_switch(ctx, "use_zero_page");
		khugepaged->defrag = read_switch(ctx, "khugepaged/defrag");
		khugepaged->pages_to_scan = read_count(ctx, "khugepaged/pages_to_scan");
		khugepaged->scan_sleep_ms = read_count(ctx, "khugepaged/scan_sleep_millisecs");
		khugepaged->alloc_sleep_ms = read_count(ctx, "khugepaged/alloc_sleep_millisecs");
		khugepaged->max_ptes_none = read_count(ctx, "khugepaged/max_ptes_none");
		khugepaged->max_ptes_swap = read_count(ctx, "khugepaged/max_ptes_swap");
		khugepaged->max_ptes_shared = read_count(ctx, "khugepaged/max_ptes_shared");
		khugepaged->pages_collapsed = read_count(ctx, "khugepaged/pages_collapsed");
		khugepaged->full_scans = read_count(ctx, "khugepaged/full_scans");
		r = read_sizes(ctx, &system);
		if (r < 0)
			return r;
	}
	return copy_out(ctx, ret_system, ret_system->size, &system, sizeof(system), sizeof(system));
}
