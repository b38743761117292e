/* SPDX-License-Identifier: MIT */
/* Why one arm was faster, as far as it was measured. Pure. */
#ifndef CLI_COMPARE_REASON_H
#define CLI_COMPARE_REASON_H

#include "result.h"

#define REASON_MAX 1024

/*
 * Writes the likely causes of a difference, or "cause not measured"; empty where there is no
 * difference to explain. Returns buf.
 */
char *reason_text(char buf[REASON_MAX], const struct compare *compare,
		  const struct program_result *result, const struct comparison *comparison);

#endif /* CLI_COMPARE_REASON_H */
