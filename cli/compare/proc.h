/* SPDX-License-Identifier: MIT */
/* The sole opener of /proc and /sys in a comparison, for what libthp does not read. */
#ifndef CLI_COMPARE_PROC_H
#define CLI_COMPARE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads a whole file into *ret_text, NUL-terminated; the caller frees it. Length or -errno. */
ssize_t proc_read(const char *path, char **ret_text);

/*
 * Lists all descendants of pid, parents before children. They come and go: what is listed may be
 * gone. Returns the count; the caller frees *ret_pids. -ENOMEM.
 */
ssize_t proc_descendants(pid_t pid, pid_t **ret_pids);

#endif /* CLI_COMPARE_PROC_H */
