/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMPARE_DESCENDANTS_H
#define CLI_COMPARE_DESCENDANTS_H

#include <sys/types.h>

/*
 * Lists all descendants of pid, parents before children, by what the kernel keeps of each: the cost
 * does not grow with the processes of the machine, as that of a family_read() would. They come and
 * go: what is listed may be gone. Returns the count; the caller frees *ret_pids. -ENOMEM.
 */
ssize_t descendants_list(pid_t pid, pid_t **ret_pids);

#endif /* CLI_COMPARE_DESCENDANTS_H */
