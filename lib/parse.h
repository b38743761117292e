/* SPDX-License-Identifier: MIT */
/*
 * Parsers of kernel files. Pure: text in, values out; no files, no allocation, any bytes are
 * survived. Shared by the library, the golden tests and the fuzzers.
 */
#ifndef THP_PARSE_H
#define THP_PARSE_H

#include "thp.h"

#include <stdbool.h>

/*
 * Decimal number at the start of text, behind blanks: at least one digit, no sign.
 * -EBADMSG: no number; -ERANGE: too large. ret_end may be NULL.
 */
int parse_u64(const char *text, uint64_t *ret_value, const char **ret_end);

/* The bracketed word of "always [madvise] never"; THP_SETTING_UNKNOWN if there is none we know. */
enum thp_setting parse_setting(const char *text);

/* Bytes of a directory name "hugepages-2048kB". -EBADMSG: not such a name. */
int parse_size_dir(const char *name, uint64_t *ret_bytes);

/* What /proc/PID/status tells. Start from PARSE_STATUS_INIT and feed line by line. */
struct parse_status {
	char comm[THP_COMM_MAX + 1];
	char state; /* 'R', 'S', 'Z', ...; 0 not seen */
	pid_t tgid;
	pid_t ppid;
	pid_t tracer;
	uid_t uid;
	bool has_vm;       /* VmRSS was there: it has user memory */
	uint64_t resident; /* bytes, valid if has_vm */
	int thp_enabled;   /* 0, 1, or -1 where there is no such line */
	bool kthread;      /* "Kthread: 1", Linux 6.8 */
	int seccomp;       /* of this thread: 0 none, 1 strict, 2 filter */
};
#define PARSE_STATUS_INIT                                                                          \
	(struct parse_status)                                                                      \
	{                                                                                          \
		.thp_enabled = -1                                                                  \
	}

/* Takes one line; lines it has no use for are passed over. 0 or -EBADMSG. */
int parse_status_line(const char *line, struct parse_status *status);

/* Sums over lines of smaps or smaps_rollup, in bytes. Start from zero and feed line by line. */
struct parse_smaps {
	uint64_t rss;
	uint64_t huge_anon;
	uint64_t huge_shmem;
	uint64_t huge_file;
	unsigned seen; /* how many of these fields there were: 0 for a process without memory */
};

/* Takes one line; lines it has no use for are passed over. 0 or -EBADMSG. */
int parse_smaps_line(const char *line, struct parse_smaps *smaps);

#endif /* THP_PARSE_H */
