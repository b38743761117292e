/* SPDX-License-Identifier: MIT */
/*
 * Many accesses for measuring the plugin: sequential loads, and loads at random over 16 MiB.
 * usage: speed seq|random MILLIONS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "marker.h"

#define WORDS (1UL << 21)

static uint64_t memory[WORDS];

int main(int argc, char **argv)
{
	clock_t begin;
	uint64_t count, sum = 0, state = 88172645463325252ULL;

	if (argc != 3)
		return 2;
	count = strtoull(argv[2], NULL, 10) * 1000000;
	memset(memory, 1, sizeof(memory));
	begin = clock();
	marker_start();
	if (!strcmp(argv[1], "seq")) {
		/* Independent of what is loaded, eight a turn: the loop itself costs little. */
		for (uint64_t i = 0; i < count; i += 8) {
			const volatile uint64_t *word = &memory[i % WORDS];

			sum += word[0] + word[1] + word[2] + word[3];
			sum += word[4] + word[5] + word[6] + word[7];
		}
	} else {
		for (uint64_t i = 0; i < count; i++) {
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			sum += *(const volatile uint64_t *)&memory[state >> 43];
		}
	}
	marker_stop();
	printf("seconds %.3f\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
	printf("sum %lu\n", sum);
	return 0;
}
