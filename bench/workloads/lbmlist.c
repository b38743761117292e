/* SPDX-License-Identifier: MIT */
/*
 * Pattern: lattice Boltzmann with index lists: only the fluid cells of a porous medium are stored,
 * and where each of the 19 populations comes from is read from a list.
 * Mail rows: ilbdc (OMP2012).
 *
 * Why THP may help: 19 streams in, 19 out, one index stream; with 4 KiB pages far more than the
 * first-level TLB holds. Why it may hurt (1.8 in the mail): each of the 39 streams is cut into as
 * many pieces as there are threads; at 512 threads a piece is smaller than a huge page, so its
 * memory is on a neighbour's node.
 */
#include "wl.h"

#include <math.h>
#include <stdlib.h>

enum { Q = 19 };

static const int velocity[Q][3] = {
	{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
	{1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
	{-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
};

static const struct wl_program program = {
	.name = "lbmlist",
	.help = "D3Q19 lattice Boltzmann in a porous medium, by index lists",
	.size_unit = "cells along each side of the box (about 270 bytes each)",
	.metric_unit = "Mcells/s",
	.size = {20, 88, 220, 440},
	.iterations = {10, 10, 40, 100},
	.has_touch = true,
};

struct lattice {
	long side;
	size_t n_fluid;
	double relaxation;  /* omega: 1 / tau */
	double *now, *next; /* [q * n_fluid + cell] */
	uint32_t *source;   /* [q * n_fluid + cell]: where in now population q arrives from */
};

/* 0 is its own opposite; the others come in pairs. */
static int opposite(int q)
{
	return q == 0 ? 0 : q % 2 ? q + 1 : q - 1;
}

static double weight(int q)
{
	int speed2 = velocity[q][0] * velocity[q][0] + velocity[q][1] * velocity[q][1] +
		     velocity[q][2] * velocity[q][2];

	return speed2 == 0 ? 1. / 3 : speed2 == 1 ? 1. / 18 : 1. / 36;
}

static double equilibrium(int q, double density, const double u[3])
{
	double along = velocity[q][0] * u[0] + velocity[q][1] * u[1] + velocity[q][2] * u[2];
	double u2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];

	return weight(q) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * u2);
}

/* Solid grains: random cubes of 4 cells, about a quarter of the box; none if seed is 0. */
static bool is_solid(const long at[3], uint64_t seed)
{
	return seed &&
	       wl_random(seed, (uint64_t)((at[2] / 4 * 65536 + at[1] / 4) * 65536 + at[0] / 4)) %
			       4 ==
		       0;
}

static size_t cell_index(const struct lattice *l, const long at[3])
{
	return (size_t)((at[2] * l->side + at[1]) * l->side + at[0]);
}

static void position(const struct lattice *l, size_t index, long at[3])
{
	size_t side = (size_t)l->side;

	at[0] = (long)(index % side);
	at[1] = (long)(index / side % side);
	at[2] = (long)(index / side / side);
}

/*
 * Numbers the fluid cells and makes the lists; a population that would come from a solid cell is
 * the one that left in the opposite direction (bounce-back). wave: start with a shear wave of that
 * height, else with small random velocities.
 */
static struct lattice make_lattice(long side, uint64_t seed, uint64_t grains, bool parallel,
				   double wave)
{
	struct lattice l = {.side = side, .relaxation = 1.2};
	size_t n_cells = (size_t)side * (size_t)side * (size_t)side, n = 0;
	uint32_t *number = wl_alloc(n_cells * sizeof(*number));
	uint32_t *cell_of = wl_alloc(n_cells * sizeof(*cell_of));

	for (size_t c = 0; c < n_cells; c++) {
		long at[3];

		position(&l, c, at);
		number[c] = UINT32_MAX;
		if (!is_solid(at, grains)) {
			cell_of[n] = (uint32_t)c;
			number[c] = (uint32_t)n++;
		}
	}
	l.n_fluid = n;
	if (n > UINT32_MAX / Q)
		wl_usage("--size is too large for 32-bit lists");
	l.now = wl_alloc(Q * n * sizeof(*l.now));
	l.next = wl_alloc(Q * n * sizeof(*l.next));
	l.source = wl_alloc(Q * n * sizeof(*l.source));

#pragma omp parallel for schedule(static) if (parallel)
	for (size_t c = 0; c < n; c++) {
		double u[3];
		long at[3];

		position(&l, cell_of[c], at);
		for (int d = 0; d < 3; d++)
			u[d] = wave > 0 ? 0 : 0.05 * (wl_unit(seed, 3 * c + (uint64_t)d) - 0.5);
		if (wave > 0)
			u[0] = wave * sin(2 * M_PI * (double)at[1] / (double)side);
		for (int q = 0; q < Q; q++) {
			long from[3];
			uint32_t origin;

			for (int d = 0; d < 3; d++)
				from[d] = (at[d] - velocity[q][d] + side) % side;
			origin = number[cell_index(&l, from)];
			l.source[(size_t)q * n + c] =
				origin != UINT32_MAX ? (uint32_t)((size_t)q * n + origin)
						     : (uint32_t)((size_t)opposite(q) * n + c);
			l.now[(size_t)q * n + c] = equilibrium(q, 1, u);
			l.next[(size_t)q * n + c] = 0;
		}
	}
	free(number);
	free(cell_of);
	return l;
}

static void free_lattice(struct lattice *l)
{
	free(l->now);
	free(l->next);
	free(l->source);
}

/* Each cell pulls its populations, relaxes them towards equilibrium and stores them. */
static void advance(struct lattice *l)
{
	size_t n = l->n_fluid;
	double *swap = l->now;

#pragma omp parallel for schedule(static)
	for (size_t c = 0; c < n; c++) {
		double f[Q], density = 0, u[3] = {0};

		for (int q = 0; q < Q; q++) {
			f[q] = l->now[l->source[(size_t)q * n + c]];
			density += f[q];
			for (int d = 0; d < 3; d++)
				u[d] += f[q] * velocity[q][d];
		}
		for (int d = 0; d < 3; d++)
			u[d] /= density;
		for (int q = 0; q < Q; q++)
			l->next[(size_t)q * n + c] =
				f[q] + l->relaxation * (equilibrium(q, density, u) - f[q]);
	}
	l->now = l->next;
	l->next = swap;
}

static double mass(const struct lattice *l)
{
	double sum = 0;

	/* Deviation from rest: the digits are where the differences are. */
#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (size_t c = 0; c < l->n_fluid; c++) {
		double density = -1;

		for (int q = 0; q < Q; q++)
			density += l->now[(size_t)q * l->n_fluid + c];
		sum += density;
	}
	return sum;
}

/* Velocity of a cell in x. */
static double velocity_x(const struct lattice *l, size_t c)
{
	double density = 0, momentum = 0;

	for (int q = 0; q < Q; q++) {
		density += l->now[(size_t)q * l->n_fluid + c];
		momentum += l->now[(size_t)q * l->n_fluid + c] * velocity[q][0];
	}
	return momentum / density;
}

/* A shear wave in free fluid decays as exp(-nu k^2 t), nu = (1 / omega - 1/2) / 3. */
static double wave_error(void)
{
	enum { SIDE = 24, STEPS = 40 };
	const double height = 1e-3, k = 2 * M_PI / SIDE;
	struct lattice l = make_lattice(SIDE, 1, 0, false, height);
	double viscosity = (1 / l.relaxation - 0.5) / 3, error = 0;

	for (int i = 0; i < STEPS; i++)
		advance(&l);
	for (size_t c = 0; c < l.n_fluid; c++) {
		double expected = height * exp(-viscosity * k * k * STEPS);
		long at[3];

		position(&l, c, at);
		expected *= sin(k * (double)at[1]);
		error = fmax(error, fabs(velocity_x(&l, c) - expected) / height);
	}
	free_lattice(&l);
	return error;
}

int main(int argc, char **argv)
{
	struct wl_run run = wl_start(&program, argc, argv);
	struct lattice l;
	double before, work;
	uint64_t hash;

	if (run.size < 8 || run.size > 1024)
		wl_usage("--size must be 8 to 1024");
	l = make_lattice(run.size, run.seed, run.seed + 1, run.touch_parallel, 0);
	before = mass(&l);

	wl_begin();
	for (long i = 0; i < run.iterations; i++)
		advance(&l);
	wl_end();

	wl_corrupt(&l.now[l.n_fluid / 2]);
	wl_check("mass is conserved", fabs(mass(&l) - before), 1e-13 * (double)l.n_fluid + 1e-9);
	wl_check("a shear wave decays as viscosity says", wave_error(), 0.005);
	hash = wl_hash(l.now, Q * l.n_fluid * sizeof(*l.now));
	work = (double)l.n_fluid * (double)run.iterations * 1e-6;
	free_lattice(&l);
	return wl_finish(work, hash);
}
