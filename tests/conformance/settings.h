/* SPDX-License-Identifier: MIT */
/*
 * The files below /sys/kernel/mm/transparent_hugepage. This suite is the only part of the project
 * that writes there, and only between settings_save() and settings_restore(); see guard.h for who
 * calls the latter.
 */
#ifndef CONFORMANCE_SETTINGS_H
#define CONFORMANCE_SETTINGS_H

#include <stdbool.h>

#include "model.h"

#define SETTINGS_DIR "/sys/kernel/mm/transparent_hugepage"

/* Remember every value that the suite may change. Returns how many, or -errno. */
int settings_save(void);

/*
 * Put back what differs from the saved values and read it again. Returns how many files still
 * differ. Only async-signal-safe calls: it runs in signal handlers.
 */
int settings_restore(void);

/* The directory is there and we may write to it. */
bool settings_writable(void);

/*
 * The current value of `name` (relative to the directory): the word in brackets, or the whole line
 * where there are no brackets. Returns 0 or -errno.
 */
int settings_read(const char *name, char *ret_value, int size);
enum word settings_read_word(const char *name);
long settings_read_number(const char *name);

/* Returns 0 or -errno; fails for a file that was not saved. */
int settings_write(const char *name, const char *value);
int settings_write_number(const char *name, long value);

/* All that decides about memory of PMD size. Absent files are left alone by the second. */
void settings_read_system(long pmd_kb, struct system *ret_system);
int settings_write_system(long pmd_kb, const struct system *system);

/*
 * Sizes with a per-size file for anonymous memory, ascending, in kB. Returns how many (0 before
 * 6.8).
 */
int settings_anon_sizes(long *ret_kb, int max);

/*
 * A quiet machine for the tests of page faults: no other size than PMD, direct compaction on every
 * fault so that a fragmented machine gives huge pages too, and khugepaged asleep, so that what is
 * seen is what the fault did.
 */
int settings_write_baseline(long pmd_kb);

#endif
