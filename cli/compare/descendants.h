/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMPARE_DESCENDANTS_H
#define CLI_COMPARE_DESCENDANTS_H

#include <stddef.h>
#include <sys/types.h>

struct pids {
	pid_t *list;
	size_t nr;
	size_t room;
};

/*
 * Lists all descendants of pid, parents before children, without those in except and theirs, by
 * what the kernel keeps of each: the cost does not grow with the processes of the machine, as that
 * of a family_read() would. They come and go: what is listed may be gone. 0 or -ENOMEM; the caller
 * gives *ret_pids to pids_free().
 */
int descendants_list(pid_t pid, const struct pids *except, struct pids *ret_pids);

/* The same of the children alone. */
int descendants_children(pid_t pid, struct pids *ret_pids);

void pids_remove(struct pids *pids, pid_t pid);

void pids_free(struct pids *pids);

#endif /* CLI_COMPARE_DESCENDANTS_H */
