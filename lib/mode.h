/* SPDX-License-Identifier: MIT */
/* Modes and the kernel's flag. */
#ifndef THP_LIB_MODE_H
#define THP_LIB_MODE_H

#include "internal.h"

/* What PR_GET_THP_DISABLE answers in a mode; always and default are both the clear flag. */
int mode_state(enum thp_mode mode);

/* The mode of such an answer: default, never, madvise, or unknown. */
enum thp_mode mode_of_state(long state);

/*
 * What the system gives to whole huge pages of anonymous memory; unknown where it cannot be read.
 * ret_words: the same in words for a reason, "the system says always".
 */
enum thp_setting mode_system_says(struct thp_ctx *ctx, const char **ret_words);

/* Whether a mode holds with the flag clear, where the system says this. */
bool mode_system_gives(enum thp_mode mode, enum thp_setting says);

#endif /* THP_LIB_MODE_H */
