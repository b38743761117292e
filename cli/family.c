// SPDX-License-Identifier: MIT
#include "family.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static int by_pid(const void *left, const void *right)
{
	const struct thp_process *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int by_parent(const void *left, const void *right)
{
	const struct thp_process *const *a = left, *const *b = right;

	if ((*a)->ppid != (*b)->ppid)
		return (*a)->ppid > (*b)->ppid ? 1 : -1;
	return by_pid(*a, *b);
}

/* Appends a member. */
static int append(struct family *family, size_t *room, const struct thp_process *process)
{
	if (family->nr == *room) {
		size_t more = *room ? 2 * *room : 16;
		struct thp_process *members;

		members = reallocarray(family->members, more, sizeof(*members));
		if (!members)
			return -ENOMEM;
		family->members = members;
		*room = more;
	}
	family->members[family->nr++] = *process;
	return 0;
}

/* Puts the members in order, once all are there. */
static int arrange(struct family *family)
{
	if (family->nr > 0)
		qsort(family->members, family->nr, sizeof(*family->members), by_pid);
	family->by_parent = reallocarray(NULL, family->nr + 1, sizeof(*family->by_parent));
	if (!family->by_parent)
		return -ENOMEM;
	for (size_t i = 0; i < family->nr; i++)
		family->by_parent[i] = &family->members[i];
	qsort(family->by_parent, family->nr, sizeof(*family->by_parent), by_parent);
	return 0;
}

int family_read(struct thp_ctx *ctx, unsigned flags, struct family *ret_family)
{
	struct family family = {0};
	size_t room = 0;
	pid_t *pids;
	ssize_t nr = thp_process_list(ctx, &pids);
	int r = 0;

	if (nr < 0)
		return (int)nr;
	for (ssize_t i = 0; i < nr && r != -ENOMEM; i++) {
		struct thp_process process = {.size = sizeof(process)};

		if (thp_process_read(ctx, pids[i], flags, &process) == 0)
			r = append(&family, &room, &process);
	}
	free(pids);
	if (r != -ENOMEM)
		r = arrange(&family);
	if (r == -ENOMEM) {
		family_free(&family);
		return r;
	}
	*ret_family = family;
	return 0;
}

static bool is_member(const struct family *family, pid_t pid)
{
	for (size_t i = 0; i < family->nr; i++) {
		if (family->members[i].pid == pid)
			return true;
	}
	return false;
}

/*
 * Adds a process and upwards, to the first that has no parent here, is gone, or is there already.
 * pid becomes the process's own.
 */
static int add_line(struct thp_ctx *ctx, pid_t *pid, struct family *family, size_t *room)
{
	struct thp_process process = {.size = sizeof(process)};
	int r = thp_process_read(ctx, *pid, 0, &process);

	if (r < 0)
		return r;
	*pid = process.pid;
	while (!is_member(family, process.pid)) {
		if (append(family, room, &process) < 0)
			return -ENOMEM;
		if (process.ppid == 0 || thp_process_read(ctx, process.ppid, 0, &process) < 0)
			break;
	}
	return 0;
}

int family_read_lines(struct thp_ctx *ctx, pid_t *pids, size_t nr,
		      void (*failed)(struct thp_ctx *ctx, pid_t pid, int err),
		      struct family *ret_family)
{
	struct family family = {0};
	size_t room = 0;
	int r = 0;

	for (size_t i = 0; i < nr && r != -ENOMEM; i++) {
		r = add_line(ctx, &pids[i], &family, &room);
		if (r == 0)
			continue;
		if (failed && r != -ENOMEM)
			failed(ctx, pids[i], r);
		pids[i] = 0;
	}
	if (r != -ENOMEM)
		r = arrange(&family);
	if (r == -ENOMEM) {
		family_free(&family);
		return r;
	}
	*ret_family = family;
	return 0;
}

void family_measure(struct thp_ctx *ctx, struct thp_process *member)
{
	thp_process_read(ctx, member->pid, THP_READ_HUGE, member);
}

void family_free(struct family *family)
{
	free(family->members);
	free(family->by_parent);
	*family = (struct family){0};
}

struct thp_process *family_find(const struct family *family, pid_t pid)
{
	struct thp_process key = {.pid = pid};

	if (family->nr == 0)
		return NULL;
	return bsearch(&key, family->members, family->nr, sizeof(key), by_pid);
}

const struct thp_process *family_origin(const struct family *family, pid_t pid)
{
	const struct thp_process *process = family_find(family, pid), *origin = NULL;

	/* Bounded, since a recycled id could close a ring. */
	for (size_t steps = 0; process && steps <= family->nr; steps++) {
		if (process->mode != THP_MODE_NEVER)
			break;
		origin = process;
		process = family_find(family, process->ppid);
	}
	return origin;
}

size_t family_children(const struct family *family, pid_t ppid,
		       struct thp_process *const **ret_children)
{
	size_t low = 0, high = family->nr, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (family->by_parent[middle]->ppid < ppid)
			low = middle + 1;
		else
			high = middle;
	}
	end = low;
	while (end < family->nr && family->by_parent[end]->ppid == ppid)
		end++;
	*ret_children = family->by_parent + low;
	return end - low;
}
