// SPDX-License-Identifier: MIT
#include "nearest.h"

#include <string.h>

#define WORD_MAX 32

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edit distance with transpositions (optimal string alignment); both at most WORD_MAX long. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t d[WORD_MAX + 1][WORD_MAX + 1];

	for (size_t i = 0; i <= a_len; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= b_len; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		for (size_t j = 1; j <= b_len; j++) {
			size_t replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			d[i][j] = min(replace, min(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[a_len][b_len];
}

const char *nearest(const char *typed, const char *const words[], size_t nr)
{
	size_t typed_len = strnlen(typed, WORD_MAX + 1), best = WORD_MAX;
	const char *found = NULL;

	if (typed_len > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(words[i]);
		size_t edits = distance(typed, typed_len, words[i], len);

		/* A third of the word wrong is a typing error, more is another word. */
		if (edits < best && edits <= (len + 2) / 3) {
			best = edits;
			found = words[i];
		}
	}
	return found;
}
