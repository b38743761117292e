// SPDX-License-Identifier: MIT
/*
 * What it costs to look: the CPU time of thpctl map and of what people have instead, on the same
 * process, one after the other in every round, so that whatever else the machine does hits both;
 * and what the process that is looked at feels of it.
 *
 *     map [-n ROUNDS] [-g GIB] [-p PROCESSES] THPCTL READER...
 *
 * READER... is a command that is given a PID: "thpmaps --pid" of the kernel's tools/mm, or
 * smaps.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GIB        (1ul << 30)
#define ROUNDS_MAX 1000
#define ARGS_MAX   16

static const char *thpctl;
static char **reader;
static unsigned rounds = 11;

static void die(const char *what)
{
	fprintf(stderr, "map: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- commands ------------------------------------------------------------------------------- */

static pid_t spawn(char *const argv[])
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	return pid;
}

/* Milliseconds of CPU that a command takes, its children's included. */
static double cpu_of(char *const argv[])
{
	struct rusage usage;
	int status;
	pid_t pid = spawn(argv);

	if (wait4(pid, &status, 0, &usage) != pid || status != 0) {
		fprintf(stderr, "map: %s failed\n", argv[0]);
		exit(1);
	}
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median(double *values, unsigned nr)
{
	qsort(values, nr, sizeof(*values), by_value);
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

/* A line of the table: both medians, and the median of the rounds' ratios. */
static void compare(const char *what, char *const ours[], char *const theirs[])
{
	static double a[ROUNDS_MAX], b[ROUNDS_MAX], ratio[ROUNDS_MAX];

	cpu_of(ours); /* caches are warm for both */
	cpu_of(theirs);
	for (unsigned i = 0; i < rounds; i++) {
		a[i] = cpu_of(ours);
		b[i] = cpu_of(theirs);
		/* The clock of a program's CPU time counts whole microseconds. */
		ratio[i] = b[i] / (a[i] > 0.001 ? a[i] : 0.001);
	}
	printf("%-44s %9.3f ms %10.2f ms   1/%.0f\n", what, median(a, rounds), median(b, rounds),
	       median(ratio, rounds));
	fflush(stdout);
}

/* ---- processes to look at ------------------------------------------------------------------- */

struct shared {
	_Atomic int ready;
	_Atomic double worst; /* ms of the longest mmap and munmap since it was last zero */
};

static struct shared *shared;

static void touch(size_t reserved, size_t touched, int advice)
{
	char *memory = mmap(NULL, reserved, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	madvise(memory, reserved, advice);
	for (size_t i = 0; i < touched; i += 4096)
		memory[i] = 1;
}

static void feel_stalls(void)
{
	for (;;) {
		double start = now(), took;
		void *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		munmap(memory, 65536);
		took = now() - start;
		if (took > shared->worst)
			shared->worst = took;
		usleep(50);
	}
}

/* A process with memory; it ends when the benchmark does. */
static pid_t start(size_t reserved, size_t touched, int advice, int feels)
{
	pid_t pid;

	shared->ready = 0;
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		touch(reserved, touched, advice);
		shared->ready = 1;
		if (feels)
			feel_stalls();
		for (;;)
			pause();
	}
	while (!shared->ready && waitpid(pid, NULL, WNOHANG) == 0)
		usleep(1000);
	if (!shared->ready) {
		fprintf(stderr, "map: a process to look at failed\n");
		exit(1);
	}
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- the benchmarks ------------------------------------------------------------------------- */

static void fill(char *argv[ARGS_MAX], char *const words[], char *pid)
{
	unsigned nr = 0;

	while (nr < ARGS_MAX - 2 && words[nr]) {
		argv[nr] = words[nr];
		nr++;
	}
	argv[nr] = pid;
	argv[nr + 1] = NULL;
}

static void bench_map(const char *what, size_t reserved, size_t touched, int advice)
{
	pid_t target = start(reserved, touched, advice, 0);
	char pid[16], *ours[] = {(char *)thpctl, "map", pid, NULL}, *theirs[ARGS_MAX];

	snprintf(pid, sizeof(pid), "%d", target);
	fill(theirs, reader, pid);
	compare(what, ours, theirs);
	stop(target);
}

/*
 * The worst stall while a command runs again and again for a while. Without a command: beside a
 * program that is only busy, since to share a processor with another stalls a process, too.
 */
static double worst_during(char *const argv[], double ms)
{
	double end = now() + ms;

	shared->worst = 0;
	while (now() < end) {
		if (argv)
			cpu_of(argv);
	}
	return shared->worst;
}

static void bench_stalls(size_t size)
{
	static double busy[ROUNDS_MAX], map[ROUNDS_MAX], rollup[ROUNDS_MAX];
	pid_t target = start(size, size, MADV_NOHUGEPAGE, 1);
	char pid[16], path[64];
	char *ours[] = {(char *)thpctl, "map", pid, NULL}, *theirs[] = {"cat", path, NULL};

	snprintf(pid, sizeof(pid), "%d", target);
	snprintf(path, sizeof(path), "/proc/%s/smaps_rollup", pid);
	for (unsigned i = 0; i < rounds; i++) {
		busy[i] = worst_during(NULL, 300);
		map[i] = worst_during(ours, 300);
		rollup[i] = worst_during(theirs, 300);
	}
	stop(target);
	printf("\nWorst stall of a process's own mmap and munmap, %.0f GiB of small pages, median "
	       "of "
	       "%u rounds\n  beside a busy program %.2f ms, thpctl map %.2f ms, smaps_rollup %.2f "
	       "ms\n",
	       (double)size / GIB, rounds, median(busy, rounds), median(map, rounds),
	       median(rollup, rounds));
}

static void bench_all(unsigned nr)
{
	pid_t *pids = calloc(nr, sizeof(*pids));
	char *ours[] = {(char *)thpctl, "show", "--all", NULL}, *theirs[] = {"smem", NULL};
	char what[64];

	if (!pids)
		die("calloc");
	for (unsigned i = 0; i < nr; i++)
		pids[i] = start(1 << 20, 1 << 20, MADV_NORMAL, 0);
	snprintf(what, sizeof(what), "show --all, %u more processes (smem)", nr);
	compare(what, ours, theirs);
	for (unsigned i = 0; i < nr; i++)
		stop(pids[i]);
	free(pids);
}

int main(int argc, char **argv)
{
	unsigned long gib = 8, processes = 1000;
	int opt;

	while ((opt = getopt(argc, argv, "+n:g:p:")) != -1) {
		if (opt == 'n')
			rounds = (unsigned)strtoul(optarg, NULL, 10);
		else if (opt == 'g')
			gib = strtoul(optarg, NULL, 10);
		else if (opt == 'p')
			processes = strtoul(optarg, NULL, 10);
	}
	if (argc - optind < 2 || rounds == 0 || rounds > ROUNDS_MAX || gib == 0) {
		fprintf(stderr,
			"usage: map [-n ROUNDS] [-g GIB] [-p PROCESSES] THPCTL READER...\n");
		return 2;
	}
	thpctl = argv[optind];
	reader = argv + optind + 1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		die("mmap");

	printf("CPU time of thpctl against %s, %u rounds\n", reader[0], rounds);
	char what[64];

	snprintf(what, sizeof(what), "map, %lu GiB in huge pages", gib);
	bench_map(what, gib * GIB, gib * GIB, MADV_HUGEPAGE);
	snprintf(what, sizeof(what), "map, %lu GiB in small pages", gib);
	bench_map(what, gib * GIB, gib * GIB, MADV_NOHUGEPAGE);
	bench_map("map, 256 GiB reserved, 1 GiB in huge pages", 256 * GIB, GIB, MADV_HUGEPAGE);
	if (processes > 0)
		bench_all((unsigned)processes);
	bench_stalls((gib < 4 ? gib : 4) * GIB);
	return 0;
}
