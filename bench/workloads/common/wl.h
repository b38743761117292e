/* SPDX-License-Identifier: MIT */
/*
 * What all workloads share: options, clock, random numbers, checks and the result line.
 *
 * A workload describes itself in a struct wl_program and then goes through
 *
 *	wl_start()	read the options
 *	...		allocate and first-touch
 *	wl_begin()	the timed part starts
 *	...
 *	wl_end()	and ends
 *	wl_corrupt()	spoil one value when --selftest-corrupt asks for it
 *	wl_check()	once for each property the result must have
 *	wl_finish()	print the line, return the exit status
 *
 * These are command-line programs, not a library: helpers print and exit.
 */
#ifndef WL_H
#define WL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WL_SIZES = 4 }; /* tiny (for tests), small, medium, large */

enum wl_kind {
	WL_COUNT, /* value is a long; K, M, G, T suffixes are powers of 1024 */
	WL_REAL,  /* value is a double */
	WL_WORD,  /* value is an int: the index of the word in words */
};

struct wl_option {
	const char *name;
	const char *help;
	enum wl_kind kind;
	void *value;
	const char *const *words; /* WL_WORD: ends with NULL */
};

struct wl_program {
	const char *name;
	const char *help;                /* one line */
	const char *size_unit;           /* what the number of --size counts */
	const char *metric_unit;         /* what the metric counts per second, e.g. "Mcells/s" */
	long size[WL_SIZES];             /* the number behind each word of --size */
	long iterations[WL_SIZES];       /* default for each word; the small one for a number */
	bool has_touch;                  /* --touch makes a difference here */
	const struct wl_option *options; /* of this program alone; ends with a NULL name; or NULL */
};

struct wl_run {
	long size;
	long iterations;
	int threads;
	uint64_t seed;
	bool touch_parallel; /* first touch by the threads that use the memory later */
};

/* Reads the options. Ends the process for --help (0) and for usage errors (2). */
struct wl_run wl_start(const struct wl_program *program, int argc, char **argv);

/* Ends the process with status 2 and a message: the options do not go together. */
_Noreturn void wl_usage(const char *message);

/* Seconds of the monotonic clock. */
double wl_now(void);

/* Timed part; wl_end() returns its seconds. */
void wl_begin(void);
double wl_end(void);

/* malloc that ends the process with status 1 instead of returning NULL; memory is not touched. */
void *wl_alloc(size_t bytes);

/*
 * Random numbers without state: the i-th number of a stream depends on nothing else, so threads
 * can draw in any order and 1, 2 or 512 of them compute the same result.
 */
uint64_t wl_random(uint64_t stream, uint64_t i);
double wl_unit(uint64_t stream, uint64_t i); /* uniform in [0, 1) */

/* A pseudo-random bijection of 0 .. n-1 and its inverse, also without state. */
uint64_t wl_permute(uint64_t n, uint64_t stream, uint64_t i);
uint64_t wl_unpermute(uint64_t n, uint64_t stream, uint64_t i);

/* Hash of memory, independent of the number of threads that compute it. */
uint64_t wl_hash(const void *data, size_t bytes);

/* With --selftest-corrupt: make the value wrong, so that a check must fail. */
void wl_corrupt(double *value);
bool wl_corrupt_wanted(void);

/* The result is right if error <= limit; a NaN is an error. Says why on stderr if it is wrong. */
void wl_check(const char *what, double error, double limit);

/*
 * Prints a result line; metric = work / seconds. part distinguishes lines of one program and may
 * be NULL.
 */
void wl_print(const char *part, double seconds, double work, uint64_t result);

/* wl_print() for the timed part; returns the exit status: 0, or 1 if a check failed. */
int wl_finish(double work, uint64_t result);

#endif
