/* SPDX-License-Identifier: MIT */
/*
 * Pattern: explicit finite elements: each element gathers from its nodes, computes stress and
 * forces and stores a kilobyte of state; each node gathers the forces of its elements, by lists.
 * Mail rows: fma3d (OMP2012, OMPL2001).
 *
 * Computes a free elastic body of tetrahedra (six for each cell of a distorted grid), linear
 * elasticity, central differences in time.
 *
 * Why THP may help: element state is a long stream; nodes are found by index.
 * Why it may hurt: only at the borders of the threads' parts (1.0 in the mail).
 */
#include "wl.h"

#include <math.h>
#include <stdlib.h>

enum { DIM = 3, CORNERS = 4, TETS = 6, MAX_SHARED = 24 };

static const struct wl_program program = {
	.name = "fem",
	.help = "explicit elastic finite elements with gather lists",
	.size_unit = "cells along each side (2 KB each)",
	.metric_unit = "Melements/s",
	.size = {8, 44, 100, 250},
	.iterations = {20, 32, 100, 200},
	.has_touch = true,
};

static const double lame_lambda = 1, lame_mu = 1, density = 1, dt = 0.05;

struct element {
	uint32_t node[CORNERS];
	double gradient[CORNERS][DIM]; /* of each corner's shape function */
	double volume;
	double stress[DIM][DIM];
	double force[CORNERS][DIM]; /* on each corner */
};

struct node {
	double x[DIM], u[DIM], v[DIM];
	double mass;
	uint32_t n_shared;
	uint32_t shared[MAX_SHARED]; /* element * CORNERS + corner */
};

struct mesh {
	size_t side, n_nodes, n_elements;
	struct node *nodes;
	struct element *elements;
};

/* Tetrahedra around the diagonal 0-7 of a cell; bit d of a corner's number is its place along d. */
static const unsigned int tets[TETS][CORNERS] = {
	{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7},
};

static size_t node_at(const struct mesh *m, size_t x, size_t y, size_t z)
{
	return (z * (m->side + 1) + y) * (m->side + 1) + x;
}

static bool is_inside(const struct mesh *m, size_t i)
{
	size_t width = m->side + 1, at[DIM] = {i % width, i / width % width, i / width / width};

	for (int d = 0; d < DIM; d++)
		if (at[d] == 0 || at[d] == m->side)
			return false;
	return true;
}

static void cross(const double a[DIM], const double b[DIM], double ret_c[DIM])
{
	for (int d = 0; d < DIM; d++)
		ret_c[d] =
			a[(d + 1) % DIM] * b[(d + 2) % DIM] - a[(d + 2) % DIM] * b[(d + 1) % DIM];
}

/* The gradient of a corner's shape function is normal to the face opposite it. */
static void shape(const struct mesh *m, struct element *e)
{
	double edge[CORNERS - 1][DIM], volume6 = 0, normal[DIM];

	for (int c = 1; c < CORNERS; c++)
		for (int d = 0; d < DIM; d++)
			edge[c - 1][d] = m->nodes[e->node[c]].x[d] - m->nodes[e->node[0]].x[d];
	cross(edge[1], edge[2], normal);
	for (int d = 0; d < DIM; d++)
		volume6 += edge[0][d] * normal[d];
	for (int d = 0; d < DIM; d++)
		e->gradient[0][d] = 0;
	for (int c = 1; c < CORNERS; c++) {
		cross(edge[c % 3], edge[(c + 1) % 3], normal);
		for (int d = 0; d < DIM; d++) {
			e->gradient[c][d] = normal[d] / volume6;
			e->gradient[0][d] -= e->gradient[c][d];
		}
	}
	e->volume = volume6 / 6;
}

static void make_node(struct mesh *m, size_t i, uint64_t seed)
{
	size_t width = m->side + 1, at[DIM] = {i % width, i / width % width, i / width / width};
	struct node *node = &m->nodes[i];

	*node = (struct node){0};
	for (int d = 0; d < DIM; d++) {
		node->x[d] = (double)at[d];
		if (is_inside(m, i))
			node->x[d] += 0.2 * (wl_unit(seed, DIM * i + (uint64_t)d) - 0.5);
	}
}

static void make_element(struct mesh *m, size_t i)
{
	size_t cell = i / TETS, x = cell % m->side, y = cell / m->side % m->side;
	size_t z = cell / m->side / m->side;
	struct element *e = &m->elements[i];

	*e = (struct element){0};
	for (int c = 0; c < CORNERS; c++) {
		unsigned int corner = tets[i % TETS][c];

		e->node[c] = (uint32_t)node_at(m, x + (corner & 1), y + (corner >> 1 & 1),
					       z + (corner >> 2));
	}
	shape(m, e);
}

static struct mesh make_mesh(size_t side, uint64_t seed, bool parallel)
{
	struct mesh m = {.side = side,
			 .n_nodes = (side + 1) * (side + 1) * (side + 1),
			 .n_elements = side * side * side * TETS};

	m.nodes = wl_alloc(m.n_nodes * sizeof(*m.nodes));
	m.elements = wl_alloc(m.n_elements * sizeof(*m.elements));
#pragma omp parallel for schedule(static) if (parallel)
	for (size_t i = 0; i < m.n_nodes; i++)
		make_node(&m, i, seed);
#pragma omp parallel for schedule(static) if (parallel)
	for (size_t i = 0; i < m.n_elements; i++)
		make_element(&m, i);
	for (size_t i = 0; i < m.n_elements; i++) {
		for (unsigned int c = 0; c < CORNERS; c++) {
			struct node *node = &m.nodes[m.elements[i].node[c]];

			node->shared[node->n_shared++] = (uint32_t)(i * CORNERS + c);
			node->mass += density * m.elements[i].volume / CORNERS;
		}
	}
	return m;
}

static void free_mesh(struct mesh *m)
{
	free(m->nodes);
	free(m->elements);
}

static void stress_element(const struct mesh *m, struct element *e)
{
	double slope[DIM][DIM] = {0}, trace;

	for (int c = 0; c < CORNERS; c++)
		for (int a = 0; a < DIM; a++)
			for (int b = 0; b < DIM; b++)
				slope[a][b] += m->nodes[e->node[c]].u[a] * e->gradient[c][b];
	trace = slope[0][0] + slope[1][1] + slope[2][2];
	for (int a = 0; a < DIM; a++)
		for (int b = 0; b < DIM; b++)
			e->stress[a][b] = lame_mu * (slope[a][b] + slope[b][a]) +
					  (a == b ? lame_lambda * trace : 0);
	for (int c = 0; c < CORNERS; c++) {
		for (int a = 0; a < DIM; a++) {
			e->force[c][a] = 0;
			for (int b = 0; b < DIM; b++)
				e->force[c][a] -= e->volume * e->stress[a][b] * e->gradient[c][b];
		}
	}
}

static void stress(struct mesh *m)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < m->n_elements; i++)
		stress_element(m, &m->elements[i]);
}

/* Sum of what the elements do to a node, always in the same order. */
static void gather_force(const struct mesh *m, const struct node *node, double ret_f[DIM])
{
	for (int d = 0; d < DIM; d++)
		ret_f[d] = 0;
	for (uint32_t s = 0; s < node->n_shared; s++) {
		const struct element *e = &m->elements[node->shared[s] / CORNERS];

		for (int d = 0; d < DIM; d++)
			ret_f[d] += e->force[node->shared[s] % CORNERS][d];
	}
}

static void move(struct mesh *m)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < m->n_nodes; i++) {
		struct node *node = &m->nodes[i];
		double f[DIM];

		gather_force(m, node, f);
		for (int d = 0; d < DIM; d++) {
			node->v[d] += dt * f[d] / node->mass;
			node->u[d] += dt * node->v[d];
		}
	}
}

/* A smooth swing without total momentum or spin is not needed: both are merely conserved. */
static void set_swing(struct mesh *m)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < m->n_nodes; i++) {
		struct node *node = &m->nodes[i];

		for (int d = 0; d < DIM; d++)
			node->v[d] = 0.01 * cos(M_PI * node->x[(d + 1) % DIM] / (double)m->side);
	}
}

static void momentum(const struct mesh *m, double ret_p[DIM])
{
	for (int d = 0; d < DIM; d++)
		ret_p[d] = 0;
	for (size_t i = 0; i < m->n_nodes; i++)
		for (int d = 0; d < DIM; d++)
			ret_p[d] += m->nodes[i].mass * m->nodes[i].v[d];
}

/*
 * Kinetic plus elastic energy; velocities are half a step behind displacements, so kinetic energy
 * is that of the product of the velocities before and after: then the sum is exactly conserved.
 */
static double energy(struct mesh *m)
{
	double sum = 0;

	stress(m);
#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (size_t i = 0; i < m->n_nodes; i++) {
		const struct node *node = &m->nodes[i];
		double f[DIM];

		gather_force(m, node, f);
		for (int d = 0; d < DIM; d++) {
			double next = node->v[d] + dt * f[d] / node->mass;

			sum += 0.5 * node->mass * node->v[d] * next - 0.5 * f[d] * node->u[d];
			sum += 0.25 * node->mass * (next - node->v[d]) * (next - node->v[d]);
		}
	}
	return sum;
}

/*
 * Patch test: in a uniformly strained body, however distorted the mesh, nothing pulls at a node
 * inside, and the stress is what Hooke's law says.
 */
static double patch_error(void)
{
	static const double strain[DIM][DIM] = {{1, 2, 3}, {-1, 0.5, 2}, {0.3, 4, -2}};
	struct mesh m = make_mesh(6, 7, false);
	double error = 0, f[DIM];

	for (size_t i = 0; i < m.n_nodes; i++)
		for (int a = 0; a < DIM; a++)
			for (int b = 0; b < DIM; b++)
				m.nodes[i].u[a] += strain[a][b] * m.nodes[i].x[b];
	stress(&m);
	for (size_t i = 0; i < m.n_nodes; i++) {
		gather_force(&m, &m.nodes[i], f);
		for (int d = 0; d < DIM && is_inside(&m, i); d++)
			error = fmax(error, fabs(f[d]));
	}
	for (size_t i = 0; i < m.n_elements; i++) {
		const struct element *e = &m.elements[i];

		/* lambda tr + 2 mu e on the diagonal, mu (g + g^T) beside it, with lambda = mu = 1
		 */
		error = fmax(error, fabs(e->stress[0][0] - (-0.5 + 2)));
		error = fmax(error, fabs(e->stress[1][1] - (-0.5 + 1)));
		error = fmax(error, fabs(e->stress[2][2] - (-0.5 - 4)));
		error = fmax(error, fabs(e->stress[0][1] - 1));
		error = fmax(error, fabs(e->stress[0][2] - 3.3));
		error = fmax(error, fabs(e->stress[1][2] - 6));
	}
	free_mesh(&m);
	return error;
}

int main(int argc, char **argv)
{
	struct wl_run run = wl_start(&program, argc, argv);
	double before[DIM], after[DIM], energy_before, change = 0, work;
	struct mesh m;
	uint64_t hash;

	if (run.size < 2 || run.size > 560)
		wl_usage("--size must be 2 to 560 (32-bit lists)");
	m = make_mesh((size_t)run.size, run.seed, run.touch_parallel);
	set_swing(&m);
	momentum(&m, before);
	energy_before = energy(&m);

	wl_begin();
	for (long i = 0; i < run.iterations; i++) {
		stress(&m);
		move(&m);
	}
	wl_end();

	wl_corrupt(&m.nodes[m.n_nodes / 2].v[1]);
	momentum(&m, after);
	for (int d = 0; d < DIM; d++)
		change = fmax(change, fabs(after[d] - before[d]));
	wl_check("momentum is conserved", change, 1e-12 * (double)m.n_nodes);
	wl_check("energy is conserved", fabs(energy(&m) / energy_before - 1), 1e-3);
	wl_check("patch test", patch_error(), 1e-12);
	hash = wl_hash(m.nodes, m.n_nodes * sizeof(*m.nodes));
	work = (double)m.n_elements * (double)run.iterations * 1e-6;
	free_mesh(&m);
	return wl_finish(work, hash);
}
