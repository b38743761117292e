/* SPDX-License-Identifier: MIT */
/* What the runs say. Pure: runs in, results out. */
#ifndef CLI_COMPARE_RESULT_H
#define CLI_COMPARE_RESULT_H

#include "compare.h"
#include "stats.h"

/* What an arm had of huge pages, where it was to have some. */
enum achieved {
	ACHIEVED_NOT_ASKED, /* never: no huge pages are what was asked for */
	ACHIEVED_UNKNOWN,   /* too short to be looked at */
	ACHIEVED_NONE,      /* hardly any memory was huge */
	ACHIEVED_SOME,
};

struct arm_result {
	size_t runs;              /* valid ones */
	const struct run *failed; /* first that was not; NULL: the arm is valid */
	enum achieved achieved;
	size_t looks;   /* at its memory, in all runs */
	size_t changed; /* runs under other settings of the system than at the beginning */
	size_t outliers;
	struct interval values[NR_MEASURES]; /* medians */
};

/* An arm against the base. */
struct comparison {
	size_t arm;
	size_t pairs;
	struct interval ratio; /* log of performance in arm / performance in base, or inverted */
	enum verdict verdict;
	uint64_t more; /* pairs that would resolve it, about */
};

struct program_result {
	struct arm_result arms[COMPARE_ARMS_MAX];
	struct comparison comparisons[COMPARE_ARMS_MAX];
	size_t nr_comparisons;
};

struct result {
	struct program_result *programs;
	size_t nr_programs;
	size_t nr_comparisons; /* of each program: one for each arm but the base */
	/* Geometric mean of each comparison over the programs that have an interval. */
	struct interval means[COMPARE_ARMS_MAX];
	size_t nr_means[COMPARE_ARMS_MAX];
	bool invalid; /* an arm failed */
};

/* Which measure is compared, and whether less of it is better. */
enum measure result_measure(const struct program *program, bool *ret_less_is_better);

/* Judges one program. 0 or -ENOMEM. */
int result_program(const struct compare *compare, size_t program,
		   struct program_result *ret_result);

/* A ratio, for a look in passing: see stats_paired_quick(). 0 or -ENOMEM. */
int result_quick(const struct compare *compare, size_t program, size_t arm,
		 struct interval *ret_ratio, size_t *ret_pairs);

/* Whether the intervals of all ratios of a program end within half of them (in logarithms). */
bool result_sharp(const struct compare *compare, size_t program, double half);

/* Judges all. The caller frees with result_free(). */
int result_make(const struct compare *compare, struct result *ret_result);

void result_free(struct result *result);

/* Marks the runs of an arm that stand out. Returns how many. marks has nr_runs places. */
size_t result_outliers(const struct compare *compare, size_t program, size_t arm, bool *marks);

#endif /* CLI_COMPARE_RESULT_H */
