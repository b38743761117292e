/* SPDX-License-Identifier: MIT */
/*
 * Pattern: k-d tree: built by tasks, every node a malloc of its own, then searched by all threads,
 * pointer by pointer. Mail rows: kdtree (OMP2012).
 *
 * Why THP may help: each step down leads to another 4 KiB page; the upper levels stay in caches,
 * the lower ones miss cache and TLB.
 * Why it may hurt: hardly (1.0 in the mail): searches go everywhere, whatever the page size.
 */
#include "wl.h"

#include <math.h>
#include <stdlib.h>

enum { DIM = 3, TASK_POINTS = 2048 };

static const struct wl_program program = {
	.name = "kdtree",
	.help = "k-d tree of malloc'ed nodes: built by tasks, searched by all threads",
	.size_unit = "points (about 90 bytes each)",
	.metric_unit = "Mqueries/s",
	.size = {3000, 600000, 12000000, 250000000},
	.iterations = {1, 1, 1, 1},
	.has_touch = true,
};

struct point {
	double x[DIM];
};

struct node {
	struct node *below, *above; /* of the plane through this node's point */
	uint64_t point;
};

static struct wl_run run;
static struct point *points;
static uint64_t n_points;

static bool less(uint64_t a, uint64_t b, int axis)
{
	/* Equal coordinates are told apart by number: the tree depends on nothing else. */
	if (points[a].x[axis] != points[b].x[axis])
		return points[a].x[axis] < points[b].x[axis];
	return a < b;
}

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t old = *a;

	*a = *b;
	*b = old;
}

/* Moves the item that belongs to place k there, smaller ones before it, larger ones behind it. */
static void select_median(uint64_t *item, long n, long k, int axis)
{
	long low = 0, high = n - 1;

	while (low < high) {
		uint64_t pivot = item[(low + high) / 2];
		long i = low, j = high;

		while (i <= j) {
			while (less(item[i], pivot, axis))
				i++;
			while (less(pivot, item[j], axis))
				j--;
			if (i <= j)
				swap(&item[i++], &item[j--]);
		}
		if (k <= j)
			high = j;
		else if (k >= i)
			low = i;
		else
			return;
	}
}

static struct node *build(uint64_t *item, long n, int axis)
{
	struct node *node;
	long middle = n / 2;

	if (n == 0)
		return NULL;
	select_median(item, n, middle, axis);
	node = wl_alloc(sizeof(*node));
	node->point = item[middle];
#pragma omp task if (n > TASK_POINTS && run.touch_parallel)
	node->below = build(item, middle, (axis + 1) % DIM);
	node->above = build(item + middle + 1, n - middle - 1, (axis + 1) % DIM);
#pragma omp taskwait
	return node;
}

/* Points on the wrong side of a node's plane, and points missing or twice. */
static uint64_t count_misplaced(const struct node *node, int axis, const struct node *root,
				unsigned char *seen)
{
	const struct node *at = root;
	uint64_t wrong = 0;

	if (!node)
		return 0;
	wrong += seen[node->point]++ != 0;
	/* The way down from the root by comparisons must end here. */
	for (int a = 0; at && at != node; a = (a + 1) % DIM)
		at = less(node->point, at->point, a) ? at->below : at->above;
	wrong += at != node;
	return wrong + count_misplaced(node->below, (axis + 1) % DIM, root, seen) +
	       count_misplaced(node->above, (axis + 1) % DIM, root, seen);
}

static double distance2(const struct point *a, const struct point *b)
{
	double sum = 0;

	for (int d = 0; d < DIM; d++)
		sum += (a->x[d] - b->x[d]) * (a->x[d] - b->x[d]);
	return sum;
}

struct nearest {
	uint64_t point;
	double distance2;
};

static void search(const struct node *node, const struct point *query, int axis,
		   struct nearest *best)
{
	double across, d2;

	if (!node)
		return;
	across = query->x[axis] - points[node->point].x[axis];
	d2 = distance2(query, &points[node->point]);
	if (d2 < best->distance2)
		*best = (struct nearest){node->point, d2};
	search(across < 0 ? node->below : node->above, query, (axis + 1) % DIM, best);
	if (across * across < best->distance2)
		search(across < 0 ? node->above : node->below, query, (axis + 1) % DIM, best);
}

static struct point make_point(uint64_t stream, uint64_t i)
{
	struct point p;

	for (int d = 0; d < DIM; d++)
		p.x[d] = wl_unit(stream, DIM * i + (uint64_t)d);
	return p;
}

/* Some queries answered by looking at all points. */
static double count_wrong_answers(const struct nearest *answers)
{
	enum { SAMPLES = 64 };
	double wrong = 0;

#pragma omp parallel for reduction(+ : wrong)
	for (uint64_t sample = 0; sample < SAMPLES; sample++) {
		uint64_t q = (sample * (n_points / SAMPLES) + n_points / 2) % n_points;
		struct point query = make_point(run.seed + 1, q);
		struct nearest best = {0, INFINITY};

		for (uint64_t i = 0; i < n_points; i++) {
			double d2 = distance2(&query, &points[i]);

			if (d2 < best.distance2)
				best = (struct nearest){i, d2};
		}
		wrong += best.point != answers[q].point;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	struct node *root = NULL;
	struct nearest *answers;
	unsigned char *seen;
	uint64_t *item, hash = 0;

	run = wl_start(&program, argc, argv);
	if (run.size < 64)
		wl_usage("--size must be at least 64");
	if (run.iterations > 1)
		wl_usage("a tree is built once; choose a --size instead of --iterations");
	n_points = (uint64_t)run.size;
	points = wl_alloc(n_points * sizeof(*points));
	item = wl_alloc(n_points * sizeof(*item));
	answers = wl_alloc(n_points * sizeof(*answers));
#pragma omp parallel for schedule(static) if (run.touch_parallel)
	for (uint64_t i = 0; i < n_points; i++) {
		points[i] = make_point(run.seed, i);
		item[i] = i;
		answers[i] = (struct nearest){0, INFINITY};
	}

	wl_begin();
#pragma omp parallel
#pragma omp single
	root = build(item, (long)n_points, 0);
#pragma omp parallel for schedule(dynamic, 256)
	for (uint64_t q = 0; q < n_points; q++) {
		struct point query = make_point(run.seed + 1, q);

		search(root, &query, 0, &answers[q]);
	}
	wl_end();

	if (wl_corrupt_wanted())
		answers[n_points / 2].point ^= 1;
	seen = wl_alloc(n_points);
	for (uint64_t i = 0; i < n_points; i++)
		seen[i] = 0;
	wl_check("every point is in its place, once", (double)count_misplaced(root, 0, root, seen),
		 0);
	for (uint64_t i = 0; i < n_points; i++)
		hash += (uint64_t)(seen[i] != 1) << 63 | wl_random(answers[i].point, i);
	wl_check("nearest points are nearest", count_wrong_answers(answers), 0);
	free(seen);
	free(item);
	free(answers);
	free(points);
	/* The nodes stay until the process ends: freeing them would be timed by whoever runs it. */
	return wl_finish((double)n_points * 1e-6, hash);
}
