/* SPDX-License-Identifier: MIT */
/*
 * Pattern: long vectors streamed from and to memory: copy, scale, add, triad, in GB/s.
 * Mail rows: none; the mail claims that THP costs 1 to 2 % of local bandwidth, which compare can
 * test with --metric '^name=bandwidth.triad .* metric=([0-9.e+]+)'.
 *
 * Why THP may help: fewer page walks, and hardware prefetchers that stop at 4 KiB go on.
 * Why it may hurt: vectors that start alike in 2 MiB pages use the same cache sets and DRAM banks;
 * at the borders of the threads' parts a huge page belongs to two nodes.
 */
#include "wl.h"

#include <math.h>
#include <stdlib.h>

enum { COPY, SCALE, ADD, TRIAD, N_KERNELS };

static const char *const kernel_names[N_KERNELS] = {"copy", "scale", "add", "triad"};
static const double vectors_moved[N_KERNELS] = {2, 2, 3, 3};
static const double factor = 0.4;

static const struct wl_program program = {
	.name = "bandwidth",
	.help = "copy, scale, add and triad of long vectors; one line for each, best iteration",
	.size_unit = "elements of each of the three vectors (8 bytes each)",
	.metric_unit = "GB/s",
	.size = {50000, 10000000, 100000000, 2000000000},
	.iterations = {3, 15, 20, 20},
	.has_touch = true,
};

static void run_kernel(int kernel, long n, double *a, double *b, double *c)
{
	switch (kernel) {
	case COPY:
#pragma omp parallel for schedule(static)
		for (long i = 0; i < n; i++)
			c[i] = a[i];
		break;
	case SCALE:
#pragma omp parallel for schedule(static)
		for (long i = 0; i < n; i++)
			b[i] = factor * c[i];
		break;
	case ADD:
#pragma omp parallel for schedule(static)
		for (long i = 0; i < n; i++)
			c[i] = a[i] + b[i];
		break;
	default:
#pragma omp parallel for schedule(static)
		for (long i = 0; i < n; i++)
			a[i] = b[i] + factor * c[i];
	}
}

int main(int argc, char **argv)
{
	struct wl_run run = wl_start(&program, argc, argv);
	long n = run.size;
	size_t bytes = (size_t)n * sizeof(double);
	double *a = wl_alloc(bytes), *b = wl_alloc(bytes), *c = wl_alloc(bytes);
	double best[N_KERNELS], moved = 0, growth, error = 0;
	uint64_t hash;

#pragma omp parallel for schedule(static) if (run.touch_parallel)
	for (long i = 0; i < n; i++) {
		a[i] = 1 + (double)((uint64_t)i % 1024) + (double)(run.seed % 1024);
		b[i] = 0;
		c[i] = 0;
	}

	for (int k = 0; k < N_KERNELS; k++)
		best[k] = INFINITY;
	wl_begin();
	for (long iteration = 0; iteration < run.iterations; iteration++) {
		for (int k = 0; k < N_KERNELS; k++) {
			double seconds = wl_now();

			run_kernel(k, n, a, b, c);
			seconds = wl_now() - seconds;
			best[k] = fmin(best[k], seconds);
			moved += vectors_moved[k] * (double)bytes * 1e-9;
		}
	}
	wl_end();

	/* One iteration: c = a, b = f c, c = a + b, a = b + f c, so a grows by f + f (1 + f). */
	wl_corrupt(&a[n / 2]);
	growth = pow(factor * (2 + factor), (double)run.iterations);
#pragma omp parallel for schedule(static) reduction(max : error)
	for (long i = 0; i < n; i++) {
		double first = 1 + (double)((uint64_t)i % 1024) + (double)(run.seed % 1024);
		double e = fabs(a[i] / (first * growth) - 1);
		/* b and c are those of the last iteration, before a grew for the last time. */
		double before = a[i] / (factor * (2 + factor));

		e = fmax(e, fabs(b[i] / (factor * before) - 1));
		e = fmax(e, fabs(c[i] / ((1 + factor) * before) - 1));
		error = fmax(error, e);
	}
	wl_check("vectors have grown as the algebra says", error,
		 1e-13 * (double)run.iterations + 1e-14);
	hash = wl_hash(a, bytes) + wl_hash(b, bytes) + wl_hash(c, bytes);
	for (int k = 0; k < N_KERNELS; k++)
		wl_print(kernel_names[k], best[k], vectors_moved[k] * (double)bytes * 1e-9, hash);
	free(a);
	free(b);
	free(c);
	return wl_finish(moved, hash);
}
