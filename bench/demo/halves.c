// SPDX-License-Identifier: MIT
/*
 * The workload of `make run`: an ordinary static program that knows nothing of thpctl. It works on
 * two arrays of one size. For one it asks for huge pages, as a database or a JVM would; for the
 * other it asks nothing, as most programs do. So each mode gets something else:
 * never neither, madvise the advised one, always both.
 *
 * Prints one line: mode read back, huge MiB, faults, seconds, sum.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#define MIB   (1024ul * 1024)
#define ARRAY (128 * MIB)
#define ALIGN (2 * MIB)
#define LEAP  39989ul /* words between reads: another page each time, and in the end every word */

static uint64_t *array_new(void)
{
	/* Room to align by hand: where mmap puts a mapping differs from kernel to kernel. */
	char *area = mmap(NULL, ARRAY + ALIGN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (area == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return (uint64_t *)(area + (ALIGN - (uintptr_t)area % ALIGN) % ALIGN);
}

static const char *mode_now(void)
{
	switch (prctl(PR_GET_THP_DISABLE, 0ul, 0ul, 0ul, 0ul)) {
	case 0:
		return "default";
	case 1:
		return "never";
	case 3:
		return "madvise";
	default:
		return "unknown";
	}
}

static unsigned long huge_mib(void)
{
	unsigned long kib = 0, value;
	FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
	char line[256];

	while (rollup && fgets(line, sizeof(line), rollup)) {
		if (sscanf(line, "AnonHugePages: %lu kB", &value) == 1)
			kib = value;
	}
	if (rollup)
		fclose(rollup);
	return kib / 1024;
}

/* Fills in order, then reads in leaps that every small page's translation must be found for. */
static uint64_t work(uint64_t *array)
{
	const size_t nr = ARRAY / sizeof(*array);
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		array[i] = i;
	for (size_t i = 0, at = 0; i < nr; i++, at = (at + LEAP) % nr)
		sum += array[at];
	return sum;
}

int main(void)
{
	struct timespec start, end;
	struct rusage usage;
	uint64_t *plain = array_new(), *advised = array_new(), sum;

	clock_gettime(CLOCK_MONOTONIC, &start);
	madvise(advised, ARRAY, MADV_HUGEPAGE);
	sum = work(plain) + work(advised);
	clock_gettime(CLOCK_MONOTONIC, &end);
	getrusage(RUSAGE_SELF, &usage);

	printf("%-10s %8lu %9ld %9.2f   %016llx\n", mode_now(), huge_mib(), usage.ru_minflt,
	       (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9,
	       (unsigned long long)sum);
	return 0;
}
