// SPDX-License-Identifier: MIT
/* Which processes are shown, and in which order. */
#include "top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sort_names[TOP_SORTS] = {"huge", "resident", "share", "pid", "name"};

const char *top_sort_name(enum top_sort sort)
{
	return sort_names[sort];
}

int top_sort_parse(const char *name, enum top_sort *ret_sort)
{
	for (enum top_sort sort = 0; sort < TOP_SORTS; sort++) {
		if (strcmp(name, sort_names[sort]) == 0) {
			*ret_sort = sort;
			return 0;
		}
	}
	return -EINVAL;
}

double top_row_share(const struct top_row *row)
{
	if (!row->measured || row->counts.resident == 0)
		return -1;
	return (double)thp_counts_huge(&row->counts) * 100 / (double)row->counts.resident;
}

static double key_of(const struct top_row *row, enum top_sort sort)
{
	switch (sort) {
	case TOP_BY_HUGE:
		return row->measured ? (double)thp_counts_huge(&row->counts) : -1;
	case TOP_BY_RESIDENT:
		return (double)row->process.resident;
	case TOP_BY_SHARE:
		return top_row_share(row);
	default:
		return -(double)row->process.pid;
	}
}

/* The largest first; equal ones by size, then PID, so that lines do not jump. */
static int compare(const struct top_row *a, const struct top_row *b, enum top_sort sort)
{
	double x = key_of(a, sort), y = key_of(b, sort);
	int names = sort == TOP_BY_NAME ? strcmp(a->process.comm, b->process.comm) : 0;

	if (names)
		return names;
	if (x != y)
		return x < y ? 1 : -1;
	if (a->process.resident != b->process.resident)
		return a->process.resident < b->process.resident ? 1 : -1;
	return a->process.pid < b->process.pid ? -1 : a->process.pid > b->process.pid;
}

static int by_sort(const void *left, const void *right, void *arg)
{
	const struct top_line *a = left, *b = right;
	const enum top_sort *sort = arg;

	return compare(a->row, b->row, *sort);
}

/* Children together, in the order of the sort. */
static int by_parent(const void *left, const void *right, void *arg)
{
	const struct top_line *a = left, *b = right;

	if (a->row->process.ppid != b->row->process.ppid)
		return a->row->process.ppid < b->row->process.ppid ? -1 : 1;
	return by_sort(left, right, arg);
}

static bool matches(const struct top_view *view, const struct top_row *row)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", row->process.pid);
	return strstr(row->process.comm, view->filter) || strcmp(pid, view->filter) == 0;
}

struct tree {
	const struct top_line *by_parent;
	size_t nr;
	struct top_line *lines;
	size_t nr_lines;
};

static size_t first_child(const struct tree *tree, pid_t pid)
{
	size_t low = 0, high = tree->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tree->by_parent[middle].row->process.ppid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Each process is a line once; the bound holds even if a recycled id closed a ring. */
static void add_subtree(struct tree *tree, struct top_row *row, unsigned depth)
{
	if (tree->nr_lines == tree->nr)
		return;
	tree->lines[tree->nr_lines++] = (struct top_line){.row = row, .depth = depth};
	for (size_t i = first_child(tree, row->process.pid);
	     i < tree->nr && tree->by_parent[i].row->process.ppid == row->process.pid; i++)
		add_subtree(tree, tree->by_parent[i].row, depth + 1);
}

static int arrange_tree(struct top_view *view, const struct top_model *model)
{
	struct tree tree = {.nr = view->nr};
	struct top_line *sorted = malloc((view->nr + 1) * sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, view->lines, view->nr * sizeof(*sorted));
	qsort_r(sorted, view->nr, sizeof(*sorted), by_parent, &view->sort);
	tree.by_parent = sorted;
	tree.lines = view->lines;
	/* Roots are those whose parent is no line: the top, and orphans of a filter. */
	for (size_t i = 0; i < tree.nr; i++) {
		struct top_row *parent = top_model_find(model, sorted[i].row->process.ppid);

		if (!parent || !parent->seen)
			add_subtree(&tree, sorted[i].row, 0);
	}
	view->nr = tree.nr_lines;
	free(sorted);
	return 0;
}

int top_view_arrange(struct top_view *view, const struct top_model *model)
{
	struct top_line *lines = reallocarray(view->lines, model->nr + 1, sizeof(*lines));

	if (!lines)
		return -ENOMEM;
	view->lines = lines;
	view->nr = 0;
	for (size_t i = 0; i < model->nr; i++) {
		struct top_row *row = &model->rows[i];

		row->wanted = false;
		row->seen = row->process.kind == THP_KIND_USER && matches(view, row);
		if (row->seen)
			lines[view->nr++] = (struct top_line){.row = row};
	}
	if (view->tree)
		return arrange_tree(view, model);
	qsort_r(lines, view->nr, sizeof(*lines), by_sort, &view->sort);
	return 0;
}

size_t top_view_selected(const struct top_view *view)
{
	for (size_t i = 0; i < view->nr; i++) {
		if (view->lines[i].row->process.pid == view->selected)
			return i;
	}
	return 0;
}

void top_view_move(struct top_view *view, long lines)
{
	long at = (long)top_view_selected(view) + lines, last = (long)view->nr - 1;

	if (at > last)
		at = last;
	if (at < 0)
		at = 0;
	if (view->nr > 0)
		view->selected = view->lines[at].row->process.pid;
}

void top_view_free(struct top_view *view)
{
	free(view->lines);
}
