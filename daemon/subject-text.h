/* SPDX-License-Identifier: MIT */
/* Texts that tell of a process. Pure: no files, no allocation, any bytes are survived. */
#ifndef DAEMON_SUBJECT_TEXT_H
#define DAEMON_SUBJECT_TEXT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* What the kernel reads of a script to start it, see execve(2). */
#define SHEBANG_READ 256

/* The first line of a script. */
struct shebang {
	char program[SHEBANG_READ];
	char argument[SHEBANG_READ]; /* blanks inside belong to it; "" none */
};

/* Takes the beginning of a file. False: it is no script. */
bool shebang_parse(const char *head, size_t len, struct shebang *ret_shebang);

/*
 * The name of the program that env(1) looks up for a script "#!/usr/bin/env [-S] NAME ...", "" if
 * the line is another one.
 */
void shebang_env(const struct shebang *shebang, char name[SHEBANG_READ]);

/* A format of executable files that has an interpreter, see binfmt_misc in the kernel's manual. */
struct binfmt {
	bool enabled;
	char interpreter[PATH_MAX];
	char extension[NAME_MAX + 1]; /* "" none: it goes by magic */
	size_t offset;
	unsigned char magic[SHEBANG_READ];
	unsigned char mask[SHEBANG_READ];
	size_t magic_len;
};

/* Takes a file of /proc/sys/fs/binfmt_misc. False: it is none of a format. */
bool binfmt_parse(const char *text, struct binfmt *ret_binfmt);

/* Whether a file of this name and beginning is of a format. */
bool binfmt_is(const struct binfmt *binfmt, const char *path, const char *head, size_t len);

/* A line of /proc/PID/cgroup: one hierarchy. */
struct cgroup_line {
	const char *controllers; /* "cpu,cpuacct", "name=systemd"; empty for version 2 */
	size_t controllers_len;
	char path[PATH_MAX];
};

/* Takes the next line. False: there is none. Lines that are none, or too long, are passed over. */
bool cgroup_next(const char **text, struct cgroup_line *ret_line);

/* Whether a hierarchy has a controller: a name of version 1, "name=NAME", or "v2". */
bool cgroup_has(const struct cgroup_line *line, const char *controller, size_t len);

/* Whether one of the numbers of a text "4 24 1000" lies between two. */
bool numbers_have(const char *text, unsigned first, unsigned last);

/* The part of a path behind its last slash. */
const char *base_name(const char *path);

#endif /* DAEMON_SUBJECT_TEXT_H */
