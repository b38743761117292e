// SPDX-License-Identifier: MIT
/* thpctl set: which processes. */
#include "family.h"
#include "set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct set_item *add_item(struct set *set)
{
	if (set->nr == set->room) {
		size_t room = set->room ? 2 * set->room : 64;
		struct set_item *moved = realloc(set->items, room * sizeof(*moved));

		if (!moved)
			return NULL;
		set->items = moved;
		set->room = room;
	}
	memset(&set->items[set->nr], 0, sizeof(*set->items));
	return &set->items[set->nr++];
}

static bool has(const struct set *set, pid_t pid, uint64_t id)
{
	for (size_t i = 0; i < set->nr; i++) {
		if (set->items[i].pid == pid && set->items[i].id == id)
			return true;
	}
	return false;
}

/* One that nothing can be done for: it is told. */
static void give_up(const struct set *set, struct set_item *item, int err)
{
	item->err = err;
	item->done = true;
	snprintf(item->reason, sizeof(item->reason), "%s", thp_reason(set->ctx));
}

/* What was named on the command line is an item, come what may. 1, 0 if it is one, or -errno. */
static int add_named(struct set *set, const struct target_arg *arg)
{
	struct thp_target *target = NULL;
	struct set_item *item;
	int r = thp_target_open(set->ctx, arg->pid, arg->id, &target);

	if (r == 0 && has(set, thp_target_pid(target), thp_target_id(target, NULL))) {
		thp_target_close(target);
		return 0;
	}
	item = add_item(set);
	if (!item) {
		thp_target_close(target);
		return -ENOMEM;
	}
	item->target = target;
	item->pid = target ? thp_target_pid(target) : arg->pid;
	item->id = target ? thp_target_id(target, NULL) : arg->id;
	if (r < 0)
		give_up(set, item, r);
	return 1;
}

static bool gave_up(const struct set *set, pid_t pid)
{
	for (size_t i = 0; i < set->nr; i++) {
		if (set->items[i].pid == pid && !set->items[i].target)
			return true;
	}
	return false;
}

/* Whether a number is still that of the process that had this identity. */
static bool is_still(const struct set *set, pid_t pid, uint64_t id)
{
	struct thp_target *now;

	if (thp_target_open(set->ctx, pid, id, &now) < 0)
		return false;
	thp_target_close(now);
	return true;
}

static bool in_groups(const struct set *set, pid_t pid)
{
	const struct set_request *request = set->request;

	return (request->cgroup && thp_process_in_cgroup(set->ctx, pid, request->cgroup) == 1) ||
	       (request->cpuset && thp_process_in_cpuset(set->ctx, pid, request->cpuset) == 1);
}

/*
 * Whether a target is what was looked for: a child of parent, or, without one, of the groups. The
 * number may have passed to another process before it was opened, hence asked again behind that.
 */
static bool is_meant(const struct set *set, const struct thp_target *target, pid_t parent)
{
	struct thp_process process = {.size = sizeof(process)};
	pid_t pid = thp_target_pid(target);

	return thp_process_read(set->ctx, pid, 0, &process) == 0 && process.kind == THP_KIND_USER &&
	       (parent ? process.ppid == parent : in_groups(set, pid)) &&
	       is_still(set, pid, thp_target_id(target, NULL));
}

/* A member: those that are gone or no use for this are left out. 1, 0 or -errno. */
static int add_member(struct set *set, pid_t pid, pid_t parent)
{
	struct thp_target *target;
	struct set_item *item;
	int r;

	if (pid == getpid() || gave_up(set, pid))
		return 0;
	r = thp_target_open(set->ctx, pid, 0, &target);
	if (r == -ESRCH)
		return 0;
	if (r == 0 &&
	    (has(set, pid, thp_target_id(target, NULL)) || !is_meant(set, target, parent))) {
		thp_target_close(target);
		return 0;
	}
	item = add_item(set);
	if (!item) {
		if (r == 0)
			thp_target_close(target);
		return -ENOMEM;
	}
	item->pid = pid;
	if (r < 0) {
		give_up(set, item, r);
		return 1;
	}
	item->target = target;
	item->id = thp_target_id(target, NULL);
	return 1;
}

/* Whether a number is that of one of the processes that are there. */
static bool is_one(const struct set *set, pid_t pid)
{
	for (size_t i = 0; i < set->nr; i++) {
		const struct set_item *item = &set->items[i];

		if (item->pid == pid && item->target && is_still(set, pid, item->id))
			return true;
	}
	return false;
}

/* The descendants of a process; bounded, since a recycled id could close a ring. */
static ssize_t add_below(struct set *set, const struct family *family, pid_t pid, size_t left)
{
	struct thp_process *const *children;
	size_t nr = family_children(family, pid, &children);
	ssize_t added = 0;

	for (size_t i = 0; i < nr && left > 0; i++) {
		ssize_t r = add_member(set, children[i]->pid, pid);

		if (r >= 0) {
			added += r;
			r = is_one(set, children[i]->pid)
				    ? add_below(set, family, children[i]->pid, left - 1)
				    : 0;
		}
		if (r < 0)
			return r;
		added += r;
	}
	return added;
}

static ssize_t add_trees(struct set *set)
{
	struct family family;
	ssize_t added = 0, r = 0;
	size_t roots = set->nr; /* below those that are there by now */

	r = family_read(set->ctx, 0, &family);
	if (r < 0)
		return r;
	for (size_t i = 0; i < roots && r >= 0; i++) {
		/* Children of a number that became another's meanwhile are not meant. */
		if (!is_one(set, set->items[i].pid))
			continue;
		r = add_below(set, &family, set->items[i].pid, family.nr);
		added += r > 0 ? r : 0;
	}
	family_free(&family);
	return r < 0 ? r : added;
}

static ssize_t add_groups(struct set *set)
{
	pid_t *pids;
	ssize_t nr = thp_process_list(set->ctx, &pids), added = 0, r = 0;

	for (ssize_t i = 0; i < nr && r >= 0; i++) {
		if (!in_groups(set, pids[i]))
			continue;
		r = add_member(set, pids[i], 0);
		added += r > 0 ? r : 0;
	}
	if (nr >= 0)
		free(pids);
	return nr < 0 ? nr : r < 0 ? r : added;
}

ssize_t set_collect(struct set *set)
{
	const struct set_request *request = set->request;
	ssize_t added = 0, r = 0;

	if (set->nr == 0) {
		for (size_t i = 0; i < request->nr_args && r >= 0; i++) {
			r = add_named(set, &request->args[i]);
			added += r > 0 ? r : 0;
		}
	}
	if (r >= 0 && (request->cgroup || request->cpuset)) {
		r = add_groups(set);
		added += r > 0 ? r : 0;
	}
	if (r >= 0 && request->tree) {
		r = add_trees(set);
		added += r > 0 ? r : 0;
	}
	return r < 0 ? r : added;
}

void set_count_children(struct set *set)
{
	struct family family;

	if (family_read(set->ctx, 0, &family) < 0)
		return;
	for (size_t i = 0; i < set->nr; i++) {
		struct thp_process *const *children;
		size_t nr = family_children(&family, set->items[i].pid, &children);

		for (size_t k = 0; k < nr; k++) {
			bool included = children[k]->pid == getpid();

			for (size_t n = 0; n < set->nr && !included; n++)
				included = set->items[n].pid == children[k]->pid;
			set->items[i].children += !included;
		}
	}
	family_free(&family);
}
