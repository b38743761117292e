/* SPDX-License-Identifier: MIT */
/* JSON values of what may be anything: names are bytes, sizes may be unknown. */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <jansson.h>
#include <stdint.h>

/* A string of arbitrary bytes: what is no valid UTF-8 becomes U+FFFD. New reference, or NULL. */
json_t *json_text(const char *text);

/* A size in bytes, null where it is UINT64_MAX: unknown is never a number. New reference. */
json_t *json_bytes(uint64_t bytes);

/* Writes value to standard output with a newline and drops it. 0, or -ENOMEM if value is NULL. */
int json_print(json_t *value);

#endif /* COMMON_JSON_H */
