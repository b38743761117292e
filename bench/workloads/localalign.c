/* SPDX-License-Identifier: MIT */
/*
 * Pattern: Smith-Waterman: best local alignment of two long sequences; the table is filled block by
 * block along its diagonal by tasks, and a byte for each cell is kept to trace the path back.
 * Mail rows: smithwa (OMP2012).
 *
 * Why THP may help: the table of steps is large, written once, by rows of blocks far apart.
 * Why it may hurt: hardly (1.0 in the mail): a cell costs more arithmetic than memory.
 */
#include "wl.h"

#include <stdlib.h>

enum { LETTERS = 4, BLOCK = 512, MATCH = 5, MISMATCH = -4, GAP_OPEN = 10, GAP_EXTEND = 1 };

/* A cell's byte: where the best score and where the two gap scores come from. */
enum {
	FROM_NOTHING = 0,
	FROM_DIAGONAL = 1,
	FROM_GAP_A = 2, /* a letter of b against a gap in a */
	FROM_GAP_B = 3,
	BEST_MASK = 3,
	GAP_A_EXTENDS = 4,
	GAP_B_EXTENDS = 8,
};

static const struct wl_program program = {
	.name = "localalign",
	.help = "Smith-Waterman alignment of two long sequences with traceback",
	.size_unit = "letters of each sequence (one byte for each pair)",
	.metric_unit = "Mcells/s",
	.size = {1200, 13000, 60000, 250000},
	.iterations = {1, 1, 1, 1},
	.has_touch = true,
};

struct table {
	long n;                        /* letters of each sequence */
	unsigned char *a, *b;          /* letters */
	unsigned char *step;           /* n * n bytes, row i belongs to a[i] */
	int *row_best, *row_gap;       /* scores that leave a block at its lower edge, by column */
	int *column_best, *column_gap; /* and at its right edge, by row */
	int *corner;                   /* of each block: best score of its last cell */
	long n_blocks;                 /* along a side */
	struct peak *peak;             /* of each block */
};

struct peak {
	int score;
	long i, j;
};

static int max(int a, int b)
{
	return a > b ? a : b;
}

/* b is random but for a stretch in its middle, where it is a with every 16th letter changed. */
static void make_letters(struct table *t, uint64_t seed)
{
	for (long i = 0; i < t->n; i++) {
		uint64_t random = wl_random(seed, (uint64_t)i);
		bool planted = i > t->n / 3 && i < t->n * 2 / 3 && i % 16;

		t->a[i] = (unsigned char)(random % LETTERS);
		t->b[i] = planted ? t->a[i] : (unsigned char)(random >> 32) % LETTERS;
	}
}

static void fill_cell(struct table *t, long i, long j, int diagonal, int left, int *gap_a,
		      int *best, int *gap_b)
{
	int match = diagonal + (t->a[i] == t->b[j] ? MATCH : MISMATCH);
	unsigned char step = 0;
	int result = 0;

	/* *gap_a comes from the left, *gap_b and *best from above. */
	if (*gap_a - GAP_EXTEND > left - GAP_OPEN)
		step |= GAP_A_EXTENDS;
	*gap_a = max(*gap_a - GAP_EXTEND, left - GAP_OPEN);
	if (*gap_b - GAP_EXTEND > *best - GAP_OPEN)
		step |= GAP_B_EXTENDS;
	*gap_b = max(*gap_b - GAP_EXTEND, *best - GAP_OPEN);
	if (match > result) {
		result = match;
		step = (unsigned char)((step & ~BEST_MASK) | FROM_DIAGONAL);
	}
	if (*gap_a > result) {
		result = *gap_a;
		step = (unsigned char)((step & ~BEST_MASK) | FROM_GAP_A);
	}
	if (*gap_b > result) {
		result = *gap_b;
		step = (unsigned char)((step & ~BEST_MASK) | FROM_GAP_B);
	}
	*best = result;
	t->step[i * t->n + j] = step;
}

static long block_end(const struct table *t, long block)
{
	return (block + 1) * BLOCK < t->n ? (block + 1) * BLOCK : t->n;
}

/* Scores enter from the blocks above and to the left and leave to those below and to the right. */
static void fill_block(struct table *t, long bi, long bj)
{
	struct peak peak = {0, 0, 0};
	long i_end = block_end(t, bi), j_end = block_end(t, bj);
	int above_left = bi && bj ? t->corner[(bi - 1) * t->n_blocks + bj - 1] : 0;

	for (long i = bi * BLOCK; i < i_end; i++) {
		int diagonal = above_left, left = t->column_best[i], gap_a = t->column_gap[i];

		above_left = left;
		for (long j = bj * BLOCK; j < j_end; j++) {
			int above = t->row_best[j];

			fill_cell(t, i, j, diagonal, left, &gap_a, &t->row_best[j], &t->row_gap[j]);
			diagonal = above;
			left = t->row_best[j];
			if (left > peak.score)
				peak = (struct peak){left, i, j};
		}
		t->column_best[i] = left;
		t->column_gap[i] = gap_a;
	}
	t->corner[bi * t->n_blocks + bj] = t->row_best[j_end - 1];
	t->peak[bi * t->n_blocks + bj] = peak;
}

static struct peak fill_table(struct table *t)
{
	struct peak best = {0, 0, 0};

	for (long i = 0; i < t->n; i++) {
		t->row_best[i] = t->column_best[i] = 0;
		t->row_gap[i] = t->column_gap[i] = -GAP_OPEN;
	}
#pragma omp parallel
#pragma omp single
	for (long bi = 0; bi < t->n_blocks; bi++) {
		for (long bj = 0; bj < t->n_blocks; bj++) {
			long above = (bi ? bi - 1 : 0) * t->n_blocks + bj;
			long before = bi * t->n_blocks + (bj ? bj - 1 : 0);

			/* A block waits for the one above it and the one before it. */
#pragma omp task firstprivate(bi, bj) depend(in                                                    \
					     : t->corner[above], t->corner[before])                \
	depend(out                                                                                 \
	       : t->corner[bi * t->n_blocks + bj])
			fill_block(t, bi, bj);
		}
	}
	for (long i = 0; i < t->n_blocks * t->n_blocks; i++)
		if (t->peak[i].score > best.score)
			best = t->peak[i];
	return best;
}

/* Follows the steps back from the peak and adds up what the path they describe is worth. */
static int score_of_path(const struct table *t, struct peak peak)
{
	long i = peak.i, j = peak.j;
	int score = 0;

	while (i >= 0 && j >= 0) {
		unsigned char step = t->step[i * t->n + j];

		switch (step & BEST_MASK) {
		case FROM_NOTHING:
			return score;
		case FROM_DIAGONAL:
			score += t->a[i] == t->b[j] ? MATCH : MISMATCH;
			i--;
			j--;
			break;
		case FROM_GAP_A:
			for (; j > 0 && t->step[i * t->n + j] & GAP_A_EXTENDS; j--)
				score -= GAP_EXTEND;
			score -= GAP_OPEN;
			j--;
			break;
		default:
			for (; i > 0 && t->step[i * t->n + j] & GAP_B_EXTENDS; i--)
				score -= GAP_EXTEND;
			score -= GAP_OPEN;
			i--;
		}
	}
	return score;
}

static struct table make_table(long n, uint64_t seed, bool parallel)
{
	struct table t = {.n = n, .n_blocks = (n + BLOCK - 1) / BLOCK};
	size_t blocks = (size_t)(t.n_blocks * t.n_blocks), letters = (size_t)n;

	t.a = wl_alloc(letters);
	t.b = wl_alloc(letters);
	t.step = wl_alloc(letters * letters);
	t.row_best = wl_alloc(letters * sizeof(int));
	t.row_gap = wl_alloc(letters * sizeof(int));
	t.column_best = wl_alloc(letters * sizeof(int));
	t.column_gap = wl_alloc(letters * sizeof(int));
	t.corner = wl_alloc(blocks * sizeof(*t.corner));
	t.peak = wl_alloc(blocks * sizeof(*t.peak));
	make_letters(&t, seed);
#pragma omp parallel for schedule(static) if (parallel)
	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++)
			t.step[i * n + j] = 0;
	return t;
}

static void free_table(struct table *t)
{
	free(t->a);
	free(t->b);
	free(t->step);
	free(t->row_best);
	free(t->row_gap);
	free(t->column_best);
	free(t->column_gap);
	free(t->corner);
	free(t->peak);
}

/* The best score from the definition, row by row over the whole table, gaps of every length tried.
 */
static int score_by_definition(const struct table *t)
{
	long n = t->n;
	int *best = wl_alloc((size_t)(n * n) * sizeof(*best)), result = 0;

	for (long i = 0; i < n; i++) {
		for (long j = 0; j < n; j++) {
			int value = t->a[i] == t->b[j] ? MATCH : MISMATCH;

			value += i && j ? best[(i - 1) * n + j - 1] : 0;
			value = max(value, 0);
			for (int k = 1; k <= i; k++)
				value = max(value, best[(i - k) * n + j] - GAP_OPEN -
							   GAP_EXTEND * (k - 1));
			for (int k = 1; k <= j; k++)
				value = max(value,
					    best[i * n + j - k] - GAP_OPEN - GAP_EXTEND * (k - 1));
			best[i * n + j] = value;
			result = max(result, value);
		}
	}
	free(best);
	return result;
}

/* A table of four blocks: what is alike is shifted by a gap and goes on through their corner. */
static int difference_from_definition(uint64_t seed)
{
	enum { SIDE = BLOCK + 60, SHIFT = 3 };
	struct table t = make_table(SIDE, seed, false);
	int difference;

	for (long i = SIDE / 4; i < SIDE; i++)
		t.b[i] = t.a[i < SIDE / 2 ? i - SHIFT : i];
	difference = abs(fill_table(&t).score - score_by_definition(&t));
	free_table(&t);
	return difference;
}

int main(int argc, char **argv)
{
	struct wl_run run = wl_start(&program, argc, argv);
	struct peak best = {0, 0, 0};
	struct table t;
	uint64_t hash;
	double work;

	if (run.size < 64 || run.size > 4000000)
		wl_usage("--size must be 64 to 4000000");
	t = make_table(run.size, run.seed, run.touch_parallel);

	wl_begin();
	for (long i = 0; i < run.iterations; i++)
		best = fill_table(&t);
	wl_end();

	if (wl_corrupt_wanted())
		t.step[(best.i - 5) * t.n + best.j - 5] = FROM_NOTHING;
	wl_check("the path traced back is worth the score",
		 abs(score_of_path(&t, best) - best.score), 0);
	wl_check("a small table scores what the definition says",
		 difference_from_definition(run.seed + 1), 0);
	hash = wl_hash(t.step, (size_t)t.n * (size_t)t.n) + (uint64_t)best.score;
	work = (double)t.n * (double)t.n * (double)run.iterations * 1e-6;
	free_table(&t);
	return wl_finish(work, hash);
}
