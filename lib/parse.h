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
	int kthread;       /* 0, 1, or -1 where there is no such line: before Linux 6.8 */
	int seccomp;       /* of this thread: 0 none, 1 strict, 2 filter */
};
#define PARSE_STATUS_INIT                                                                          \
	(struct parse_status)                                                                      \
	{                                                                                          \
		.thp_enabled = -1, .kthread = -1                                                   \
	}

/* Takes one line; lines it has no use for are passed over. 0 or -EBADMSG. */
int parse_status_line(const char *line, struct parse_status *status);

/* Sums over lines of smaps or smaps_rollup, in bytes. Start from zero and feed line by line. */
struct parse_smaps {
	uint64_t rss;
	uint64_t huge_anon;
	uint64_t huge_shmem;
	uint64_t huge_file;
	uint64_t pss;
	uint64_t swap;
	uint64_t hugetlb;
	unsigned seen; /* how many of these fields there were: 0 for a process without memory */
};

/* Takes one line; lines it has no use for are passed over. 0 or -EBADMSG. */
int parse_smaps_line(const char *line, struct parse_smaps *smaps);

/* A header line of maps or smaps: one mapping. */
struct parse_maps {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	unsigned major;
	unsigned minor;
	unsigned flags;   /* THP_MAP_* */
	const char *name; /* into the line; "" for none */
};

/*
 * Takes one line; the name is unescaped in place. 1: a header; 0: a field of smaps, whose lines
 * start with a capital letter; -EBADMSG: neither.
 */
int parse_maps_line(char *line, struct parse_maps *ret_maps);

/* What smaps tells of one mapping beside numbers. Start from zero and feed line by line. */
struct parse_vma {
	enum thp_advice advice; /* from VmFlags; unknown before Linux 3.8 */
	enum thp_answer eligible;
	bool hugetlb; /* ht */
	bool device;  /* io or pf: no pages that the kernel manages */
	bool watched; /* um, uw, ui: registered with userfaultfd */
};

/* Takes one line; lines it has no use for are passed over. 0 or -EBADMSG. */
int parse_vma_line(const char *line, struct parse_vma *vma);

/* A line of /proc/PID/mountinfo. */
struct parse_mount {
	unsigned major;
	unsigned minor;
	enum parse_mount_type { PARSE_MOUNT_OTHER, PARSE_MOUNT_TMPFS, PARSE_MOUNT_HUGETLB } type;
	enum thp_setting huge; /* of a tmpfs: never (also without the option), always,
				  within_size, advise; unknown: another word */
};

/* 0 or -EBADMSG. */
int parse_mount_line(const char *line, struct parse_mount *ret_mount);

/* Whether a line of /proc/PID/cgroup names a group or one below it. */
bool parse_cgroup_within(const char *line, const char *group);

/* First and last number of the next piece of a list "0-3,7". 1, 0 at the end, -EBADMSG. */
int parse_list_next(const char **text, uint64_t *ret_first, uint64_t *ret_last);

/* A line "name value" of /proc/vmstat: the value if the name is that. 1, 0, or -EBADMSG. */
int parse_vmstat_line(const char *line, const char *name, uint64_t *ret_value);

/* A line of /proc/buddyinfo: free blocks of each order in one zone of one node. */
#define PARSE_BUDDY_ORDERS 32
struct parse_buddy {
	unsigned node;
	unsigned nr_orders;
	uint64_t blocks[PARSE_BUDDY_ORDERS];
};

/* 0 or -EBADMSG. */
int parse_buddy_line(const char *line, struct parse_buddy *ret_buddy);

#endif /* THP_PARSE_H */
