// SPDX-License-Identifier: MIT
/* thpctl show: which processes make the answer, and in which order. */
#include "cli.h"
#include "show.h"

#include "../common/say.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void tell_gone(struct thp_ctx *ctx, pid_t pid, int err)
{
	if (err == -ESRCH)
		say("PID %d: no such process, or hidden from you (hidepid)", pid);
	else
		say("PID %d: cannot be read: %s", pid, thp_reason(ctx));
}

static void add_row(struct show_rows *rows, struct thp_process *process, unsigned depth)
{
	rows->rows[rows->nr++] = (struct show_row){.process = process, .depth = depth};
}

/* Every member is a row once; the bound holds even if a recycled id closed a ring. */
static void add_subtree(struct show_rows *rows, const struct family *family,
			struct thp_process *top, unsigned depth)
{
	struct thp_process *const *children;
	size_t nr;

	if (rows->nr == family->nr)
		return;
	add_row(rows, top, depth);
	nr = family_children(family, top->pid, &children);
	for (size_t i = 0; i < nr; i++)
		add_subtree(rows, family, children[i], depth + 1);
}

/* The ancestors from the top down; returns the depth below them. */
static unsigned add_ancestors(struct show_rows *rows, const struct family *family,
			      const struct thp_process *process, size_t left)
{
	struct thp_process *parent = family_find(family, process->ppid);
	unsigned depth;

	if (!parent || left == 0)
		return 0;
	depth = add_ancestors(rows, family, parent, left - 1);
	add_row(rows, parent, depth);
	return depth + 1;
}

/* Asks inside a process for a mode that cannot be seen from outside. Returns an exit status. */
static int ask_mode(struct thp_ctx *ctx, struct thp_process *process)
{
	struct thp_target *target = NULL;
	enum thp_mode mode = THP_MODE_UNKNOWN;
	int r;

	if (process->kind != THP_KIND_USER || process->mode != THP_MODE_UNKNOWN)
		return CLI_OK;
	if (process->pid == getpid()) {
		r = thp_self_get(ctx, &mode);
	} else {
		r = thp_target_open(ctx, process->pid, 0, &target);
		if (r == 0)
			r = thp_remote_get(ctx, target, &mode);
	}
	if (r < 0) {
		say("PID %d: the exact mode cannot be asked for: %s", process->pid,
		    thp_reason(ctx));
	} else {
		process->mode = mode;
		process->possible = THP_MODE_BIT(mode);
	}
	thp_target_close(target);
	return r < 0 ? CLI_FAILURE : CLI_OK;
}

static void measure(const struct show *show, const struct show_rows *rows)
{
	for (size_t i = 0; i < rows->nr && !show->no_size; i++)
		family_measure(show->ctx, rows->rows[i].process);
}

static int rows_alloc(struct show_rows *rows, size_t room)
{
	rows->nr = 0;
	rows->rows = calloc(room + 1, sizeof(*rows->rows));
	return rows->rows ? 0 : -ENOMEM;
}

static int collect_all(const struct show *show, struct family *family, struct show_rows *rows)
{
	int r = family_read(show->ctx, show->no_size ? 0 : THP_READ_HUGE, family);

	if (r < 0)
		return r;
	if (rows_alloc(rows, family->nr) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < family->nr; i++) {
		if (family->members[i].kind != THP_KIND_KERNEL)
			add_row(rows, &family->members[i], 0);
	}
	return CLI_OK;
}

static int collect_tree(const struct show *show, pid_t pid, struct family *family,
			struct show_rows *rows)
{
	struct thp_process top = {.size = sizeof(top)};
	struct thp_process *process;
	int r = thp_process_read(show->ctx, pid, 0, &top); /* a thread's id becomes its process's */

	if (r < 0) {
		tell_gone(show->ctx, pid, r);
		return CLI_FAILURE;
	}
	r = family_read(show->ctx, 0, family);
	if (r < 0)
		return r;
	if (rows_alloc(rows, family->nr) < 0)
		return -ENOMEM;
	process = family_find(family, top.pid);
	if (!process) {
		tell_gone(show->ctx, pid, -ESRCH);
		return CLI_FAILURE;
	}
	add_subtree(rows, family, process, add_ancestors(rows, family, process, family->nr));
	measure(show, rows);
	return CLI_OK;
}

static int collect_pids(const struct show *show, const struct show_request *request,
			struct family *family, struct show_rows *rows)
{
	int status = CLI_OK;
	int r = family_read_lines(show->ctx, request->pids, request->nr_pids, tell_gone, family);

	if (r == 0)
		r = rows_alloc(rows, request->nr_pids);
	if (r < 0)
		return r;
	for (size_t i = 0; i < request->nr_pids; i++) {
		if (request->pids[i])
			add_row(rows, family_find(family, request->pids[i]), 0);
		else
			status = CLI_FAILURE;
	}
	measure(show, rows);
	return status;
}

static int collect(const struct show *show, const struct show_request *request,
		   struct family *family, struct show_rows *rows)
{
	if (request->all)
		return collect_all(show, family, rows);
	if (request->tree)
		return collect_tree(show, request->tree, family, rows);
	return collect_pids(show, request, family, rows);
}

int show_collect(const struct show *show, const struct show_request *request,
		 struct family *ret_family, struct show_rows *ret_rows)
{
	int status = collect(show, request, ret_family, ret_rows);

	for (size_t i = 0; status >= 0 && show->exact && i < ret_rows->nr; i++) {
		if (ask_mode(show->ctx, ret_rows->rows[i].process) != CLI_OK)
			status = CLI_FAILURE;
	}
	return status;
}
