/* SPDX-License-Identifier: MIT */
/*
 * Pattern: unstructured sparse matrix times vector, where every row, every 3x3 block and every
 * node's vector is a malloc of its own: many small allocations, reached through pointers.
 * Mail rows: equake (OMPL2001).
 *
 * Computes waves in an elastic body by central differences in time, u'' = -K u.
 *
 * Why THP may help: pointers lead everywhere, each to another 4 KiB page.
 * Why it may hurt (5.8 in the mail, the largest of all): pieces of a few dozen bytes are placed by
 * whoever touches first, and in huge pages one thread's touch decides for 20000 pieces. --touch
 * serial lets one thread allocate everything, as old codes do; then all memory is on one node
 * with pages of either size.
 */
#include "wl.h"

#include <math.h>
#include <stdlib.h>

enum { DIM = 3, N_OFFSETS = 14 }; /* neighbours: 6 along the axes, 8 along the diagonals */

static const int offsets[N_OFFSETS][DIM] = {
	{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},   {0, -1, 0}, {0, 0, 1},   {0, 0, -1},  {1, 1, 1},
	{1, 1, -1}, {1, -1, 1}, {1, -1, -1}, {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1},
};

/* Every block is a multiple of this matrix, so that modes of vibration are known. */
static const double coupling[DIM][DIM] = {{3, 1, 1}, {1, 3, 1}, {1, 1, 3}};
static const double stiff_direction[DIM] = {1, 1, 1}; /* its eigenvalue is 5 */
static const double soft_direction[DIM] = {1, -1, 0}; /* its eigenvalue is 2 */

static const struct wl_program program = {
	.name = "quake",
	.help = "sparse matrix-vector products on many small allocations",
	.size_unit = "nodes along each side (about 1.7 KB each)",
	.metric_unit = "Mnodes/s",
	.size = {10, 50, 110, 280},
	.iterations = {20, 45, 100, 200},
	.has_touch = true,
};

struct row {
	int n;
	uint32_t *column;
	double **block; /* n pointers to DIM * DIM numbers */
};

struct body {
	long side;
	size_t n;
	struct row **rows;
	double **before, **now, **after; /* n pointers to DIM numbers */
	uint64_t seed;
};

/*
 * The mesh is a periodic lattice, but nodes are numbered as a mesh generator would: neighbours are
 * near each other in memory, in no order. Numbers are shuffled within windows.
 */
enum { WINDOW = 4096 };

static size_t window_size(const struct body *b, size_t start)
{
	return b->n - start < WINDOW ? b->n - start : WINDOW;
}

static size_t number_of(const struct body *b, size_t place)
{
	size_t start = place / WINDOW * WINDOW;

	return start + wl_permute(window_size(b, start), b->seed + start, place - start);
}

static size_t place_of(const struct body *b, size_t number)
{
	size_t start = number / WINDOW * WINDOW;

	return start + wl_unpermute(window_size(b, start), b->seed + start, number - start);
}

static void coordinates(const struct body *b, size_t place, long at[DIM])
{
	size_t side = (size_t)b->side;

	at[0] = (long)(place % side);
	at[1] = (long)(place / side % side);
	at[2] = (long)(place / side / side);
}

static size_t place_at(const struct body *b, const long at[DIM])
{
	return (size_t)((at[2] * b->side + at[1]) * b->side + at[0]);
}

static double spring(int offset)
{
	return offset < 6 ? 1 : 0.25;
}

static double *make_block(double factor)
{
	double *block = wl_alloc(DIM * DIM * sizeof(*block));

	for (int i = 0; i < DIM * DIM; i++)
		block[i] = factor * coupling[i / DIM][i % DIM];
	return block;
}

static struct row *make_row(const struct body *b, size_t node)
{
	struct row *row = wl_alloc(sizeof(*row));
	double sum = 0;
	long at[DIM];

	row->n = N_OFFSETS + 1;
	row->column = wl_alloc((size_t)row->n * sizeof(*row->column));
	row->block = wl_alloc((size_t)row->n * sizeof(*row->block));
	coordinates(b, place_of(b, node), at);
	for (int o = 0; o < N_OFFSETS; o++) {
		long there[DIM];

		for (int d = 0; d < DIM; d++)
			there[d] = (at[d] + offsets[o][d] + b->side) % b->side;
		row->column[o] = (uint32_t)number_of(b, place_at(b, there));
		row->block[o] = make_block(-spring(o));
		sum += spring(o);
	}
	row->column[N_OFFSETS] = (uint32_t)node;
	row->block[N_OFFSETS] = make_block(sum);
	return row;
}

/* Two waves, one in the stiff direction and one in the soft; phase in time is angle * step. */
struct mode {
	int waves[DIM];
	const double *direction;
	double strength; /* eigenvalue of coupling */
};

static const struct mode modes[2] = {
	{{1, 2, 0}, stiff_direction, 5},
	{{0, 1, 3}, soft_direction, 2},
};

static const double dt = 0.1;

/* Central differences turn the phase by 2 - 2 cos(angle) = dt^2 lambda each step. */
static double mode_angle(const struct body *b, const struct mode *mode)
{
	double lambda = 0;

	for (int o = 0; o < N_OFFSETS; o++) {
		double phase = 0;

		for (int d = 0; d < DIM; d++)
			phase += 2 * M_PI * mode->waves[d] * offsets[o][d] / (double)b->side;
		lambda += spring(o) * (1 - cos(phase));
	}
	return acos(1 - 0.5 * dt * dt * lambda * mode->strength);
}

static void exact(const struct body *b, size_t node, const double angles[2], long step,
		  double ret_u[DIM])
{
	long at[DIM];

	coordinates(b, place_of(b, node), at);
	for (int d = 0; d < DIM; d++)
		ret_u[d] = 0;
	for (int m = 0; m < 2; m++) {
		double phase = 0, height;

		for (int d = 0; d < DIM; d++)
			phase += 2 * M_PI * modes[m].waves[d] * (double)at[d] / (double)b->side;
		height = cos(phase) * cos(angles[m] * (double)step);
		for (int d = 0; d < DIM; d++)
			ret_u[d] += modes[m].direction[d] * height;
	}
}

static struct body make_body(const struct wl_run *run, const double *angles)
{
	struct body b = {.side = run->size, .seed = run->seed};

	b.n = (size_t)b.side * (size_t)b.side * (size_t)b.side;
	b.rows = wl_alloc(b.n * sizeof(struct row *));
	b.before = wl_alloc(b.n * sizeof(double *));
	b.now = wl_alloc(b.n * sizeof(double *));
	b.after = wl_alloc(b.n * sizeof(double *));
#pragma omp parallel for schedule(static) if (run->touch_parallel)
	for (size_t i = 0; i < b.n; i++) {
		b.rows[i] = make_row(&b, i);
		b.before[i] = wl_alloc(DIM * sizeof(double));
		b.now[i] = wl_alloc(DIM * sizeof(double));
		b.after[i] = wl_alloc(DIM * sizeof(double));
		exact(&b, i, angles, -1, b.before[i]);
		exact(&b, i, angles, 0, b.now[i]);
	}
	return b;
}

static void advance(struct body *b)
{
	double **recycled = b->before;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < b->n; i++) {
		const struct row *row = b->rows[i];
		double force[DIM] = {0};

		for (int k = 0; k < row->n; k++) {
			const double *block = row->block[k], *u = b->now[row->column[k]];

			for (int d = 0; d < DIM; d++)
				force[d] += block[d * DIM] * u[0] + block[d * DIM + 1] * u[1] +
					    block[d * DIM + 2] * u[2];
		}
		for (int d = 0; d < DIM; d++)
			b->after[i][d] = 2 * b->now[i][d] - b->before[i][d] - dt * dt * force[d];
	}
	b->before = b->now;
	b->now = b->after;
	b->after = recycled;
}

int main(int argc, char **argv)
{
	struct wl_run run = wl_start(&program, argc, argv);
	struct body sized = {.side = run.size}, b;
	double angles[2], error = 0;
	uint64_t hash = 0;

	if (run.size < 8 || run.size > 1600)
		wl_usage("--size must be 8 to 1600");
	for (int m = 0; m < 2; m++)
		angles[m] = mode_angle(&sized, &modes[m]);
	b = make_body(&run, angles);

	wl_begin();
	for (long i = 0; i < run.iterations; i++)
		advance(&b);
	wl_end();

	wl_corrupt(&b.now[b.n / 2][1]);
#pragma omp parallel for schedule(static) reduction(max : error) reduction(+ : hash)
	for (size_t i = 0; i < b.n; i++) {
		double u[DIM];

		exact(&b, i, angles, run.iterations, u);
		for (int d = 0; d < DIM; d++)
			error = fmax(error, fabs(b.now[i][d] - u[d]));
		for (int d = 0; d < DIM; d++)
			hash += wl_random((uint64_t)llround(b.now[i][d] * 0x1p40),
					  DIM * i + (size_t)d);
	}
	/* Rounding errors of a recurrence grow with the square of its steps at worst. */
	wl_check("two vibrations go on as theory says", error,
		 1e-13 * (1 + (double)run.iterations * (double)run.iterations * 0.01));
	/* The process ends here: freeing millions of pieces would be timed by whoever runs it. */
	return wl_finish((double)b.n * (double)run.iterations * 1e-6, hash);
}
