/* SPDX-License-Identifier: MIT */
/*
 * Pattern: neural-net matching: a window moves over an image, and at each place all neurons are
 * compared with it; every thread has its own copy of the weights.
 * Mail rows: art (OMPL2001).
 *
 * The net is of the adaptive-resonance kind: bottom-up weights choose the neuron that answers
 * most, its top-down weights must resemble the window closely enough (vigilance).
 *
 * Why THP may help (0.8 in the mail): a thread's copy is private, large and reused: huge pages
 * place it as well as small ones and save TLB misses.
 * Why it may hurt: only if the copies are first touched by one thread (--touch serial).
 */
#include "wl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIN = 16, INPUTS = WIN * WIN };

static const struct wl_program program = {
	.name = "match",
	.help = "neural-net matching, private weights for each thread",
	.size_unit = "neurons (2 KB each and thread)",
	.metric_unit = "Gweights/s",
	.size = {64, 16384, 65536, 262144},
	.iterations = {100, 300, 2000, 20000},
	.has_touch = true,
};

static const double vigilance = 0.9, noise = 0.1;

static struct wl_run run;
static size_t n_neurons, n_windows;

/* The pattern that a neuron has learned, before normalisation. */
static double learned(size_t neuron, size_t input)
{
	return wl_unit(run.seed, neuron * INPUTS + input) - 0.5;
}

/* Every other window shows a learned pattern with noise, the rest show something else. */
static bool is_planted(size_t window)
{
	return window % 2 == 0;
}

static size_t planted_neuron(size_t window)
{
	return wl_random(run.seed + 1, window) % n_neurons;
}

static double pixel(size_t window, size_t input)
{
	double random = wl_unit(run.seed + 2, window * INPUTS + input) - 0.5;

	return is_planted(window) ? learned(planted_neuron(window), input) + noise * random
				  : random;
}

static void normalise(double *vector)
{
	double norm = 0;

	for (size_t i = 0; i < INPUTS; i++)
		norm += vector[i] * vector[i];
	norm = sqrt(norm);
	for (size_t i = 0; i < INPUTS; i++)
		vector[i] /= norm;
}

/* weights[input * n_neurons + neuron]: the answers of all neurons grow side by side. */
static double *make_weights(void)
{
	double *weights = wl_alloc(n_neurons * INPUTS * sizeof(*weights));

#pragma omp parallel for schedule(static)
	for (size_t j = 0; j < n_neurons; j++) {
		double vector[INPUTS];

		for (size_t i = 0; i < INPUTS; i++)
			vector[i] = learned(j, i);
		normalise(vector);
		for (size_t i = 0; i < INPUTS; i++)
			weights[i * n_neurons + j] = vector[i];
	}
	return weights;
}

struct match {
	double likeness; /* cosine between window and weights */
	size_t neuron;
	bool resonates;
};

static struct match look(const double *weights, const double *window, double *answer)
{
	struct match match = {0};

	memset(answer, 0, n_neurons * sizeof(*answer));
	for (size_t i = 0; i < INPUTS; i++)
		for (size_t j = 0; j < n_neurons; j++)
			answer[j] += window[i] * weights[i * n_neurons + j];
	for (size_t j = 1; j < n_neurons; j++)
		if (answer[j] > answer[match.neuron])
			match.neuron = j;
	/* Top-down: does what the neuron expects agree with the window? */
	for (size_t i = 0; i < INPUTS; i++)
		match.likeness += window[i] * weights[i * n_neurons + match.neuron];
	match.resonates = match.likeness >= vigilance;
	return match;
}

static void fill_window(size_t number, double *window)
{
	for (size_t i = 0; i < INPUTS; i++)
		window[i] = pixel(number, i);
	normalise(window);
}

/* What the net must have found, from the patterns themselves and not from the weights. */
static double count_wrong(const struct match *matches)
{
	double wrong = 0;

#pragma omp parallel for reduction(+ : wrong)
	for (size_t w = 0; w < n_windows; w++) {
		double pattern[INPUTS], window[INPUTS], likeness = 0;

		for (size_t i = 0; i < INPUTS; i++)
			pattern[i] = learned(matches[w].neuron, i);
		normalise(pattern);
		fill_window(w, window);
		for (size_t i = 0; i < INPUTS; i++)
			likeness += pattern[i] * window[i];
		wrong += !(fabs(likeness - matches[w].likeness) <= 1e-12) ||
			 matches[w].resonates != is_planted(w) ||
			 (is_planted(w) && matches[w].neuron != planted_neuron(w));
	}
	return wrong;
}

int main(int argc, char **argv)
{
	size_t bytes;
	double *original, **copies;
	struct match *matches;
	uint64_t hash = 0;

	run = wl_start(&program, argc, argv);
	n_neurons = (size_t)run.size;
	n_windows = (size_t)run.iterations;
	bytes = n_neurons * INPUTS * sizeof(double);
	matches = wl_alloc(n_windows * sizeof(*matches));
	copies = wl_alloc((size_t)run.threads * sizeof(*copies));
	original = make_weights();
#pragma omp parallel for schedule(static, 1) if (run.touch_parallel)
	for (int t = 0; t < run.threads; t++) {
		copies[t] = wl_alloc(bytes);
		memcpy(copies[t], original, bytes);
	}

	wl_begin();
#pragma omp parallel for schedule(static, 1)
	for (int t = 0; t < run.threads; t++) {
		double window[INPUTS], *answer = wl_alloc(n_neurons * sizeof(*answer));

		for (size_t w = (size_t)t; w < n_windows; w += (size_t)run.threads) {
			fill_window(w, window);
			matches[w] = look(copies[t], window, answer);
		}
		free(answer);
	}
	wl_end();

	wl_corrupt(&matches[n_windows / 2].likeness);
	wl_check("planted patterns are found, others are not", count_wrong(matches), 0);
	for (size_t w = 0; w < n_windows; w++)
		hash += wl_random(matches[w].neuron * 2 + matches[w].resonates,
				  w + (uint64_t)llround(matches[w].likeness * 0x1p40));
	for (int t = 0; t < run.threads; t++)
		free(copies[t]);
	free(copies);
	free(original);
	free(matches);
	return wl_finish((double)n_windows * (double)n_neurons * INPUTS * 1e-9, hash);
}
