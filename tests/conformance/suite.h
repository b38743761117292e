/* SPDX-License-Identifier: MIT */
/* What all groups of experiments share. */
#ifndef CONFORMANCE_SUITE_H
#define CONFORMANCE_SUITE_H

#include <stdbool.h>

#include "cell.h"
#include "model.h"
#include "report.h"

struct suite {
	struct caps caps;
	struct place place;
	struct system found; /* the system's settings as they were */
	bool may_write;      /* root, and a writable sysfs: settings may be changed */
	struct report report;
};

#define NEEDS_ROOT "needs root and a writable " SETTINGS_DIR

/* Find out what this kernel and the place for files can do. The flag of this process is clear. */
void caps_detect(const struct place *place, const char *release, struct caps *ret_caps);

/*
 * The one capability that shows only under settings of its own: needs suite->found, and writes
 * settings if it may.
 */
void caps_detect_shmem_collapse(struct suite *suite);

/* The block of all combinations, and the settings that matter beside the top-level words. */
void run_matrix(struct suite *suite);
void run_settings(struct suite *suite);

void run_arguments(struct suite *suite);  /* what prctl accepts and refuses */
void run_life(struct suite *suite);       /* the flag over a process's life */
void run_sizes(struct suite *suite);      /* mTHP: pages smaller than PMD */
void run_khugepaged(struct suite *suite); /* the collapsing daemon */

#endif
