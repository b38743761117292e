/* SPDX-License-Identifier: MIT */
/* Carries a comparison through: round by round, until it is enough or somebody stops it. */
#ifndef CLI_COMPARE_CAMPAIGN_H
#define CLI_COMPARE_CAMPAIGN_H

#include "checkpoint.h"
#include "compare.h"
#include "runner.h"

/* Adds a run to the record, which then owns its texts. 0 or -ENOMEM. */
int campaign_add(struct compare *compare, const struct run *run);

/*
 * Runs what is not recorded yet. An interrupt is no failure: compare->signal tells of it. 0 or
 * -errno, having said why.
 */
int campaign_run(struct compare *compare, struct runner *runner, struct checkpoint *checkpoint);

#endif /* CLI_COMPARE_CAMPAIGN_H */
