/* SPDX-License-Identifier: MIT */
/* Settings and modes in words that a person understands. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "thp.h"

#define WORDS_MAX 256

/* What anonymous memory gets at its first touch. Each returns buf. */
char *words_anon(char buf[WORDS_MAX], const struct thp_system *system, int advised);

/* What shared memory of the kernel's internal mount gets. */
char *words_shmem(char buf[WORDS_MAX], const struct thp_system *system);

/* "never", or what it may be: "default|madvise". */
char *words_mode(char buf[WORDS_MAX], const struct thp_process *process);

/* A set from thp_effective(): "madvise", "madvise|always", "unknown". */
char *words_effective(char buf[WORDS_MAX], unsigned effective);

#endif /* CLI_WORDS_H */
