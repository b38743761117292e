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
#include <stdbool.h>
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

struct expected {
	uint64_t loads_local, loads_remote, stores_local, stores_remote;
	uint64_t lines; /* from the node that the accesses go to */
	uint64_t misses_4k, misses_2m;
	bool huge;
};

static void expect(struct expected e)
{
	bool remote = e.loads_remote || e.stores_remote;

	printf("accesses %lu %lu %lu %lu\n", e.loads_local, e.loads_remote, e.stores_local,
	       e.stores_remote);
	printf("lines %lu %lu\n", remote ? 0 : e.lines, remote ? e.lines : 0);
	printf("misses %lu %lu %lu %lu\n", e.misses_4k, e.misses_2m, e.huge ? 0 : e.misses_4k,
	       e.huge ? e.misses_2m : 0);
}

/* TLBs: 4 KiB 128 sets x 4 ways, 2 MiB 8 sets x 4 ways; cache 512 sets x 8 ways; cold at a start.
 */
int main(void)
{
	char *near, *far, *huge;

	prctl(41, 1, 0, 0, 0); /* PR_SET_THP_DISABLE: 4 KiB pages, each where it was touched */
	near = memory_of(HERE, 4096);
	far = memory_of(THERE, 4096);
	prctl(41, 0, 0, 0, 0);
	huge = memory_of(HERE, 4096);

	/* 800000 bytes: 195.3 pages, 12500 lines */
	loads(near, 100000);
	expect((struct expected){
		.loads_local = 100000, .lines = 12500, .misses_4k = 196, .misses_2m = 1});
	loads(far, 100000);
	expect((struct expected){
		.loads_remote = 100000, .lines = 12500, .misses_4k = 196, .misses_2m = 1});
	stores(near, 51200);
	expect((struct expected){
		.stores_local = 51200, .lines = 6400, .misses_4k = 100, .misses_2m = 1});
	stores(far, 512);
	expect((struct expected){
		.stores_remote = 512, .lines = 64, .misses_4k = 1, .misses_2m = 1});
	updates(far, 12345);
	expect((struct expected){.loads_remote = 12345,
				 .stores_remote = 12345,
				 .lines = 1,
				 .misses_4k = 1,
				 .misses_2m = 1});
	/* The first lines of 64 pages fill the 8 sets that they share. */
	cycle(near, 64, 10);
	expect((struct expected){.loads_local = 640, .lines = 64, .misses_4k = 64, .misses_2m = 1});
	/* Fills every way of the TLB, evicts nothing; in the cache 64 lines a set take turns. */
	cycle(near, 512, 10);
	expect((struct expected){
		.loads_local = 5120, .lines = 5120, .misses_4k = 512, .misses_2m = 1});
	/* 5 pages per set of 4: least recently used always misses. */
	cycle(near, 640, 10);
	expect((struct expected){
		.loads_local = 6400, .lines = 6400, .misses_4k = 6400, .misses_2m = 2});
	/* 8 sets hold 5 pages: they miss, the other 480 pages stay. */
	cycle(far, 520, 10);
	expect((struct expected){
		.loads_remote = 5200, .lines = 5200, .misses_4k = 480 + 10 * 40, .misses_2m = 2});
	/* All of the 16 MiB. */
	loads(near, 2 << 20);
	expect((struct expected){
		.loads_local = 2 << 20, .lines = 1 << 18, .misses_4k = 4096, .misses_2m = 8});
	/* Every load another page: the slow way through the plugin. */
	cycle(far, 4096, 200);
	expect((struct expected){.loads_remote = 4096 * 200,
				 .lines = 4096 * 200,
				 .misses_4k = 4096 * 200,
				 .misses_2m = 8});
	/* In pages that are huge it is their TLB that counts. */
	cycle(huge, 4096, 10);
	expect((struct expected){.loads_local = 40960,
				 .lines = 40960,
				 .misses_4k = 40960,
				 .misses_2m = 8,
				 .huge = true});
	return 0;
}
