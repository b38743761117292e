/* SPDX-License-Identifier: MIT */
/* On which nodes a process has its memory, and on which its threads run. */
#ifndef CLI_COMPARE_NUMA_H
#define CLI_COMPARE_NUMA_H

#include <stdint.h>
#include <sys/types.h>

#define NUMA_NODES_MAX 1024 /* of the kernel: CONFIG_NODES_SHIFT is 10 at most */

struct numa {
	uint64_t bytes[NUMA_NODES_MAX];   /* of memory */
	uint32_t threads[NUMA_NODES_MAX]; /* that last ran there */
};

/* Number of online nodes; 1 on a machine without NUMA. */
unsigned numa_nodes(void);

/* Adds the bytes of the text of a numa_maps file. Pure. */
void numa_add_maps(struct numa *numa, const char *text);

/* Adds memory and threads of a process. It may be gone. */
void numa_add_process(struct numa *numa, pid_t pid);

/*
 * Share of the memory that lies on nodes where none of the threads last ran: remote to whoever
 * uses it. What threads of several nodes share is not in it. NAN: no memory, or no thread seen.
 */
double numa_remote(const struct numa *numa);

#endif /* CLI_COMPARE_NUMA_H */
