/* SPDX-License-Identifier: MIT */
/* Counters of the whole machine, from before a run to its end. */
#ifndef CLI_COMPARE_COUNTERS_H
#define CLI_COMPARE_COUNTERS_H

#include "measure.h"

#include "thp.h"

/* What cannot be read is unknown. */
void counters_read(struct thp_ctx *ctx, struct thp_activity *ret_counters);

/* Writes what was counted between the two into the values of a run; NAN where it is unknown. */
void counters_since(const struct thp_activity *before, const struct thp_activity *after,
		    double values[NR_MEASURES]);

#endif /* CLI_COMPARE_COUNTERS_H */
