/* SPDX-License-Identifier: MIT */
/*
 * Pattern: molecular dynamics with neighbour lists: for each atom a list of a few dozen others,
 * whose positions are gathered. Mail rows: md, nab (OMP2012); ammp of the older suites is alike.
 *
 * Computes a Lennard-Jones fluid with velocity Verlet steps; the force is shifted to end in zero at
 * the cutoff, so that energy is conserved. Lists are rebuilt when atoms may have come near.
 *
 * Why THP may help: lists are long streams, gathers go to a few neighbouring pages.
 * Why it may hurt: hardly (1.0 in the mail): most of the time is arithmetic on near neighbours.
 */
#include "wl.h"

#include <math.h>
#include <stdlib.h>

enum { DIM = 3, MAX_NEIGHBOURS = 128 };

static const struct wl_program program = {
	.name = "mdlist",
	.help = "Lennard-Jones molecular dynamics with neighbour lists",
	.size_unit = "atoms along each side (600 bytes each)",
	.metric_unit = "Matoms/s",
	.size = {10, 48, 150, 320},
	.iterations = {40, 12, 50, 100},
	.has_touch = true,
};

static const double density = 0.8, cutoff = 2.5, skin = 0.2, dt = 0.003;

struct fluid {
	size_t n;
	double edge; /* of the periodic cube */
	double (*x)[DIM], (*v)[DIM], (*f)[DIM];
	double (*listed)[DIM]; /* positions when the lists were built */
	int *n_neighbours;
	uint32_t (*neighbour)[MAX_NEIGHBOURS];
	long cells;             /* along a side, each at least cutoff + skin wide */
	uint32_t *first, *next; /* atoms of a cell, chained; UINT32_MAX ends */
};

/* Atoms are in the cube when they are listed and leave it by less than skin until the next time. */
static double nearest(double distance, double edge)
{
	if (distance > 0.5 * edge)
		return distance - edge;
	if (distance < -0.5 * edge)
		return distance + edge;
	return distance;
}

/* Distance vector from i to j; returns its square. */
static double separation(const struct fluid *fl, size_t i, size_t j, double ret_d[DIM])
{
	double r2 = 0;

	for (int d = 0; d < DIM; d++) {
		ret_d[d] = nearest(fl->x[j][d] - fl->x[i][d], fl->edge);
		r2 += ret_d[d] * ret_d[d];
	}
	return r2;
}

/* -dV/dr of 4 (r^-12 - r^-6), not shifted. */
static double bare_force(double r)
{
	double r6 = 1 / (r * r * r * r * r * r);

	return 24 * (2 * r6 * r6 - r6) / r;
}

static double bare_energy(double r)
{
	double r6 = 1 / (r * r * r * r * r * r);

	return 4 * (r6 * r6 - r6);
}

static struct fluid make_fluid(long side, uint64_t seed, bool parallel)
{
	struct fluid fl = {.n = (size_t)side * (size_t)side * (size_t)side};
	double spacing = cbrt(1 / density), drift[DIM] = {0};

	fl.edge = spacing * (double)side;
	fl.cells = (long)(fl.edge / (cutoff + skin));
	fl.x = wl_alloc(fl.n * sizeof(*fl.x));
	fl.v = wl_alloc(fl.n * sizeof(*fl.v));
	fl.f = wl_alloc(fl.n * sizeof(*fl.f));
	fl.listed = wl_alloc(fl.n * sizeof(*fl.listed));
	fl.n_neighbours = wl_alloc(fl.n * sizeof(*fl.n_neighbours));
	fl.neighbour = wl_alloc(fl.n * sizeof(*fl.neighbour));
	fl.first = wl_alloc((size_t)(fl.cells * fl.cells * fl.cells) * sizeof(*fl.first));
	fl.next = wl_alloc(fl.n * sizeof(*fl.next));

#pragma omp parallel for schedule(static) if (parallel)
	for (size_t i = 0; i < fl.n; i++) {
		size_t place[DIM] = {i % (size_t)side, i / (size_t)side % (size_t)side,
				     i / (size_t)side / (size_t)side};

		for (int d = 0; d < DIM; d++) {
			uint64_t draw = DIM * i + (uint64_t)d;

			fl.x[i][d] = spacing * ((double)place[d] + 0.1 * wl_unit(seed, draw));
			fl.v[i][d] = 3 * (wl_unit(seed + 1, draw) - 0.5);
			fl.f[i][d] = fl.listed[i][d] = 0;
		}
		fl.n_neighbours[i] = 0;
		for (int k = 0; k < MAX_NEIGHBOURS; k++)
			fl.neighbour[i][k] = 0;
	}
	for (size_t i = 0; i < fl.n; i++)
		for (int d = 0; d < DIM; d++)
			drift[d] += fl.v[i][d] / (double)fl.n;
	for (size_t i = 0; i < fl.n; i++)
		for (int d = 0; d < DIM; d++)
			fl.v[i][d] -= drift[d];
	return fl;
}

static void free_fluid(struct fluid *fl)
{
	free(fl->x);
	free(fl->v);
	free(fl->f);
	free(fl->listed);
	free(fl->n_neighbours);
	free(fl->neighbour);
	free(fl->first);
	free(fl->next);
}

static long cell_of(const struct fluid *fl, size_t i, long ret_at[DIM])
{
	for (int d = 0; d < DIM; d++) {
		ret_at[d] = (long)(fl->x[i][d] / fl->edge * (double)fl->cells);
		if (ret_at[d] >= fl->cells) /* x may be rounded up to edge */
			ret_at[d] = fl->cells - 1;
	}
	return (ret_at[2] * fl->cells + ret_at[1]) * fl->cells + ret_at[0];
}

static void list_neighbours_of(struct fluid *fl, size_t i)
{
	double reach2 = (cutoff + skin) * (cutoff + skin), d[DIM];
	int n = 0;
	long at[DIM];

	cell_of(fl, i, at);
	for (int side = 0; side < 27; side++) {
		long x = (at[0] + side % 3 - 1 + fl->cells) % fl->cells;
		long y = (at[1] + side / 3 % 3 - 1 + fl->cells) % fl->cells;
		long z = (at[2] + side / 9 - 1 + fl->cells) % fl->cells;
		uint32_t j = fl->first[(z * fl->cells + y) * fl->cells + x];

		for (; j != UINT32_MAX; j = fl->next[j])
			if (j != i && n < MAX_NEIGHBOURS && separation(fl, i, j, d) < reach2)
				fl->neighbour[i][n++] = j;
	}
	/* A full list is a short one only if the fluid has collapsed; the energy check would tell.
	 */
	fl->n_neighbours[i] = n;
}

static void list_neighbours(struct fluid *fl)
{
	long at[DIM];

	for (size_t i = 0; i < fl->n; i++)
		for (int d = 0; d < DIM; d++)
			fl->x[i][d] -= fl->edge * floor(fl->x[i][d] / fl->edge);
	for (long c = 0; c < fl->cells * fl->cells * fl->cells; c++)
		fl->first[c] = UINT32_MAX;
	for (size_t i = fl->n; i-- > 0;) {
		long c = cell_of(fl, i, at);

		fl->next[i] = fl->first[c];
		fl->first[c] = (uint32_t)i;
	}
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < fl->n; i++) {
		list_neighbours_of(fl, i);
		for (int d = 0; d < DIM; d++)
			fl->listed[i][d] = fl->x[i][d];
	}
}

/* Two atoms that each moved half the skin may have come within the cutoff unlisted. */
static bool lists_are_old(const struct fluid *fl)
{
	double farthest = 0;

#pragma omp parallel for schedule(static) reduction(max : farthest)
	for (size_t i = 0; i < fl->n; i++) {
		double moved = 0;

		for (int d = 0; d < DIM; d++)
			moved +=
				(fl->x[i][d] - fl->listed[i][d]) * (fl->x[i][d] - fl->listed[i][d]);
		farthest = fmax(farthest, moved);
	}
	return farthest > skin * skin / 4;
}

/* Each atom adds up its own force: twice the arithmetic, but no two threads write to one place. */
static void compute_forces(struct fluid *fl)
{
	double shift = bare_force(cutoff);

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < fl->n; i++) {
		double f[DIM] = {0};

		for (int k = 0; k < fl->n_neighbours[i]; k++) {
			double d[DIM], r2 = separation(fl, i, fl->neighbour[i][k], d), r, s, push;

			if (r2 >= cutoff * cutoff)
				continue;
			r = sqrt(r2);
			s = 1 / (r2 * r2 * r2);
			push = 24 * s * (2 * s - 1) / r2 - shift / r;
			for (int c = 0; c < DIM; c++)
				f[c] -= push * d[c];
		}
		for (int c = 0; c < DIM; c++)
			fl->f[i][c] = f[c];
	}
}

static void kick(struct fluid *fl)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < fl->n; i++)
		for (int d = 0; d < DIM; d++)
			fl->v[i][d] += 0.5 * dt * fl->f[i][d];
}

static void drift(struct fluid *fl)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < fl->n; i++)
		for (int d = 0; d < DIM; d++)
			fl->x[i][d] += dt * fl->v[i][d];
}

static void advance(struct fluid *fl)
{
	kick(fl);
	drift(fl);
	if (lists_are_old(fl))
		list_neighbours(fl);
	compute_forces(fl);
	kick(fl);
}

static double energy(const struct fluid *fl)
{
	double shift = bare_force(cutoff), at_cutoff = bare_energy(cutoff), sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (size_t i = 0; i < fl->n; i++) {
		for (int d = 0; d < DIM; d++)
			sum += 0.5 * fl->v[i][d] * fl->v[i][d];
		for (int k = 0; k < fl->n_neighbours[i]; k++) {
			double d[DIM], r = sqrt(separation(fl, i, fl->neighbour[i][k], d));

			if (r < cutoff) /* half of it: the pair is listed twice */
				sum += 0.5 * (bare_energy(r) - at_cutoff + shift * (r - cutoff));
		}
	}
	return sum;
}

static double largest_momentum(const struct fluid *fl)
{
	double momentum[DIM] = {0};

	for (size_t i = 0; i < fl->n; i++)
		for (int d = 0; d < DIM; d++)
			momentum[d] += fl->v[i][d];
	return fmax(fabs(momentum[0]), fmax(fabs(momentum[1]), fabs(momentum[2])));
}

/* Some atoms' forces from all other atoms, without lists. */
static double force_error(const struct fluid *fl)
{
	enum { SAMPLES = 16 };
	double shift = bare_force(cutoff), error = 0;

#pragma omp parallel for reduction(max : error)
	for (size_t sample = 0; sample < SAMPLES; sample++) {
		size_t i = fl->n / SAMPLES * sample;
		double f[DIM] = {0};

		for (size_t j = 0; j < fl->n; j++) {
			double d[DIM], r = sqrt(separation(fl, i, j, d));

			for (int c = 0; j != i && r < cutoff && c < DIM; c++)
				f[c] -= (bare_force(r) - shift) * d[c] / r;
		}
		for (int c = 0; c < DIM; c++)
			error = fmax(error, fabs(f[c] - fl->f[i][c]) / (1 + fabs(f[c])));
	}
	return error;
}

int main(int argc, char **argv)
{
	struct wl_run run = wl_start(&program, argc, argv);
	struct fluid fl;
	double before, work;
	uint64_t hash;

	if (run.size < 9 || run.size > 1500)
		wl_usage("--size must be 9 to 1500");
	fl = make_fluid(run.size, run.seed, run.touch_parallel);
	list_neighbours(&fl);
	compute_forces(&fl);
	before = energy(&fl);

	wl_begin();
	for (long i = 0; i < run.iterations; i++)
		advance(&fl);
	wl_end();

	wl_corrupt(&fl.v[fl.n / 2][0]);
	wl_check("momentum is zero", largest_momentum(&fl), 1e-12 * (double)fl.n + 1e-9);
	/* Per atom: 4e-4 of its kinetic energy of about one. */
	wl_check("energy is conserved", fabs(energy(&fl) - before) / (double)fl.n, 4e-4);
	wl_check("listed forces are those of all atoms", force_error(&fl), 1e-10);
	hash = wl_hash(fl.x, fl.n * sizeof(*fl.x)) + wl_hash(fl.v, fl.n * sizeof(*fl.v));
	work = (double)fl.n * (double)run.iterations * 1e-6;
	free_fluid(&fl);
	return wl_finish(work, hash);
}
