/* SPDX-License-Identifier: MIT */
/* Options, clock, random numbers, checks and the result line of all workloads; see wl.h. */
#define _GNU_SOURCE
#include "wl.h"

#include "marker.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { MAX_OPTIONS = 24, MAX_ARGS = 64, MAX_THREADS = 65536 };

static const char *const size_words[WL_SIZES + 1] = {"tiny", "small", "medium", "large", NULL};
static const char *const touch_words[] = {"parallel", "serial", NULL};

/* One process runs one workload: its state need not be passed around. */
static const struct wl_program *program;
static struct wl_run run;
static bool corrupt, verbose, failed;
static double start_time, begin_time, init_seconds, timed_seconds;
static long begin_faults;

double wl_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void wl_usage(const char *message)
{
	fprintf(stderr, "%s: %s; see --help\n", program->name, message);
	exit(2);
}

static void help(void)
{
	printf("%s: %s\n\n"
	       "  --size tiny|small|medium|large|N  default small; N counts %s\n"
	       "  --iterations N                    of the timed part\n"
	       "  --threads N                       default OMP_NUM_THREADS, else all CPUs\n"
	       "  --seed N                          of the random input, default 1\n"
	       "  --verbose                         print every check, not only failed ones\n",
	       program->name, program->help, program->size_unit);
	if (program->has_touch)
		printf("  --touch parallel|serial           who touches the memory first\n");
	for (const struct wl_option *o = program->options; o && o->name; o++)
		printf("  --%-31s %s\n", o->name, o->help);
	for (int i = 0; i < WL_SIZES; i++)
		printf("%s%s = %ld %s, %ld iterations\n", i ? "" : "\nSizes:\n", size_words[i],
		       program->size[i], program->size_unit, program->iterations[i]);
	exit(0);
}

static void bad_value(const char *option, const char *text)
{
	fprintf(stderr, "%s: bad value for --%s: %s; see --help\n", program->name, option, text);
	exit(2);
}

static long parse_count(const char *option, const char *text)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || errno || value < 0)
		bad_value(option, text);
	if (*end && (suffix = strchr(suffixes, *end))) {
		int shift = 10 * (int)(suffix - suffixes + 1);

		if (value > LONG_MAX >> shift)
			bad_value(option, text);
		value <<= shift;
		end++;
	}
	if (*end)
		bad_value(option, text);
	return value;
}

static long parse_positive(const char *option, const char *text)
{
	long value = parse_count(option, text);

	if (!value)
		bad_value(option, text);
	return value;
}

/* Index of text in words, or -1. */
static int find_word(const char *text, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	return -1;
}

static int parse_word(const char *option, const char *text, const char *const *words)
{
	int i = find_word(text, words);

	if (i < 0)
		bad_value(option, text);
	return i;
}

static void parse_own(const struct wl_option *option, const char *text)
{
	char *end;

	switch (option->kind) {
	case WL_COUNT:
		*(long *)option->value = parse_count(option->name, text);
		break;
	case WL_REAL:
		*(double *)option->value = strtod(text, &end);
		if (end == text || *end || !isfinite(*(double *)option->value))
			bad_value(option->name, text);
		break;
	case WL_WORD:
		*(int *)option->value = parse_word(option->name, text, option->words);
		break;
	}
}

static int default_threads(void)
{
#ifdef _OPENMP
	return omp_get_max_threads();
#else
	const char *text = getenv("OMP_NUM_THREADS");
	cpu_set_t cpus;

	if (text && *text)
		return (int)parse_positive("threads (from OMP_NUM_THREADS)", text);
	/* Fails on machines with more CPUs than cpu_set_t holds: then --threads is needed. */
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return 1;
	return CPU_COUNT(&cpus);
#endif
}

struct wl_run wl_start(const struct wl_program *p, int argc, char **argv)
{
	enum { SIZE = 1, ITERATIONS, THREADS, SEED, TOUCH, CORRUPT, VERBOSE, HELP, OWN };
	struct option table[MAX_OPTIONS] = {
		{"size", required_argument, NULL, SIZE},
		{"iterations", required_argument, NULL, ITERATIONS},
		{"threads", required_argument, NULL, THREADS},
		{"seed", required_argument, NULL, SEED},
		{"selftest-corrupt", no_argument, NULL, CORRUPT},
		{"verbose", no_argument, NULL, VERBOSE},
		{"help", no_argument, NULL, HELP},
	};
	int n_options = 7, preset = 1, c;
	long threads = 0;

	program = p;
	start_time = wl_now();
	run = (struct wl_run){.seed = 1, .touch_parallel = true};
	if (p->has_touch)
		table[n_options++] = (struct option){"touch", required_argument, NULL, TOUCH};
	for (int i = 0; p->options && p->options[i].name; i++)
		table[n_options++] =
			(struct option){p->options[i].name, required_argument, NULL, OWN + i};

	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
		switch (c) {
		case SIZE:
			preset = find_word(optarg, size_words);
			if (preset < 0)
				run.size = parse_positive("size", optarg);
			break;
		case ITERATIONS:
			run.iterations = parse_positive("iterations", optarg);
			break;
		case THREADS:
			threads = parse_positive("threads", optarg);
			break;
		case SEED:
			run.seed = (uint64_t)parse_count("seed", optarg);
			break;
		case TOUCH:
			run.touch_parallel = !parse_word("touch", optarg, touch_words);
			break;
		case CORRUPT:
			corrupt = true;
			break;
		case VERBOSE:
			verbose = true;
			break;
		case HELP:
			help();
			break;
		case '?':
			exit(2);
		default:
			parse_own(&p->options[c - OWN], optarg);
		}
	}
	if (optind < argc)
		wl_usage("it takes options only");

	if (preset >= 0)
		run.size = p->size[preset];
	if (!run.iterations)
		run.iterations = p->iterations[preset >= 0 ? preset : 1];
	if (!threads)
		threads = default_threads();
	if (threads > MAX_THREADS)
		wl_usage("too many threads");
	run.threads = (int)threads;
#ifdef _OPENMP
	omp_set_num_threads(run.threads);
#endif
	return run;
}

/*
 * For Fortran, whose run time keeps argv to itself: the arguments come as NUL-terminated strings,
 * one behind the other. Not in wl.h because C must not use it; wl_mod.f90 declares it.
 */
void wl_start_fortran(const char *name, const char *help_text, const char *size_unit,
		      const char *metric_unit, const long *size, const long *iterations, int n_args,
		      char *args, struct wl_run *ret_run);

void wl_start_fortran(const char *name, const char *help_text, const char *size_unit,
		      const char *metric_unit, const long *size, const long *iterations, int n_args,
		      char *args, struct wl_run *ret_run)
{
	static struct wl_program p;
	char *argv[MAX_ARGS + 2] = {strdup(name)};

	p = (struct wl_program){strdup(name), strdup(help_text), strdup(size_unit),
				strdup(metric_unit), .has_touch = true};
	memcpy(p.size, size, sizeof(p.size));
	memcpy(p.iterations, iterations, sizeof(p.iterations));
	if (n_args > MAX_ARGS) {
		program = &p;
		wl_usage("too many arguments");
	}
	for (int i = 1; i <= n_args; i++) {
		argv[i] = args;
		args += strlen(args) + 1;
	}
	*ret_run = wl_start(&p, n_args + 1, argv);
	free(argv[0]);
}

void *wl_alloc(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory) {
		fprintf(stderr, "%s: cannot allocate %zu bytes; a smaller --size would help\n",
			program->name, bytes);
		exit(1);
	}
	return memory;
}

/* Finaliser of splitmix64: a bijection of 64-bit words in which every input bit matters. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

uint64_t wl_random(uint64_t stream, uint64_t i)
{
	return mix(mix(stream + 0x9e3779b97f4a7c15U) + (i + 1) * 0x9e3779b97f4a7c15U);
}

double wl_unit(uint64_t stream, uint64_t i)
{
	return (double)(wl_random(stream, i) >> 11) * 0x1p-53;
}

/*
 * A Feistel network permutes a power of four; numbers outside 0 .. n-1 are sent through again
 * until they fall inside, which keeps it a bijection.
 */
enum { FEISTEL_ROUNDS = 4 };

static unsigned int feistel_half_bits(uint64_t n)
{
	unsigned int half = 1;

	while (half < 31 && n > (uint64_t)1 << (2 * half))
		half++;
	return half;
}

uint64_t wl_permute(uint64_t n, uint64_t stream, uint64_t i)
{
	unsigned int half = feistel_half_bits(n);
	uint64_t mask = ((uint64_t)1 << half) - 1;

	do {
		uint64_t left = i >> half, right = i & mask;

		for (unsigned int round = 0; round < FEISTEL_ROUNDS; round++) {
			uint64_t next = left ^ (wl_random(stream + round, right) & mask);

			left = right;
			right = next;
		}
		i = left << half | right;
	} while (i >= n);
	return i;
}

uint64_t wl_unpermute(uint64_t n, uint64_t stream, uint64_t i)
{
	unsigned int half = feistel_half_bits(n);
	uint64_t mask = ((uint64_t)1 << half) - 1;

	do {
		uint64_t left = i >> half, right = i & mask;

		for (unsigned int round = FEISTEL_ROUNDS; round-- > 0;) {
			uint64_t previous = right ^ (wl_random(stream + round, left) & mask);

			right = left;
			left = previous;
		}
		i = left << half | right;
	} while (i >= n);
	return i;
}

uint64_t wl_hash(const void *data, size_t bytes)
{
	const unsigned char *byte = data;
	size_t words = bytes / sizeof(uint64_t), rest = bytes % sizeof(uint64_t);
	uint64_t sum = 0, word = 0;

	/* A sum of mixed words, each with its place, is the same in whatever order it is added. */
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : sum) firstprivate(word)
#endif
	for (size_t i = 0; i < words; i++) {
		memcpy(&word, byte + i * sizeof(word), sizeof(word));
		sum += wl_random(word, i);
	}
	if (rest) {
		word = 0;
		memcpy(&word, byte + words * sizeof(word), rest);
		sum += wl_random(word, words);
	}
	return sum;
}

bool wl_corrupt_wanted(void)
{
	return corrupt;
}

void wl_corrupt(double *value)
{
	if (corrupt)
		*value += 1 + fabs(*value);
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

void wl_begin(void)
{
	begin_faults = faults();
	begin_time = wl_now();
	init_seconds = begin_time - start_time;
	marker_start();
}

double wl_end(void)
{
	marker_stop();
	timed_seconds = wl_now() - begin_time;
	if (verbose)
		fprintf(stderr, "%s: timed part: %ld faults\n", program->name,
			faults() - begin_faults);
	return timed_seconds;
}

void wl_check(const char *what, double error, double limit)
{
	bool ok = error <= limit;

	if (!ok)
		failed = true;
	if (!ok || verbose)
		fprintf(stderr, "%s: check %s: error %.3g, limit %.3g: %s\n", program->name, what,
			error, limit, ok ? "ok" : "FAILED");
}

void wl_print(const char *part, double seconds, double work, uint64_t result)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("name=%s%s%s seconds=%.6f metric=%.6g unit=%s init=%.6f threads=%d size=%ld "
	       "iterations=%ld seed=%llu touch=%s peak_kib=%ld result=%016llx check=%s\n",
	       program->name, part ? "." : "", part ? part : "", seconds, work / seconds,
	       program->metric_unit, init_seconds, run.threads, run.size, run.iterations,
	       (unsigned long long)run.seed, touch_words[!run.touch_parallel], usage.ru_maxrss,
	       (unsigned long long)result, failed ? "FAILED" : "ok");
}

int wl_finish(double work, uint64_t result)
{
	wl_print(NULL, timed_seconds, work, result);
	return failed ? 1 : 0;
}
