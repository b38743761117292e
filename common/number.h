/* SPDX-License-Identifier: MIT */
/* Numbers that people type, and sizes that people read. */
#ifndef COMMON_NUMBER_H
#define COMMON_NUMBER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A whole process id: digits only, 1 to INT_MAX. 0, or -EINVAL. */
int number_pid(const char *text, pid_t *ret_pid);

/* Addresses "START-END" in hexadecimal, with or without 0x; one address is one byte. 0, -EINVAL. */
int number_range(const char *text, uint64_t *ret_start, uint64_t *ret_end);

/* A size "512", "64K", "2G", also with "iB" behind: powers of 1024. 0, -EINVAL or -ERANGE. */
int number_size(const char *text, uint64_t *ret_bytes);

#define NUMBER_BYTES_MAX 24

/*
 * Writes bytes for a person: "0", "4 KiB", "1.5 GiB"; at most one decimal, none where it is exact.
 * UINT64_MAX reads "unknown". Returns buf.
 */
char *number_bytes(char buf[NUMBER_BYTES_MAX], uint64_t bytes);

#endif /* COMMON_NUMBER_H */
