/* SPDX-License-Identifier: MIT */
/* The sole opener of files below /proc and /sys, on the running system or in a captured tree. */
#ifndef THP_ROOT_H
#define THP_ROOT_H

#include "internal.h"

#include <dirent.h>

#define ROOT_THP "sys/kernel/mm/transparent_hugepage"

/* Paths are relative to the root and start without a slash: "proc/1/status". */

/* Opens a file for reading. Returns the descriptor (close-on-exec) or -errno. */
int root_open(struct thp_ctx *ctx, const char *path);

/* Opens a process's memory, "proc/1/mem", for reading and writing, on the running system. */
int root_open_mem(struct thp_ctx *ctx, const char *path);

/*
 * Reads a whole small file into buf and ends it with NUL. Returns the length, without the NUL.
 * -EFBIG: it does not fit.
 */
ssize_t root_read(struct thp_ctx *ctx, const char *path, char *buf, size_t size);

/* The same from an open descriptor; path serves for the reason only. */
ssize_t root_read_fd(struct thp_ctx *ctx, int fd, const char *path, char *buf, size_t size);

/* Opens a directory; the caller gives it to closedir(3). */
int root_opendir(struct thp_ctx *ctx, const char *path, DIR **ret_dir);

/* Whether a path is there: 1, 0, or -errno where that cannot be told. */
int root_exists(struct thp_ctx *ctx, const char *path);

/* Whether something is on a sysfs, as everything below /sys is unless it is covered. 1 or 0. */
int root_on_sysfs(struct thp_ctx *ctx, const char *path);

#endif /* THP_ROOT_H */
