/* SPDX-License-Identifier: MIT */
/*
 * Programs the plugin must count to the last access. Each region is one piece of assembly between
 * the two marks, so that the compiler can add nothing; what has to come out is written down by
 * hand.
 *
 * Runs on CPU 3 of a machine with two nodes of two CPUs; memory on node 1 is local to it.
 * Prints one line per region: what the plugin has to say about it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define HERE  3
#define THERE 1
#define PAGE  4096UL
#define START "nopl 0x7a1c0b01(%%rax,%%rax,1)\n"
#define STOP  "nopl 0x7a1c0b02(%%rax,%%rax,1)\n"

static void run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("exact: sched_setaffinity");
		exit(1);
	}
}

static char *memory_of(int cpu, size_t pages)
{
	/* Aligned, so that the number of 2 MiB pages it spans is known. */
	char *raw = mmap(NULL, (pages + 512) * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = (char *)(((uintptr_t)raw + (512 * PAGE) - 1) & ~(512 * PAGE - 1));

	if (raw == MAP_FAILED) {
		perror("exact: mmap");
		exit(1);
	}
	run_on(cpu);
	memset(memory, 1, pages * PAGE);
	run_on(HERE);
	return memory;
}

/* Executed once before, so that the region itself meets no page fault for code. */
static void loads(const char *memory, uint64_t count)
{
	uint64_t scratch;

	__asm__ volatile(START "1: movq (%2), %0\n"
			       "add $8, %2\n"
			       "dec %1\n"
			       "jnz 1b\n" STOP
			 : "=&r"(scratch), "+r"(count), "+r"(memory)::"memory", "cc");
}

static void stores(char *memory, uint64_t count)
{
	__asm__ volatile(START "1: movq %0, (%1)\n"
			       "add $8, %1\n"
			       "dec %0\n"
			       "jnz 1b\n" STOP
			 : "+r"(count), "+r"(memory)::"memory", "cc");
}

static void updates(char *memory, uint64_t count)
{
	__asm__ volatile(START "1: addq $1, (%1)\n"
			       "dec %0\n"
			       "jnz 1b\n" STOP
			 : "+r"(count)
			 : "r"(memory)
			 : "memory", "cc");
}

/* One load of each page in turn, rounds times. */
static void cycle(const char *memory, uint64_t pages, uint64_t rounds)
{
	uint64_t scratch, left;
	const char *at;

	__asm__ volatile(START "1: mov %4, %2\n"
			       "mov %5, %1\n"
			       "2: movq (%2), %0\n"
			       "add $4096, %2\n"
			       "dec %1\n"
			       "jnz 2b\n"
			       "dec %3\n"
			       "jnz 1b\n" STOP
			 : "=&r"(scratch), "=&r"(left), "=&r"(at), "+r"(rounds)
			 : "r"(memory), "r"(pages)
			 : "memory", "cc");
}

static void expect(uint64_t ll, uint64_t lr, uint64_t sl, uint64_t sr, uint64_t m4, uint64_t m2)
{
	printf("expect %lu %lu %lu %lu %lu %lu\n", ll, lr, sl, sr, m4, m2);
}

int main(void)
{
	char *near, *far;

	prctl(41, 1, 0, 0, 0); /* PR_SET_THP_DISABLE: 4 KiB pages, each where it was touched */
	near = memory_of(HERE, 4096);
	far = memory_of(THERE, 4096);

	/* TLBs: 4 KiB 128 sets x 4 ways, 2 MiB 8 sets x 4 ways, both cold at a start. */
	loads(near, 100000);
	expect(100000, 0, 0, 0, 196, 1); /* 800000 bytes: 195.3 pages */
	loads(far, 100000);
	expect(0, 100000, 0, 0, 196, 1);
	stores(near, 51200);
	expect(0, 0, 51200, 0, 100, 1);
	stores(far, 512);
	expect(0, 0, 0, 512, 1, 1);
	updates(far, 12345);
	expect(0, 12345, 0, 12345, 1, 1);
	cycle(near, 512, 10); /* fills every way, evicts nothing */
	expect(5120, 0, 0, 0, 512, 1);
	cycle(near, 640, 10); /* 5 pages per set of 4: least recently used always misses */
	expect(6400, 0, 0, 0, 6400, 2);
	cycle(far, 520, 10); /* 8 sets hold 5 pages: they miss, the other 480 pages stay */
	expect(0, 5200, 0, 0, 480 + 10 * 40, 2);
	loads(near, 2 << 20); /* all of the 16 MiB, 2 Mi loads */
	expect(2 << 20, 0, 0, 0, 4096, 8);
	cycle(far, 4096, 200); /* every load another page: the slow way through the plugin */
	expect(0, 4096 * 200, 0, 0, 4096 * 200, 8);
	return 0;
}
