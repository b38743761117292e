/* SPDX-License-Identifier: MIT */
/* Environment variables that hold a list of settings. Pure. */
#ifndef CLI_ALWAYS_MERGE_H
#define CLI_ALWAYS_MERGE_H

#include <stddef.h>

/* How a list is written: "a=1:b=2", or "a:1,b:2". */
struct merge_style {
	char between;
	char equals;
};

struct merge_pair {
	const char *name;
	const char *value;
};

#define MERGE_VALUE_MAX 64

/* The value that a list gives a name, the last if there are several, cut. NULL: none. */
const char *merge_value(const struct merge_style *style, const char *list, const char *name,
			char ret_value[MERGE_VALUE_MAX]);

/*
 * A list (NULL: empty) with the pairs behind it whose names it lacks: what is there stays as it is,
 * byte for byte. The caller frees it. NULL: no memory.
 */
char *merge_add(const struct merge_style *style, const char *list, const struct merge_pair *pairs,
		size_t nr);

#endif /* CLI_ALWAYS_MERGE_H */
