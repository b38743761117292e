// SPDX-License-Identifier: MIT
/* What settings and flags mean when they are taken together. Pure. */
#include "internal.h"

static const struct thp_size_setting *find_size(const struct thp_system *system, uint64_t bytes)
{
	for (unsigned i = 0; i < system->nr_sizes; i++) {
		if (system->sizes[i].bytes == bytes)
			return &system->sizes[i];
	}
	return NULL;
}

static bool is_pmd(const struct thp_system *system, uint64_t bytes)
{
	/* Kernels before hpage_pmd_size (4.11) have the whole huge page only. */
	return system->pmd_bytes == 0 || system->pmd_bytes == bytes;
}

EXPORT enum thp_setting thp_system_anon(const struct thp_system *system, uint64_t bytes)
{
	const struct thp_size_setting *size;

	if (system->presence == THP_ABSENT)
		return THP_SETTING_NEVER;
	if (system->presence != THP_PRESENT)
		return THP_SETTING_UNKNOWN;

	/*
	 * Where a size has a setting of its own, that decides, and the top level matters to
	 * "inherit" only: top "never" with 2048kB "always" is on (Linux 6.8, transhuge.rst).
	 */
	size = find_size(system, bytes);
	if (size && size->enabled == THP_SETTING_NONE)
		return THP_SETTING_NEVER;
	if (size && size->enabled != THP_SETTING_INHERIT)
		return size->enabled;
	if (size || is_pmd(system, bytes))
		return system->enabled;
	return THP_SETTING_NEVER;
}

EXPORT enum thp_setting thp_system_shmem(const struct thp_system *system, uint64_t bytes)
{
	const struct thp_size_setting *size;
	enum thp_setting top = system->shmem_enabled;

	if (system->presence == THP_ABSENT)
		return THP_SETTING_NEVER;
	if (system->presence != THP_PRESENT)
		return THP_SETTING_UNKNOWN;

	/* deny and force are for emergencies and tests: they override everything. */
	if (top == THP_SETTING_DENY)
		return THP_SETTING_NEVER;
	if (top == THP_SETTING_FORCE)
		return is_pmd(system, bytes) ? THP_SETTING_ALWAYS : THP_SETTING_NEVER;

	/* Per-size settings of shared memory came later (Linux 6.11) than those of anonymous
	 * memory. */
	size = find_size(system, bytes);
	if (size && size->shmem_enabled != THP_SETTING_INHERIT &&
	    size->shmem_enabled != THP_SETTING_NONE)
		return size->shmem_enabled;
	if ((size && size->shmem_enabled == THP_SETTING_INHERIT) || is_pmd(system, bytes))
		return top == THP_SETTING_NONE ? THP_SETTING_NEVER : top;
	return THP_SETTING_NEVER;
}

/* The flag can only take away. */
static enum thp_setting effective(enum thp_setting says, enum thp_mode mode)
{
	switch (mode) {
	case THP_MODE_NEVER:
		return THP_SETTING_NEVER;
	case THP_MODE_MADVISE:
		return says == THP_SETTING_ALWAYS ? THP_SETTING_MADVISE : says;
	default:
		return says;
	}
}

EXPORT unsigned thp_effective(const struct thp_system *system, unsigned possible_modes)
{
	enum thp_setting says = thp_system_anon(system, system->pmd_bytes);
	unsigned result = 0;

	for (enum thp_mode mode = THP_MODE_DEFAULT; mode <= THP_MODE_ALWAYS; mode++) {
		if (!(possible_modes & THP_MODE_BIT(mode)))
			continue;
		if (effective(says, mode) == THP_SETTING_UNKNOWN)
			return 0;
		result |= 1u << effective(says, mode);
	}
	return result;
}
