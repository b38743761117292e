/* SPDX-License-Identifier: MIT */
#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <sys/types.h>

/*
 * Reads a whole file, also one of /proc, whose size nobody tells, into *ret_text, NUL-terminated;
 * the caller frees it. Length or -errno.
 */
ssize_t file_read(const char *path, char **ret_text);

#endif /* COMMON_FILE_H */
