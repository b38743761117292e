/* SPDX-License-Identifier: MIT */
/* Causes of small pages for a person. */
#ifndef CLI_CAUSE_TEXT_H
#define CLI_CAUSE_TEXT_H

#include "thp.h"

#include <stdbool.h>

/* Causes that apply, the one with the most memory first. Returns how many. */
unsigned cause_order(const struct thp_why *why, enum thp_cause ret_causes[THP_CAUSES]);

/* A line for each cause with bytes; with help also what would help. */
void cause_text(const struct thp_why *why, bool help);

#endif /* CLI_CAUSE_TEXT_H */
