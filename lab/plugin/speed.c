/* SPDX-License-Identifier: MIT */
/*
 * Many accesses for measuring the plugin: sequential loads, or loads at random, over KIB of memory.
 * usage: speed seq|random MILLIONS KIB (a power of two, at most 16384)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "marker.h"

#define MAX_WORDS (1UL << 21)

static uint64_t memory[MAX_WORDS] __attribute__((aligned(1 << 21)));

/*
 * QEMU keeps translations in a table of its own that starts with 256 pages and doubles only when
 * the guest flushes its TLB and the table was full. What busy programs come to by the way.
 */
static void grow_table(void)
{
	for (int i = 0; i < 8; i++) {
		for (size_t word = 0; word < MAX_WORDS; word += 512)
			memory[word]++;
		/* More pages than the kernel flushes one by one. */
		if (mprotect(memory, 4 << 20, PROT_READ) ||
		    mprotect(memory, 4 << 20, PROT_READ | PROT_WRITE))
			exit(1);
	}
}

int main(int argc, char **argv)
{
	clock_t begin;
	uint64_t count, mask, sum = 0, state = 88172645463325252ULL;

	if (argc != 4)
		return 2;
	count = strtoull(argv[2], NULL, 10) * 1000000;
	mask = strtoull(argv[3], NULL, 10) * (1024 / sizeof(*memory)) - 1;
	if (mask >= MAX_WORDS || mask & (mask + 1))
		return 2;
	memset(memory, 1, sizeof(memory));
	grow_table();
	begin = clock();
	marker_start();
	if (!strcmp(argv[1], "seq")) {
		/* Independent of what is loaded, eight a turn: the loop itself costs little. */
		for (uint64_t i = 0; i < count; i += 8) {
			const volatile uint64_t *word = &memory[i & mask];

			sum += word[0] + word[1] + word[2] + word[3];
			sum += word[4] + word[5] + word[6] + word[7];
		}
	} else {
		for (uint64_t i = 0; i < count; i++) {
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			sum += *(const volatile uint64_t *)&memory[state >> 43 & mask];
		}
	}
	marker_stop();
	printf("seconds %.3f\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
	printf("sum %lu\n", sum);
	return 0;
}
