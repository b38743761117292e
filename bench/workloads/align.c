/* SPDX-License-Identifier: MIT */
/*
 * Pattern: task-parallel alignment of all pairs of a set of protein-like sequences: a task for each
 * pair, working in a few KiB. The null control: it computes, and memory hardly matters.
 * Mail rows: botsalgn (OMP2012).
 *
 * Scores are those of global alignment with affine gaps (opening costs more than extending).
 *
 * Why THP may help or hurt: it should do neither; a difference here says that the measurement, not
 * the page size, makes differences.
 */
#include "wl.h"

#include <limits.h>
#include <stdlib.h>

enum { LETTERS = 20, GAP_OPEN = 11, GAP_EXTEND = 1, MINUS_INFINITY = INT_MIN / 2 };

static const struct wl_program program = {
	.name = "align",
	.help = "alignment of all pairs of sequences by tasks: compute-bound",
	.size_unit = "sequences",
	.metric_unit = "Mcells/s",
	.size = {8, 48, 200, 1000},
	.iterations = {1, 1, 1, 1},
};

struct sequence {
	int length;
	unsigned char *letter;
};

static int score[LETTERS][LETTERS];

/* Equal letters 4 to 8, others -4 to 2, symmetric: as substitution tables of proteins are. */
static void make_scores(uint64_t seed)
{
	for (int a = 0; a < LETTERS; a++) {
		for (int b = 0; b <= a; b++) {
			int random = (int)(wl_random(seed, (uint64_t)(a * LETTERS + b)) % 1000);

			score[a][b] = score[b][a] = a == b ? 4 + random % 5 : random % 7 - 4;
		}
	}
}

static struct sequence make_sequence(uint64_t seed, long number)
{
	struct sequence s = {.length = 300 + (int)(wl_random(seed, (uint64_t)number) % 400)};

	s.letter = wl_alloc((size_t)s.length);
	for (int i = 0; i < s.length; i++)
		s.letter[i] =
			(unsigned char)(wl_random(seed + 1, (uint64_t)number << 32 | (uint64_t)i) %
					LETTERS);
	return s;
}

static int max(int a, int b)
{
	return a > b ? a : b;
}

/* Row by row in linear space: best[j] and the best that ends with a gap in b. */
static int align(const struct sequence *a, const struct sequence *b)
{
	int *best = wl_alloc(((size_t)b->length + 1) * 2 * sizeof(*best));
	int *gap_b = best + b->length + 1, result;

	best[0] = 0;
	gap_b[0] = MINUS_INFINITY;
	for (int j = 1; j <= b->length; j++) {
		best[j] = -GAP_OPEN - GAP_EXTEND * j;
		gap_b[j] = MINUS_INFINITY;
	}
	for (int i = 1; i <= a->length; i++) {
		const int *row = score[a->letter[i - 1]];
		int diagonal = best[0], gap_a = MINUS_INFINITY;

		best[0] = -GAP_OPEN - GAP_EXTEND * i;
		for (int j = 1; j <= b->length; j++) {
			int match = diagonal + row[b->letter[j - 1]];

			gap_b[j] = max(gap_b[j], best[j] - GAP_OPEN) - GAP_EXTEND;
			gap_a = max(gap_a, best[j - 1] - GAP_OPEN) - GAP_EXTEND;
			diagonal = best[j];
			best[j] = max(match, max(gap_a, gap_b[j]));
		}
	}
	result = best[b->length];
	free(best);
	return result;
}

/*
 * The same from the definition alone: a gap of every length is tried at every place, O(n^3), with
 * no gap states. For the first letters of two sequences only.
 */
static int align_by_definition(const struct sequence *a, const struct sequence *b)
{
	int width = b->length + 1, result;
	int *best = wl_alloc((size_t)(a->length + 1) * (size_t)width * sizeof(*best));

	for (int i = 0; i <= a->length; i++) {
		for (int j = 0; j <= b->length; j++) {
			int value = i || j ? MINUS_INFINITY : 0;

			if (i && j)
				value = best[(i - 1) * width + j - 1] +
					score[a->letter[i - 1]][b->letter[j - 1]];
			for (int k = 1; k <= i; k++)
				value = max(value,
					    best[(i - k) * width + j] - GAP_OPEN - GAP_EXTEND * k);
			for (int k = 1; k <= j; k++)
				value = max(value,
					    best[i * width + j - k] - GAP_OPEN - GAP_EXTEND * k);
			best[i * width + j] = value;
		}
	}
	result = best[a->length * width + b->length];
	free(best);
	return result;
}

/* Aligned backwards, the second with the first, a pair has the same score. */
static int align_mirrored(const struct sequence *a, const struct sequence *b)
{
	struct sequence mirror[2] = {*b, *a};
	int result;

	for (int m = 0; m < 2; m++) {
		const unsigned char *letter = mirror[m].letter;

		mirror[m].letter = wl_alloc((size_t)mirror[m].length);
		for (int i = 0; i < mirror[m].length; i++)
			mirror[m].letter[i] = letter[mirror[m].length - 1 - i];
	}
	result = align(&mirror[0], &mirror[1]);
	free(mirror[0].letter);
	free(mirror[1].letter);
	return result;
}

static struct sequence beginning(const struct sequence *s)
{
	struct sequence part = *s;

	part.length = 60;
	return part;
}

int main(int argc, char **argv)
{
	struct wl_run run = wl_start(&program, argc, argv);
	long n = run.size, n_pairs = n * (n - 1) / 2;
	struct sequence *s;
	int *result;
	double cells = 0, wrong = 0, wrong_mirrored = 0;
	uint64_t hash;

	if (n < 2 || n > 100000)
		wl_usage("--size must be 2 to 100000");
	make_scores(run.seed);
	s = wl_alloc((size_t)n * sizeof(*s));
	result = wl_alloc((size_t)n_pairs * sizeof(*result));
	for (long i = 0; i < n; i++)
		s[i] = make_sequence(run.seed + 1, i);

	wl_begin();
	for (long iteration = 0; iteration < run.iterations; iteration++) {
#pragma omp parallel
#pragma omp single
		for (long i = 1; i < n; i++)
			for (long j = 0; j < i; j++)
#pragma omp task firstprivate(i, j)
				result[i * (i - 1) / 2 + j] = align(&s[i], &s[j]);
	}
	wl_end();

	if (wl_corrupt_wanted())
		result[n_pairs / 2]++;
	/* About fifty pairs, among them the middle one. */
	for (long i = 1; i < n; i++) {
		for (long j = 0; j < i; j++) {
			long pair = i * (i - 1) / 2 + j;
			struct sequence a = beginning(&s[i]), b = beginning(&s[j]);

			cells += (double)s[i].length * s[j].length;
			if ((pair - n_pairs / 2) % (n_pairs / 50 + 1))
				continue;
			wrong += align(&a, &b) != align_by_definition(&a, &b);
			wrong_mirrored += result[pair] != align_mirrored(&s[i], &s[j]);
		}
	}
	wl_check("beginnings score what the definition says", wrong, 0);
	wl_check("mirrored pairs score the same", wrong_mirrored, 0);
	hash = wl_hash(result, (size_t)n_pairs * sizeof(*result));
	for (long i = 0; i < n; i++)
		free(s[i].letter);
	free(s);
	free(result);
	return wl_finish(cells * (double)run.iterations * 1e-6, hash);
}
