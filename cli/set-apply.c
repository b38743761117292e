// SPDX-License-Identifier: MIT
/* thpctl set: what is done to one process. */
#include "set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void refuse(struct set *set, struct set_item *item, int err)
{
	item->err = err;
	snprintf(item->reason, sizeof(item->reason), "%s", thp_reason(set->ctx));
}

/* A mode that can be seen from outside needs no stop to be read, nor to be kept. */
static bool is_so_already(const struct set *set, const struct thp_process *process)
{
	return process->mode != THP_MODE_UNKNOWN && process->mode == set->request->mode;
}

static enum thp_basis basis_of_system(const struct set *set)
{
	enum thp_setting says = thp_system_anon(&set->system, set->system.pmd_bytes);

	return says == THP_SETTING_ALWAYS ? THP_BASIS_SYSTEM : THP_BASIS_NONE;
}

static int set_mode(struct set *set, struct set_item *item, const struct thp_process *process)
{
	int r;

	item->before = process->possible;
	if (set->request->dry_run) {
		item->basis = set->request->mode == THP_MODE_ALWAYS ? basis_of_system(set)
								    : THP_BASIS_FLAG;
		return thp_remote_check(set->ctx, item->target);
	}
	if (is_so_already(set, process)) {
		item->after = process->mode;
		item->basis = THP_BASIS_FLAG;
		return 0;
	}
	item->remote.size = sizeof(item->remote);
	r = thp_remote_set(set->ctx, item->target, set->request->mode, &item->remote);
	if (r < 0)
		return r;
	item->before = THP_MODE_BIT(item->remote.before);
	item->after = item->remote.after;
	item->basis = item->remote.basis;
	return 0;
}

static void change_pages(struct set *set, struct set_item *item)
{
	const struct thp_change_request request = {
		.size = sizeof(request),
		.flags = set->request->dry_run ? THP_CHANGE_DRY_RUN : 0,
	};
	int r;

	item->change.size = sizeof(item->change);
	if (set->request->split)
		r = thp_split(set->ctx, item->target, &request, &item->change);
	else
		r = thp_collapse(set->ctx, item->target, &request, &item->change);
	item->change_err = r;
	item->changed = r == 0;
	if (r < 0)
		snprintf(item->change_reason, sizeof(item->change_reason), "%s",
			 thp_reason(set->ctx));
}

/* Advice outlives modes, and nobody can take it back: where to find it out is cheap, it is told. */
static uint64_t advised_bytes(struct set *set, const struct thp_process *process)
{
	struct thp_usage_request request = {.size = sizeof(request), .flags = THP_USE_CHEAP};
	struct thp_usage_info info = {.size = sizeof(info)};
	struct thp_mapping mapping = {.size = sizeof(mapping)};
	struct thp_usage *usage;
	uint64_t bytes = 0;
	int r;

	if (thp_usage_open(set->ctx, process->pid, &request, &usage) < 0)
		return THP_BYTES_UNKNOWN;
	if (thp_usage_describe(usage, &info) < 0 || !(info.flags & THP_USE_WHY)) {
		thp_usage_close(usage);
		return THP_BYTES_UNKNOWN;
	}
	while ((r = thp_usage_next(usage, &mapping)) > 0) {
		if (mapping.advice == THP_ADVICE_HUGE)
			bytes += mapping.end - mapping.start;
	}
	thp_usage_close(usage);
	return r < 0 ? THP_BYTES_UNKNOWN : bytes;
}

void set_apply(struct set *set, struct set_item *item)
{
	struct thp_process process = {.size = sizeof(process)};
	int r;

	item->done = true;
	item->huge = THP_BYTES_UNKNOWN;
	item->advised = THP_BYTES_UNKNOWN;
	r = thp_process_read(set->ctx, item->pid, 0, &process);
	if (r == 0) {
		memcpy(item->comm, process.comm, sizeof(item->comm));
		r = set_mode(set, item, &process);
	}
	if (r < 0) {
		refuse(set, item, r);
		return;
	}
	if (set->request->split || set->request->collapse)
		change_pages(set, item);
	if (thp_process_read(set->ctx, item->pid, THP_READ_HUGE, &process) < 0)
		return;
	item->huge = thp_process_huge(&process);
	if (set->request->mode == THP_MODE_DEFAULT || set->request->mode == THP_MODE_ALWAYS)
		item->advised = advised_bytes(set, &process);
}
