/* SPDX-License-Identifier: MIT */
/*
 * A process as rules see it. Its properties are read when the first rule asks for them: of the most
 * processes one is enough, and each costs as much as all the rest of an event.
 */
#ifndef DAEMON_SUBJECT_H
#define DAEMON_SUBJECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What can be known of it. */
#define SUBJECT_USER   1u /* and the parent */
#define SUBJECT_CPUSET 2u
#define SUBJECT_CGROUP 4u
#define SUBJECT_SCRIPT 8u
#define SUBJECT_EXE    16u
#define SUBJECT_PARENT 32u /* the rule of the parent: only the caller can know */
#define SUBJECT_COMM   64u
#define SUBJECT_ARGV   128u
#define SUBJECT_MEMBER 256u /* supplementary groups */
#define SUBJECT_GROUP  512u

#define SUBJECT_NAME_MAX   64
#define SUBJECT_ARGV_MAX   (3 * PATH_MAX)
#define SUBJECT_GROUPS_MAX 65536
#define SUBJECT_STATUS_MAX 32768

struct subject {
	pid_t pid;        /* 0: nobody: a process that is only thought of */
	const char *root; /* below which /proc is, NULL: the running system */
	unsigned known;   /* SUBJECT_*: which of the fields below hold */
	int err;          /* of the last reading that failed, 0: none did */
	pid_t ppid;
	uid_t uid; /* effective */
	gid_t gid;
	char exe[PATH_MAX];    /* " (deleted)" taken off; "": it has no path */
	char script[PATH_MAX]; /* that exe runs as its interpreter, "" none */
	char comm[SUBJECT_NAME_MAX + 1];
	char argv[SUBJECT_ARGV_MAX]; /* its beginning: words, each ended by NUL */
	size_t argv_len;
	char cpuset[PATH_MAX];
	char groups[SUBJECT_GROUPS_MAX];  /* /proc/PID/cgroup */
	char members[SUBJECT_STATUS_MAX]; /* "4 24 1000" */
	const char *parent_rule;          /* name, "" none */
	/* Tells the name of the rule of a process, "" none, NULL it is not known; NULL: nobody
	 * knows. */
	const char *(*rule_of)(void *arg, pid_t pid);
	void *arg;
};

/* Makes it another process, of which nothing is known; its surroundings stay. */
void subject_start(struct subject *subject, pid_t pid);

/*
 * Makes something known. 0; -ESRCH: the process is gone, or a kernel thread or zombie; -EAGAIN: the
 * parent's rule is not known; -ENODATA: a process that is only thought of does not tell it; others:
 * it cannot be read.
 */
int subject_know(struct subject *subject, unsigned what);

#endif /* DAEMON_SUBJECT_H */
