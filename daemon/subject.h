/* SPDX-License-Identifier: MIT */
/* A process as rules see it. */
#ifndef DAEMON_SUBJECT_H
#define DAEMON_SUBJECT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* What of it is to be known; the program always is. */
#define SUBJECT_STATUS 1u /* user, group, command, parent */
#define SUBJECT_CPUSET 2u
#define SUBJECT_CGROUP 4u
#define SUBJECT_SCRIPT 8u
#define SUBJECT_PARENT 16u /* the rule of the parent: only the caller can know */

#define SUBJECT_NAME_MAX   64
#define SUBJECT_GROUPS_MAX 16384

struct subject {
	pid_t pid;
	pid_t ppid;
	uid_t uid; /* effective */
	gid_t gid;
	char exe[PATH_MAX];    /* " (deleted)" taken off */
	char script[PATH_MAX]; /* that exe runs as its interpreter, "" none */
	char comm[SUBJECT_NAME_MAX + 1];
	char cpuset[PATH_MAX];
	char groups[SUBJECT_GROUPS_MAX]; /* /proc/PID/cgroup */
	const char *parent_rule;         /* name; "" none, NULL not known */
};

/* Reads what needs says. -ESRCH: gone, or a kernel thread or zombie; others: it cannot be read. */
int subject_read(struct subject *subject, pid_t pid, unsigned needs);

#endif /* DAEMON_SUBJECT_H */
