/* SPDX-License-Identifier: MIT */
/*
 * The files that patterns of paths mean, now and later: directories that they lead through are
 * watched by inotify(7). Symbolic links are not followed: who is executed is known by its real
 * path.
 */
#ifndef DAEMON_MARKS_H
#define DAEMON_MARKS_H

#include "loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct marks_file {
	dev_t device;
	ino_t inode;
};

struct marks {
	struct loop *loop;
	struct loop_watch watch;
	struct loop_timer timer;
	const char **patterns;
	size_t nr_patterns;
	struct marks_file *files; /* that were told of */
	size_t nr_files;
	size_t nr_dirs;
	uint64_t expanded; /* when, and how long that took */
	uint64_t took;
	bool told_full;
	/* A file that is meant, and was not before. It is open for reading while this is called. */
	void (*found)(void *arg, int fd);
	void *arg;
};

#define MARKS_INIT                                                                                 \
	(struct marks)                                                                             \
	{                                                                                          \
		.watch.fd = -1                                                                     \
	}

/* patterns is the caller's and stays; the files that are there are told of at once. 0, -errno. */
int marks_open(struct marks *marks, struct loop *loop, const char **patterns, size_t nr,
	       void (*found)(void *arg, int fd), void *arg);
void marks_close(struct marks *marks);

/* Tells of all files once more. */
void marks_repeat(struct marks *marks);

/* Whether the files of a pattern can be found: not those with "**", which means any depth. */
bool marks_can(const char *pattern);

#endif /* DAEMON_MARKS_H */
