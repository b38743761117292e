/* SPDX-License-Identifier: MIT */
/*
 * What the kernel is expected to do with one piece of memory. Pure: values in, values out; nothing
 * here reads the system. Every rule in model.c names the release, commit or page it comes from.
 */
#ifndef CONFORMANCE_MODEL_H
#define CONFORMANCE_MODEL_H

#include <stdbool.h>

/* The per-process flag, as PR_SET_THP_DISABLE sets it. */
enum flag { FLAG_CLEAR, FLAG_NEVER, FLAG_MADVISE, FLAG_COUNT };

/* The program's own advice for the memory. */
enum advice { ADVICE_NONE, ADVICE_NOHUGE, ADVICE_HUGE, ADVICE_COLLAPSE, ADVICE_COUNT };

/* What kind of memory it is. */
enum kind { KIND_ANON, KIND_HEAP, KIND_SHMEM, KIND_FILE, KIND_COUNT };

/*
 * A word in brackets in a file below /sys/kernel/mm/transparent_hugepage. The shmem files say
 * "advise" where the anonymous ones say "madvise"; it is the same thing.
 */
enum word {
	WORD_ABSENT, /* the file does not exist */
	WORD_NEVER,
	WORD_MADVISE,
	WORD_ALWAYS,
	WORD_INHERIT,     /* per-size files only */
	WORD_WITHIN_SIZE, /* shmem only */
	WORD_DENY,        /* shmem_enabled only */
	WORD_FORCE,       /* shmem_enabled only */
	WORD_UNKNOWN,     /* a word of a later kernel, or an unreadable file */
	WORD_COUNT,
};

/* The system's settings that decide about memory of PMD size. */
struct system {
	enum word enabled;      /* enabled */
	enum word size_enabled; /* hugepages-<PMD>kB/enabled, since 6.8 */
	enum word shmem;        /* shmem_enabled */
	enum word size_shmem;   /* hugepages-<PMD>kB/shmem_enabled, since 6.11 */
};

/* What this kernel can do. caps.c finds out how. */
struct caps {
	int version;           /* KERNEL_VERSION(6, 18, 0) is 0x061200 */
	bool thp;              /* CONFIG_TRANSPARENT_HUGEPAGE */
	bool except_advised;   /* PR_THP_DISABLE_EXCEPT_ADVISED */
	bool collapse;         /* MADV_COLLAPSE */
	bool status_field;     /* THP_enabled in /proc/PID/status */
	bool file_collapse;    /* khugepaged's machinery takes pages of our file system */
	bool file_fault;       /* advised faults on our file system bring large folios */
	bool shmem_size_binds; /* MADV_COLLAPSE of shmem obeys the per-size file */
	long pmd_kb;           /* hpage_pmd_size */
};

struct cell {
	enum flag flag;
	enum advice advice;
	enum kind kind;
};

struct expectation {
	long set;         /* PR_SET_THP_DISABLE: 0 or -errno */
	long get;         /* PR_GET_THP_DISABLE */
	long thp_enabled; /* THP_enabled: 0, 1, or -ENODATA: no such line */
	long advice;      /* madvise(): 0 or -errno */
	long huge_kb;     /* mapped by PMD afterwards */
	const char *open; /* why the kernel leaves huge_kb (and advice) open, or NULL */
	const char *rule; /* which rule decided huge_kb */
};

#define MODEL_VERSION(major, minor) ((major) << 16 | (minor) << 8)

struct expectation model_expect(const struct caps *caps, const struct system *system,
				const struct cell *cell);

/* The flag's own part: what SET returns, and which flag is in force afterwards. */
long model_set(const struct caps *caps, enum flag flag);
enum flag model_flag_in_force(const struct caps *caps, enum flag flag);
long model_get(enum flag in_force);
long model_thp_enabled(const struct caps *caps, enum flag in_force);

/*
 * Whether a first touch of anonymous memory may take a page of a size whose per-size file says
 * `size`, while the top-level file says `top`. For every order, mTHP as well as PMD.
 */
bool model_anon_allowed(enum word top, enum word size, enum flag in_force, enum advice advice);

const char *model_flag_name(enum flag flag);
const char *model_advice_name(enum advice advice);
const char *model_kind_name(enum kind kind);
const char *model_word_name(enum word word);

#endif
