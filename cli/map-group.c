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
#include "../common/json.h"
#include "../common/number.h"
#include "../common/say.h"

#include <errno.h>
#include <string.h>

struct group {
	struct thp_ctx *ctx;
	bool json;
	json_t *list;
	unsigned nr;
	unsigned nr_unknown; /* those whose sizes are hidden */
	uint64_t resident, proportional, huge;
};

static void print_bytes(uint64_t bytes)
{
	char text[NUMBER_BYTES_MAX];

	printf(" %12s", bytes == THP_BYTES_UNKNOWN ? "?" : number_bytes(text, bytes));
}

static json_t *member_json(const struct thp_process *process)
{
	json_t *value = json_object();

	json_object_set_new(value, "pid", json_integer(process->pid));
	json_object_set_new(value, "command", json_text(process->comm));
	json_object_set_new(value, "resident_bytes", json_bytes(process->resident));
	json_object_set_new(value, "proportional_bytes", json_bytes(process->proportional));
	json_object_set_new(value, "huge_bytes", json_bytes(thp_process_huge(process)));
	return value;
}

static void take_member(struct group *group, struct thp_process *process)
{
	char name[ESCAPED_MAX(THP_COMM_MAX)];
	uint64_t huge;

	if (process->kind != THP_KIND_USER)
		return;
	family_measure(group->ctx, process);
	huge = thp_process_huge(process);
	group->nr++;
	group->resident += process->resident;
	if (process->proportional == THP_BYTES_UNKNOWN || huge == THP_BYTES_UNKNOWN) {
		group->nr_unknown++;
	} else {
		group->proportional += process->proportional;
		group->huge += huge;
	}
	if (group->json) {
		json_array_append_new(group->list, member_json(process));
		return;
	}
	printf("%8d", process->pid);
	print_bytes(process->resident);
	print_bytes(process->proportional);
	print_bytes(huge);
	printf("  %s\n", escape_text(name, sizeof(name), process->comm));
}

static void take_tree(struct group *group, const struct family *family, struct thp_process *top,
		      size_t left)
{
	struct thp_process *const *children;
	size_t nr = family_children(family, top->pid, &children);

	take_member(group, top);
	/* Bounded, since a recycled id could close a ring. */
	for (size_t i = 0; i < nr && left > 0; i++)
		take_tree(group, family, children[i], left - 1);
}

static int take_all(struct group *group, const struct map_request *request)
{
	struct thp_process *top;
	struct family family;
	int r = family_read(group->ctx, 0, &family);

	if (r < 0)
		return r;
	if (request->tree) {
		top = family_find(&family, request->tree);
		if (top)
			take_tree(group, &family, top, family.nr);
	} else {
		for (size_t i = 0; i < family.nr; i++) {
			if (thp_process_in_cgroup(group->ctx, family.members[i].pid,
						  request->cgroup) == 1)
				take_member(group, &family.members[i]);
		}
	}
	family_free(&family);
	return 0;
}

static void print_total(const struct group *group)
{
	printf("%8s", "total");
	print_bytes(group->resident);
	print_bytes(group->proportional);
	print_bytes(group->huge);
	printf("  %u processes", group->nr);
	if (group->nr_unknown)
		printf(", %u of them hidden and not in SHARE and HUGE", group->nr_unknown);
	printf("\n\nSHARE counts memory that several processes share once (Pss); RESIDENT and HUGE "
	       "count it\nfor each of them.\n");
}

static int print_total_json(struct group *group)
{
	json_t *top = json_object(), *total = json_object();

	json_object_set_new(total, "processes", json_integer(group->nr));
	json_object_set_new(total, "hidden", json_integer(group->nr_unknown));
	json_object_set_new(total, "resident_bytes_shared_counted_for_each",
			    json_bytes(group->resident));
	json_object_set_new(total, "proportional_bytes", json_bytes(group->proportional));
	json_object_set_new(total, "huge_bytes_shared_counted_for_each", json_bytes(group->huge));
	json_object_set_new(top, "schema", json_integer(1));
	json_object_set_new(top, "version", json_string(THP_VERSION));
	json_object_set_new(top, "processes", group->list);
	json_object_set_new(top, "total", total);
	return json_print(top);
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

int map_group(struct thp_ctx *ctx, const struct map_request *request)
{
	struct group group = {.ctx = ctx, .json = request->json};
	int r;

	if (group.json)
		group.list = json_array();
	else
		printf("%8s %12s %12s %12s  %s\n", "PID", "RESIDENT", "SHARE", "HUGE", "COMMAND");
	r = take_all(&group, request);
	if (r < 0) {
		say("map: %s", r == -ENOMEM ? strerror(ENOMEM) : thp_reason(ctx));
		return CLI_FAILURE;
	}
	if (group.json)
		print_total_json(&group);
	else
		print_total(&group);
	return output_end("map", group.nr ? CLI_OK : nobody(request));
}
