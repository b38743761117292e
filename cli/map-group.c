// SPDX-License-Identifier: MIT
/*
 * thpctl map --tree, --cgroup: a line for each process and their total. Pages that several of them
 * share count once in Pss; in resident and huge they count for each, and are labelled so.
 */
#include "cli.h"
#include "family.h"
#include "map.h"
#include "output.h"

#include "../common/escape.h"
#include "../common/say.h"

#include <errno.h>
#include <string.h>

struct walk {
	struct thp_ctx *ctx;
	const struct map_form *form;
	const struct family *family;
	struct map_group group;
};

static int take_member(struct walk *walk, struct thp_process *process)
{
	struct map_group *group = &walk->group;
	uint64_t huge;

	if (process->kind != THP_KIND_USER)
		return 0;
	family_measure(walk->ctx, process);
	huge = thp_process_huge(process);
	group->nr++;
	group->resident += process->resident;
	if (process->proportional == THP_BYTES_UNKNOWN || huge == THP_BYTES_UNKNOWN) {
		group->nr_unknown++;
	} else {
		group->proportional += process->proportional;
		group->huge += huge;
	}
	return walk->form->group_member(group, process);
}

/* Bounded by left, since a recycled id could close a ring. */
static int take_tree(struct walk *walk, struct thp_process *top, size_t left)
{
	struct thp_process *const *children;
	size_t nr = family_children(walk->family, top->pid, &children);
	int r = take_member(walk, top);

	for (size_t i = 0; r == 0 && i < nr && left > 0; i++)
		r = take_tree(walk, children[i], left - 1);
	return r;
}

static int take_cgroup(struct walk *walk, const char *group)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < walk->family->nr; i++) {
		struct thp_process *process = &walk->family->members[i];

		if (thp_process_in_cgroup(walk->ctx, process->pid, group) == 1)
			r = take_member(walk, process);
	}
	return r;
}

static int take_all(struct walk *walk, const struct map_request *request)
{
	struct thp_process *top = family_find(walk->family, request->tree);
	int r = walk->form->group_begin();

	if (r == 0 && request->cgroup)
		r = take_cgroup(walk, request->cgroup);
	else if (r == 0 && top)
		r = take_tree(walk, top, walk->family->nr);
	return r < 0 ? r : walk->form->group_end(&walk->group);
}

static int nobody(const struct map_request *request)
{
	char shown[CLI_SHOWN_MAX];

	if (request->tree)
		say("PID %d: no such process, or hidden from you (hidepid)", request->tree);
	else
		say("map: no process in control group '%s', a path as in /proc/PID/cgroup",
		    escape_text(shown, sizeof(shown), request->cgroup));
	return CLI_FAILURE;
}

int map_group(struct thp_ctx *ctx, const struct map_request *request, const struct map_form *form)
{
	struct walk walk = {.ctx = ctx, .form = form};
	struct family family;
	int r = family_read(ctx, 0, &family);

	if (r == 0) {
		walk.family = &family;
		r = take_all(&walk, request);
		family_free(&family);
	}
	if (r < 0) {
		say("map: %s", r == -ENOMEM ? strerror(ENOMEM) : thp_reason(ctx));
		return CLI_FAILURE;
	}
	return output_end("map", walk.group.nr ? CLI_OK : nobody(request));
}
