/* SPDX-License-Identifier: MIT */
/*
 * far MIB: memory that lies where nobody works on it. Touches it on the first CPU, then reads it on
 * the last one, for half a second of CPU time: before NUMA balancing looks at a process at all.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static int pin(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile char *memory = at;
	unsigned sum = 0;
	clock_t end;

	if (at == MAP_FAILED || pin(0) < 0) {
		perror("far");
		return 1;
	}
	memset(at, 1, size);
	if (pin(sysconf(_SC_NPROCESSORS_ONLN) - 1) < 0) {
		perror("far");
		return 1;
	}
	end = clock() + CLOCKS_PER_SEC / 2;
	while (clock() < end) {
		for (size_t i = 0; i < size; i += PAGE)
			sum += memory[i];
	}
	return sum == 0;
}
