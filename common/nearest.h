/* SPDX-License-Identifier: MIT */
/* "Did you mean": the known word next to a mistyped one. */
#ifndef COMMON_NEAREST_H
#define COMMON_NEAREST_H

#include <stddef.h>

/*
 * The word of words[0..nr) that the fewest edits (insert, delete, replace, swap of neighbours) make
 * of typed, or NULL where none is so near that it was likely meant.
 */
const char *nearest(const char *typed, const char *const words[], size_t nr);

#endif /* COMMON_NEAREST_H */
