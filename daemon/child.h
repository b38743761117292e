/* SPDX-License-Identifier: MIT */
/*
 * Processes of thpd's own. What can take long or get stuck - to stop another program, to answer the
 * kernel - is done in one of them: it can be killed, the main one goes on, and the kernel then lets
 * go of whatever the child held.
 */
#ifndef DAEMON_CHILD_H
#define DAEMON_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid; /* 0: none */
	int fd;    /* our end of a pair of packet sockets; it ends when the child does */
};

/*
 * Starts a process that calls run(fd, arg) with its end of the pair, all other descriptors but the
 * standard ones closed, and exits with what that returns. It dies with this process and takes no
 * signal but SIGKILL. 0 or -errno.
 */
int child_start(struct child *child, const char *name, int (*run)(int fd, void *arg), void *arg);

/* Whether a process is one of them. */
bool child_is_ours(pid_t pid);

/* Closes our end and kills the child. Who reaps it is the caller of waitpid(2) on SIGCHLD. */
void child_kill(struct child *child);

#endif /* DAEMON_CHILD_H */
