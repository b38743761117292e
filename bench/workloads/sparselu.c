/* SPDX-License-Identifier: MIT */
/*
 * Pattern: sparse LU factorisation by tasks: a matrix of blocks, each a malloc of its own, some of
 * which only come into being during the factorisation (fill-in), by whichever thread it is.
 * Mail rows: botsspar (OMP2012).
 *
 * Why THP may help: blocks of 32 KiB are used again and again, from one page instead of eight.
 * Why it may hurt: tasks go to any thread, so a block is seldom where it was first touched; huge
 * pages hold blocks of several threads.
 */
#include "wl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { B = 64 }; /* a block is B x B */

static const struct wl_program program = {
	.name = "sparselu",
	.help = "LU factorisation of a sparse matrix of 64 x 64 blocks by tasks",
	.size_unit = "blocks along each side",
	.metric_unit = "GFlop/s",
	.size = {6, 32, 120, 400},
	.iterations = {1, 1, 1, 1},
};

static struct wl_run run;
static long n; /* blocks along a side */

/* The diagonal, its neighbours, and about a fifth of the rest. */
static bool is_filled(long i, long j)
{
	return labs(i - j) <= 1 || wl_random(run.seed, (uint64_t)(i * n + j)) % 5 == 0;
}

/* Diagonally dominant, so that no pivoting is needed. */
static double element(long i, long j, int r, int c)
{
	uint64_t at = (uint64_t)(i * n + j) * B * B + (uint64_t)(r * B + c);

	return i == j && r == c ? (double)(n * B) : wl_unit(run.seed + 1, at) - 0.5;
}

static double *make_block(long i, long j)
{
	double *block = wl_alloc(B * B * sizeof(*block));

	for (int r = 0; r < B; r++)
		for (int c = 0; c < B; c++)
			block[r * B + c] = element(i, j, r, c);
	return block;
}

/* a = l u in place, l with ones on its diagonal. */
static void factorise(double *a)
{
	for (int k = 0; k < B; k++) {
		for (int i = k + 1; i < B; i++) {
			double factor = a[i * B + k] /= a[k * B + k];

			for (int j = k + 1; j < B; j++)
				a[i * B + j] -= factor * a[k * B + j];
		}
	}
}

/* a = l^-1 a */
static void solve_lower(const double *l, double *a)
{
	for (int k = 0; k < B; k++)
		for (int i = k + 1; i < B; i++)
			for (int j = 0; j < B; j++)
				a[i * B + j] -= l[i * B + k] * a[k * B + j];
}

/* a = a u^-1 */
static void solve_upper(const double *u, double *a)
{
	for (int i = 0; i < B; i++) {
		for (int k = 0; k < B; k++) {
			double factor = a[i * B + k] /= u[k * B + k];

			for (int j = k + 1; j < B; j++)
				a[i * B + j] -= factor * u[k * B + j];
		}
	}
}

/* *a -= l u; the block comes into being if it was empty. */
static void update(const double *l, const double *u, double **a)
{
	if (!*a) {
		*a = wl_alloc(B * B * sizeof(**a));
		memset(*a, 0, B * B * sizeof(**a));
	}
	for (int i = 0; i < B; i++) {
		double *restrict row = *a + i * B;

		for (int k = 0; k < B; k++)
			for (int j = 0; j < B; j++)
				row[j] -= l[i * B + k] * u[k * B + j];
	}
}

/* Which blocks are filled at the end decides which tasks there are; returns how many operations. */
static double plan(bool *filled)
{
	double flops = 0;

	for (long i = 0; i < n * n; i++)
		filled[i] = is_filled(i / n, i % n);
	for (long k = 0; k < n; k++) {
		for (long i = k + 1; i < n; i++) {
			for (long j = k + 1; j < n; j++) {
				if (!filled[i * n + k] || !filled[k * n + j])
					continue;
				filled[i * n + j] = true;
				flops += 2. * B * B * B;
			}
		}
	}
	return flops;
}

/* Order between tasks that touch the same block is kept by the depend clauses alone. */
static void factorise_matrix(double **a, const bool *filled)
{
#pragma omp parallel
#pragma omp single
	for (long k = 0; k < n; k++) {
#pragma omp task depend(inout : a[k * n + k])
		factorise(a[k * n + k]);
		for (long j = k + 1; j < n; j++) {
			if (filled[k * n + j]) {
#pragma omp task depend(in : a[k * n + k]) depend(inout : a[k * n + j])
				solve_lower(a[k * n + k], a[k * n + j]);
			}
			if (filled[j * n + k]) {
#pragma omp task depend(in : a[k * n + k]) depend(inout : a[j * n + k])
				solve_upper(a[k * n + k], a[j * n + k]);
			}
		}
		for (long i = k + 1; i < n; i++) {
			for (long j = k + 1; j < n; j++) {
				if (!filled[i * n + k] || !filled[k * n + j])
					continue;
#pragma omp task depend(in : a[i * n + k], a[k * n + j]) depend(inout : a[i * n + j])
				update(a[i * n + k], a[k * n + j], &a[i * n + j]);
			}
		}
	}
}

/* y = A x from the elements' definition. */
static void multiply_original(const double *x, double *y)
{
#pragma omp parallel for
	for (long i = 0; i < n; i++) {
		for (int r = 0; r < B; r++) {
			double sum = 0;

			for (long j = 0; j < n; j++)
				for (int c = 0; is_filled(i, j) && c < B; c++)
					sum += element(i, j, r, c) * x[j * B + c];
			y[i * B + r] = sum;
		}
	}
}

/* y = L (U x) from the factors; row by row, first U downwards, then L upwards, in place. */
static void multiply_factors(double *const *a, const double *x, double *y)
{
	for (long row = 0; row < n * B; row++) {
		y[row] = 0;
		for (long j = row / B; j < n; j++)
			for (long c = 0; a[row / B * n + j] && c < B; c++)
				if (j * B + c >= row)
					y[row] +=
						a[row / B * n + j][row % B * B + c] * x[j * B + c];
	}
	for (long row = n * B - 1; row >= 0; row--)
		for (long j = 0; j <= row / B; j++)
			for (long c = 0; a[row / B * n + j] && c < B; c++)
				if (j * B + c < row)
					y[row] +=
						a[row / B * n + j][row % B * B + c] * y[j * B + c];
}

int main(int argc, char **argv)
{
	double **a, *x, *y, *z, flops, error = 0;
	uint64_t hash = 0;
	bool *filled;

	run = wl_start(&program, argc, argv);
	n = run.size;
	if (n < 2 || n > 10000)
		wl_usage("--size must be 2 to 10000");
	if (run.iterations > 1)
		wl_usage("a matrix is factorised once; choose a --size instead of --iterations");
	filled = wl_alloc((size_t)(n * n) * sizeof(*filled));
	a = wl_alloc((size_t)(n * n) * sizeof(*a));
	flops = plan(filled);
	/* By tasks and not by rows: in the original, too, any thread makes any block. */
#pragma omp parallel for schedule(dynamic)
	for (long i = 0; i < n * n; i++)
		a[i] = is_filled(i / n, i % n) ? make_block(i / n, i % n) : NULL;

	wl_begin();
	factorise_matrix(a, filled);
	wl_end();

	wl_corrupt(&a[(n / 2) * n + n / 2][B + 1]);
	x = wl_alloc((size_t)(n * B) * sizeof(*x));
	y = wl_alloc((size_t)(n * B) * sizeof(*y));
	z = wl_alloc((size_t)(n * B) * sizeof(*z));
	for (long i = 0; i < n * B; i++)
		x[i] = wl_unit(run.seed + 2, (uint64_t)i) - 0.5;
	multiply_original(x, y);
	multiply_factors(a, x, z);
	for (long i = 0; i < n * B; i++)
		error = fmax(error, fabs(y[i] - z[i]));
	wl_check("L times U is A", error / (double)(n * B), 1e-13);
	for (long i = 0; i < n * n; i++) {
		if (a[i])
			hash += wl_random(wl_hash(a[i], B * B * sizeof(**a)), (uint64_t)i);
		free(a[i]);
	}
	free(a);
	free(filled);
	free(x);
	free(y);
	free(z);
	return wl_finish(flops * 1e-9, hash);
}
