/* SPDX-License-Identifier: MIT */
/* What a comparison is made of: programs, arms, runs; who asks for what. */
#ifndef CLI_COMPARE_COMPARE_H
#define CLI_COMPARE_COMPARE_H

#include "measure.h"

#include "thp.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPARE_ARMS_MAX    8
#define COMPARE_EXPORTS_MAX 8
#define COMPARE_REASON_MAX  512

/* One of the modes side by side. The same mode may stand twice: its ratio is the noise. */
struct arm {
	enum thp_mode mode;
	char label[16];                   /* "never", "never/2" */
	char missing[COMPARE_REASON_MAX]; /* why the mode is not in force; empty: it is */
};

/* A command to compare, from the command line or a section of a suite file. */
struct program {
	char *name;
	char *title;     /* what it is, in words; NULL: not told */
	char *published; /* ratios that others measured, as the suite says; NULL: none */
	char **argv;
	char *directory;     /* NULL: here */
	char **environment;  /* NAME=VALUE, NULL at the end; NULL: nothing added */
	char *prepare;       /* shell command before each run, outside its mode; NULL: none */
	char *metric;        /* the number that is compared instead of time; NULL: time */
	bool less_is_better; /* of the metric */
	char *expect;        /* what the output must hold, the same in each run; NULL: anything */
	int expect_status;
	bool metric_compiled; /* by program_ready() */
	bool expect_compiled;
	regex_t metric_regex;
	regex_t expect_regex;
};

enum outcome {
	OUTCOME_OK = 0,
	OUTCOME_STATUS,    /* ended with another status than expected; detail: the status */
	OUTCOME_SIGNAL,    /* detail: the signal */
	OUTCOME_NO_METRIC, /* the output does not hold the metric */
	OUTCOME_NO_MATCH,  /* the output does not hold what was expected */
	OUTCOME_DIFFERS,   /* it does, but with another text than in an earlier run */
	OUTCOME_MODE,      /* the mode could not be set */
	OUTCOME_PREPARE,   /* the prepare command failed; detail: its wait status */
};

struct run {
	size_t program;
	size_t arm;
	size_t round;
	size_t position; /* in its round */
	bool changed;    /* the system's settings were others by its end than at the beginning */
	bool warmup;     /* not timed, hence looked at more closely */
	double start;    /* seconds since the comparison began */
	enum outcome outcome;
	int detail;
	char *matched;    /* text that the expectation matched; NULL: none */
	char *said;       /* end of standard error of a run that is not OK; NULL: nothing */
	unsigned samples; /* how often its memory was looked at */
	double values[NR_MEASURES]; /* NAN: not measured */
};

enum export_format {
	EXPORT_JSON,
	EXPORT_CSV,
	EXPORT_MD,
	EXPORT_SVG,
	EXPORT_PNG,
	EXPORT_HTML,
};

struct export
{
	enum export_format format;
	const char *path; /* "-": standard output */
};

struct settings {
	struct arm arms[COMPARE_ARMS_MAX]; /* the ratio's denominator, "on", is the last that was
					      named */
	size_t nr_arms;
	size_t base; /* the arm that the others are compared with */
	bool noise_floor;
	size_t runs;     /* of each arm at most; 0: no limit */
	double seconds;  /* for everything; 0: no limit */
	double until_ci; /* half width to reach, as a fraction; 0: none */
	double matters;  /* smallest difference of interest, as a fraction */
	size_t warmup;
	uint64_t seed;
	bool seeded;
	bool invert;
	bool best_effort;
	bool quiet;
	bool wall; /* compare time even where a suite names a metric */
	const char *suite;
	const char *checkpoint; /* written, run by run */
	const char *resume;     /* read first, then written on */
	struct export exports[COMPARE_EXPORTS_MAX];
	size_t nr_exports;
	struct program alone; /* the options that describe one program; argv is the command */
};

/* All that was asked and measured. */
struct compare {
	struct thp_ctx *ctx;
	struct settings *settings;
	uint64_t pmd_bytes; /* a whole huge page */
	struct program *programs;
	size_t nr_programs;
	struct run *runs; /* in the order of time */
	size_t nr_runs;
	size_t room;
	int signal; /* that interrupted it; 0: none */
};

/* Whether a run is one of an arm's that count. */
static inline bool run_counts(const struct run *run, size_t program, size_t arm)
{
	return run->program == program && run->arm == arm && !run->warmup;
}

/* "ended with status 3", for a person. Returns buf. */
char *outcome_text(char *buf, size_t size, const struct run *run);

#endif /* CLI_COMPARE_COMPARE_H */
