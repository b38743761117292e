// SPDX-License-Identifier: MIT
/*
 * What there is to see, for a bounded price: a list of processes costs little, their status ten
 * microseconds each, their huge memory a scan of page tables, 1.5 ms for each GiB of small pages.
 * Scans are bounded steps and never smaps, so that no process is held up. Who is on the screen
 * comes first, then the others in turn, until the budget is spent.
 */
#include "top.h"

#include "../common/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FRESH_SECONDS   10
#define START_ALLOWANCE 0.1 /* CPU seconds: the first screen shall not be empty */

static double cpu(void)
{
	return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

int top_model_init(struct top_model *model, struct thp_ctx *ctx, double percent)
{
	memset(model, 0, sizeof(*model));
	model->ctx = ctx;
	model->percent = percent;
	model->allowance = START_ALLOWANCE;
	model->at = clock_now();
	model->system.size = sizeof(model->system);
	model->activity.size = sizeof(model->activity);
	return 0;
}

void top_model_free(struct top_model *model)
{
	free(model->rows);
}

static int by_pid(const void *left, const void *right)
{
	const struct top_row *a = left, *b = right;

	return (a->process.pid > b->process.pid) - (a->process.pid < b->process.pid);
}

struct top_row *top_model_find(const struct top_model *model, pid_t pid)
{
	struct top_row key = {.process = {.pid = pid}};

	return model->nr ? bsearch(&key, model->rows, model->nr, sizeof(key), by_pid) : NULL;
}

/* Status alone; a recycled PID is another process, of which nothing is measured. */
static int read_status(struct top_model *model, struct top_row *row)
{
	struct thp_process process = {.size = sizeof(process)};
	int r = thp_process_read(model->ctx, row->process.pid, 0, &process);

	if (r < 0)
		return r;
	if (process.ppid != row->process.ppid && strcmp(process.comm, row->process.comm) != 0)
		row->measured = false;
	row->process = process;
	return 0;
}

static void measure(struct top_model *model, struct top_row *row)
{
	struct thp_usage_request request = {.size = sizeof(request)};
	struct thp_mapping mapping = {.size = sizeof(mapping)};
	struct thp_counts counts = {0};
	struct thp_usage *usage;
	double start = cpu();
	int r;

	row->measured_at = clock_now();
	if (row->process.kind != THP_KIND_USER)
		return;
	r = thp_usage_open(model->ctx, row->process.pid, &request, &usage);
	row->denied = r == -EACCES || r == -EPERM;
	if (r < 0)
		return;
	while ((r = thp_usage_next(usage, &mapping)) > 0)
		thp_counts_add(&counts, &mapping.counts);
	thp_usage_close(usage);
	if (r == 0) {
		row->counts = counts;
		row->measured = true;
	}
	row->cost = cpu() - start;
}

/* The rows that stay, and new ones, for a list of processes that is ascending. */
static int merge_list(struct top_model *model, const pid_t *pids, size_t nr)
{
	struct top_row *rows = calloc(nr + 1, sizeof(*rows));
	size_t kept = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		struct top_row *old = top_model_find(model, pids[i]);
		struct top_row *row = &rows[kept];

		if (old) {
			*row = *old;
		} else {
			row->process.pid = pids[i];
			if (read_status(model, row) < 0)
				continue;
		}
		kept++;
	}
	free(model->rows);
	model->rows = rows;
	model->nr = kept;
	return 0;
}

static int list_processes(struct top_model *model)
{
	pid_t *pids;
	ssize_t nr = thp_process_list(model->ctx, &pids);
	int r;

	if (nr < 0)
		return (int)nr;
	r = merge_list(model, pids, (size_t)nr);
	free(pids);
	return r;
}

/* A process may cost no more than the budget over time: a large one is looked at more rarely. */
static bool is_due(const struct top_model *model, const struct top_row *row)
{
	double pause = row->cost * 100 / model->percent;

	return row->measured_at == 0 || model->at - row->measured_at >= pause;
}

static void update(struct top_model *model, struct top_row *row)
{
	if (read_status(model, row) == 0 && is_due(model, row))
		measure(model, row);
}

static void spend(struct top_model *model, double start)
{
	for (size_t i = 0; i < model->nr; i++) {
		if (model->rows[i].wanted && cpu() - start < model->allowance)
			update(model, &model->rows[i]);
	}
	for (size_t done = 0; done < model->nr && cpu() - start < model->allowance; done++) {
		struct top_row *row = &model->rows[model->next % model->nr];

		model->next = (model->next + 1) % model->nr;
		if (!row->wanted)
			update(model, row);
	}
}

static int read_system(struct top_model *model)
{
	struct thp_activity activity = {.size = sizeof(activity)};
	double at = clock_now();
	int r = thp_system_read(model->ctx, &model->system);

	if (r == 0)
		r = thp_activity_read(model->ctx, &activity);
	if (r < 0)
		return r;
	if (model->rows) {
		model->before = model->activity;
		model->before_at = model->at;
		model->allowance += (at - model->at) * model->percent / 100;
	}
	model->activity = activity;
	model->at = at;
	return 0;
}

static void count_fresh(struct top_model *model)
{
	double now = clock_now();

	model->nr_fresh = 0;
	model->nr_users = 0;
	for (size_t i = 0; i < model->nr; i++) {
		const struct top_row *row = &model->rows[i];

		model->nr_users += row->process.kind == THP_KIND_USER;
		model->nr_fresh += row->measured && now - row->measured_at < FRESH_SECONDS;
	}
}

static void settle(struct top_model *model, double start)
{
	count_fresh(model);
	model->refresh_cost = cpu() - start;
	model->allowance -= model->refresh_cost;
	/* What was not needed is not saved up: that would be a burst later. */
	if (model->allowance > START_ALLOWANCE)
		model->allowance = START_ALLOWANCE;
	if (model->before_at > 0 && model->at > model->before_at)
		model->own_share = (cpu() - model->own_cpu) * 100 / (model->at - model->before_at);
	model->own_cpu = cpu();
}

int top_model_refresh(struct top_model *model)
{
	double start = cpu();
	int r = read_system(model);

	if (r == 0)
		r = list_processes(model);
	if (r < 0)
		return r;
	spend(model, start);
	settle(model, start);
	return 0;
}

int top_model_refresh_all(struct top_model *model)
{
	double start = cpu();
	int r = read_system(model);

	if (r == 0)
		r = list_processes(model);
	if (r < 0)
		return r;
	for (size_t i = 0; i < model->nr; i++) {
		if (read_status(model, &model->rows[i]) == 0)
			measure(model, &model->rows[i]);
	}
	settle(model, start);
	return 0;
}

double top_model_rate(const struct top_model *model, int64_t now, int64_t before)
{
	if (model->before_at == 0 || now == THP_COUNT_UNKNOWN || before == THP_COUNT_UNKNOWN ||
	    model->at <= model->before_at)
		return -1;
	return (double)(now - before) / (model->at - model->before_at);
}
