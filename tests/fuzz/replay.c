// SPDX-License-Identifier: MIT
/*
 * replay DIRECTORY: gives each file of a corpus to the target that it is linked with, whole, cut at
 * every length and with every byte in turn replaced, and answers in TAP.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define SIZE_MAX_REPLAYED (1 << 16)
#define MUTATED_MAX       2000 /* longer ones are not mutated byte by byte */

static uint8_t data[SIZE_MAX_REPLAYED];

static void mutate(size_t size)
{
	static const uint8_t bytes[] = {'\0', '\n', ' ', '-', ':', ',', '0', '9', 'f', '\\', 0xff};

	for (size_t i = 0; i < size; i++) {
		uint8_t kept = data[i];

		LLVMFuzzerTestOneInput(data, i);
		for (size_t j = 0; j < sizeof(bytes); j++) {
			data[i] = bytes[j];
			LLVMFuzzerTestOneInput(data, size);
		}
		data[i] = kept;
	}
}

static int replay(const char *directory, const char *name)
{
	char path[4096];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "rb");
	if (!file)
		return -1;
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	if (size <= MUTATED_MAX)
		mutate(size);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *corpus = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	int nr = 0, failed = 0;

	if (!corpus) {
		fprintf(stderr, "usage: replay DIRECTORY\n");
		return 2;
	}
	while ((entry = readdir(corpus))) {
		if (entry->d_name[0] == '.')
			continue;
		/* A crash ends the program here; the name says what it was given. */
		printf("# %s\n", entry->d_name);
		fflush(stdout);
		if (replay(argv[1], entry->d_name) < 0) {
			printf("not ok %d - %s: cannot be read\n", ++nr, entry->d_name);
			failed = 1;
		} else {
			printf("ok %d - %s\n", ++nr, entry->d_name);
		}
	}
	closedir(corpus);
	printf("1..%d\n", nr);
	return failed || nr == 0;
}
