/* SPDX-License-Identifier: MIT */
/* Counts and causes as JSON; see thpctl-map(1). Each returns a new reference, or NULL. */
#ifndef CLI_USAGE_JSON_H
#define CLI_USAGE_JSON_H

#include "thp.h"

#include <jansson.h>

json_t *usage_counts_json(const struct thp_counts *counts, unsigned use, uint64_t page_size);
json_t *usage_why_json(const struct thp_why *why);
json_t *usage_mapping_json(const struct thp_mapping *mapping, unsigned use, uint64_t page_size);

#endif /* CLI_USAGE_JSON_H */
