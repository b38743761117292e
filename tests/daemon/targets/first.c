// SPDX-License-Identifier: MIT
/*
 * first [MIB [stay|plain]]: what a program has from its first instruction on. Advises (not with
 * plain) and touches so much memory at once, and says "flag F later L huge K uid U": the flag as it
 * was at the start and after that, and how many KiB became huge.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define GET_THP_DISABLE 42
#define HUGE            (2ul << 20)

static long huge_kib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	long kib = -1;

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "AnonHugePages: %ld", &kib);
	if (file)
		fclose(file);
	return kib;
}

int main(int argc, char **argv)
{
	int flag = prctl(GET_THP_DISABLE, 0, 0, 0, 0);
	size_t size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 8) << 20;
	char *memory = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	memory = (char *)(((uintptr_t)memory + HUGE - 1) & ~(HUGE - 1));
	if (argc < 3 || strcmp(argv[2], "plain") != 0)
		madvise(memory, size, MADV_HUGEPAGE);
	for (size_t at = 0; at < size; at += 4096)
		memory[at] = 1;
	printf("flag %d later %d huge %ld uid %d\n", flag, prctl(GET_THP_DISABLE, 0, 0, 0, 0),
	       huge_kib(), (int)geteuid());
	fflush(stdout);
	if (argc > 2 && strcmp(argv[2], "stay") == 0)
		pause();
	return 0;
}
