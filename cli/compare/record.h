/* SPDX-License-Identifier: MIT */
/* Runs and what they ran on as JSON: the same in checkpoints and exports. */
#ifndef CLI_COMPARE_RECORD_H
#define CLI_COMPARE_RECORD_H

#include "compare.h"
#include "machine.h"

#include <jansson.h>

/* A number, or null where it was not measured or has no end. */
json_t *record_number(double value);

json_t *record_machine(const struct machine *machine);

json_t *record_run(const struct compare *compare, const struct run *run);

/* The inverse: -EBADMSG where it is no run of this comparison. */
int record_read_run(const struct compare *compare, const json_t *value, struct run *ret_run);

void run_free(struct run *run);

#endif /* CLI_COMPARE_RECORD_H */
