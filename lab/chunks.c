/* SPDX-License-Identifier: MIT */
/*
 * The pattern that made huge pages slow on big machines: one array, T pinned threads, each first
 * touching every T-th chunk and working on those afterwards. A page lies on the node of whoever
 * touched it first; one that spans the chunks of many threads is local to just one of them.
 *
 * Prints "key value" lines. Which pages are remote is asked of the kernel, page by page.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "marker.h"

#define PAGE      4096UL
#define ALIGNMENT (1UL << 25) /* at least a huge page on every machine we boot */
#define MAX_NODES 1024

struct options {
	size_t threads, chunk, per_thread, accesses;
	bool random;
	const char *thp;
};

struct worker {
	pthread_t thread;
	size_t index;
	int cpu;
	unsigned int node;
	uint64_t sum;
};

static struct options options = {.chunk = 128 << 10, .per_thread = 1 << 20, .thp = "keep"};
static uint64_t *array;
static size_t array_size;
static pthread_barrier_t barrier;

static void give_up(const char *what)
{
	fprintf(stderr, "chunks: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Word number of the n-th word that belongs to a thread. */
static inline size_t own_word(size_t thread, size_t n)
{
	size_t words = options.chunk / sizeof(*array);

	return (n / words * options.threads + thread) * words + n % words;
}

static void pin(struct worker *worker)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(worker->cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || getcpu(NULL, &worker->node))
		give_up("cannot pin a thread");
}

static void touch(const struct worker *worker)
{
	size_t words = options.per_thread / sizeof(*array);

	for (size_t n = 0; n < words; n++) {
		size_t word = own_word(worker->index, n);

		array[word] = word;
	}
}

/* Loads of one's own words; the sum proves that they were made, and where. */
static uint64_t walk(const struct worker *worker)
{
	size_t words = options.per_thread / sizeof(*array);
	uint64_t sum = 0, state = 0x9e3779b97f4a7c15ULL * (worker->index + 1);

	for (size_t i = 0; i < options.accesses; i++) {
		size_t n = i % words;

		if (options.random) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			n = (state >> 11) % words;
		}
		n = own_word(worker->index, n);
		sum += *(volatile uint64_t *)&array[n] - n;
	}
	return sum;
}

/* The main thread stands at the same barriers: between them it puts the marks. */
static void *work(void *data)
{
	struct worker *worker = data;

	pin(worker);
	pthread_barrier_wait(&barrier);
	touch(worker);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	worker->sum = walk(worker);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static long field(const char *path, const char *key)
{
	char line[256];
	long value = -1;
	FILE *file = fopen(path, "re");

	while (file && value < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)) && strchr(": ", line[strlen(key)]))
			value = strtol(line + strlen(key) + 1, NULL, 10);
	if (file)
		fclose(file);
	return value;
}

static long minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void report_placement(const struct worker *workers)
{
	static size_t on_node[MAX_NODES];
	size_t pages = array_size / PAGE, local = 0, remote = 0, unknown = 0, top = 0;
	void **addresses = calloc(pages, sizeof(*addresses));
	int *status = calloc(pages, sizeof(*status));

	if (!addresses || !status)
		give_up("memory");
	for (size_t i = 0; i < pages; i++)
		addresses[i] = (char *)array + i * PAGE;
	if (syscall(SYS_move_pages, 0, pages, addresses, NULL, status, 0))
		give_up("move_pages");
	for (size_t i = 0; i < pages; i++) {
		const struct worker *owner = &workers[i * PAGE / options.chunk % options.threads];

		if (status[i] < 0 || status[i] >= MAX_NODES) {
			unknown++;
			continue;
		}
		on_node[status[i]]++;
		if ((size_t)status[i] > top)
			top = (size_t)status[i];
		if ((unsigned int)status[i] == owner->node)
			local++;
		else
			remote++;
	}
	printf("pages %zu\npages_local %zu\npages_remote %zu\npages_unknown %zu\n", pages, local,
	       remote, unknown);
	if (unknown == pages)
		printf("pages_remote_percent unknown\n");
	else
		printf("pages_remote_percent %.2f\n",
		       100.0 * (double)remote / (double)(local + remote));
	printf("pages_on_node");
	for (size_t node = 0; node <= top; node++)
		printf(" %zu:%zu", node, on_node[node]);
	printf("\n");
	free(addresses);
	free(status);
}

static void set_thp(const char *mode)
{
	if (!strcmp(mode, "keep"))
		return;
	/* 41: PR_SET_THP_DISABLE */
	if (prctl(41, !strcmp(mode, "never"), 0, 0, 0))
		give_up("prctl");
}

static size_t bytes(const char *text)
{
	char *end;
	size_t value = strtoull(text, &end, 0);

	if (*end == 'K')
		value <<= 10;
	else if (*end == 'M')
		value <<= 20;
	else if (*end)
		value = 0;
	return value;
}

static void usage(void)
{
	fprintf(stderr,
		"usage: chunks [--threads N] [--chunk BYTES] [--per-thread BYTES] [--accesses N]\n"
		"              [--random] [--thp never|always|keep]\n"
		"threads: default all CPUs; chunk: a multiple of 4K that divides per-thread;\n"
		"accesses: loads of each thread in the counted part (one pass)\n");
	exit(2);
}

static void parse(int argc, char **argv)
{
	static const struct option names[] = {
		{"threads", required_argument, NULL, 't'},
		{"chunk", required_argument, NULL, 'c'},
		{"per-thread", required_argument, NULL, 'p'},
		{"accesses", required_argument, NULL, 'a'},
		{"random", no_argument, NULL, 'r'},
		{"thp", required_argument, NULL, 'm'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (option) {
		case 't':
			options.threads = bytes(optarg);
			break;
		case 'c':
			options.chunk = bytes(optarg);
			break;
		case 'p':
			options.per_thread = bytes(optarg);
			break;
		case 'a':
			options.accesses = bytes(optarg);
			break;
		case 'r':
			options.random = true;
			break;
		case 'm':
			options.thp = optarg;
			break;
		default:
			usage();
		}
	}
	if (!options.threads)
		options.threads = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (options.per_thread < options.chunk)
		options.per_thread = options.chunk;
	if (!options.chunk || options.chunk % PAGE || options.per_thread % options.chunk ||
	    (strcmp(options.thp, "never") && strcmp(options.thp, "always") &&
	     strcmp(options.thp, "keep")))
		usage();
	if (!options.accesses)
		options.accesses = options.per_thread / sizeof(*array);
}

static void start_workers(struct worker *workers)
{
	pthread_attr_t small_stack;
	cpu_set_t allowed;
	int cpu = -1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		give_up("sched_getaffinity");
	pthread_attr_init(&small_stack);
	pthread_attr_setstacksize(&small_stack, 64 << 10);
	pthread_barrier_init(&barrier, NULL, (unsigned int)options.threads + 1);
	for (size_t i = 0; i < options.threads; i++) {
		do
			cpu = (cpu + 1) % CPU_SETSIZE;
		while (!CPU_ISSET(cpu, &allowed));
		workers[i].index = i;
		workers[i].cpu = cpu;
		errno = pthread_create(&workers[i].thread, &small_stack, work, &workers[i]);
		if (errno)
			give_up("pthread_create");
	}
}

int main(int argc, char **argv)
{
	struct worker *workers;
	long faults, huge_faults, huge_kb;
	uint64_t wrong = 0;
	double begin;
	char *raw;

	parse(argc, argv);
	set_thp(options.thp);
	array_size = options.threads * options.per_thread;
	raw = mmap(NULL, array_size + ALIGNMENT, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	workers = calloc(options.threads, sizeof(*workers));
	if (raw == MAP_FAILED || !workers)
		give_up("memory");
	array = (uint64_t *)(((uintptr_t)raw + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
	start_workers(workers);

	faults = minor_faults();
	huge_faults = field("/proc/vmstat", "thp_fault_alloc");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	printf("mode %s\nthreads %zu\nchunk %zu\nbytes %zu\n", options.thp, options.threads,
	       options.chunk, array_size);
	printf("faults %ld\n", minor_faults() - faults);
	printf("huge_faults %ld\n", field("/proc/vmstat", "thp_fault_alloc") - huge_faults);

	begin = now();
	marker_start();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	marker_stop();
	printf("walk_seconds %.3f\n", now() - begin);
	for (size_t i = 0; i < options.threads; i++) {
		pthread_join(workers[i].thread, NULL);
		wrong |= workers[i].sum;
	}
	huge_kb = field("/proc/self/smaps_rollup", "AnonHugePages");
	printf("huge_percent %.2f\n", 100.0 * (double)huge_kb * 1024 / (double)array_size);
	report_placement(workers);
	if (wrong) {
		fprintf(stderr, "chunks: memory does not hold what was written\n");
		return 1;
	}
	return 0;
}
