/* SPDX-License-Identifier: MIT */
/*
 * Fuzz targets: each file defines LLVMFuzzerTestOneInput() for one kind of kernel file. make check
 * links it with replay.c and feeds it its corpus; make fuzz-NAME links it with libFuzzer.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input is; holds in builds without assert(3) too. */
#define MUST(what)                                                                                 \
	do {                                                                                       \
		if (!(what))                                                                       \
			abort();                                                                   \
	} while (0)

/*
 * Calls fn for each line, NUL-terminated in memory of exactly its size, so that a sanitizer sees a
 * read behind it. A NUL inside ends the line, as it does for the parsers.
 */
static inline void fuzz_lines(const uint8_t *data, size_t size, void (*fn)(char *line, void *arg),
			      void *arg)
{
	while (size > 0) {
		const uint8_t *newline = __builtin_memchr(data, '\n', size);
		size_t len = newline ? (size_t)(newline - data) : size;
		char *line = malloc(len + 1);

		MUST(line);
		__builtin_memcpy(line, data, len);
		line[len] = '\0';
		fn(line, arg);
		free(line);
		len += newline != NULL;
		data += len;
		size -= len;
	}
}

#endif /* TESTS_FUZZ_H */
