/* SPDX-License-Identifier: MIT */
/*
 * libthp - transparent huge pages (THP) of one process, not of the machine.
 *
 * Conventions
 *   Functions return 0, a positive count, or -errno. Outputs are named ret_* and stay untouched on
 *   failure. After a failure thp_reason() says which file or call failed, and why.
 *   Structures start with a size field that the caller sets to sizeof; the library writes no more
 *   than that, so a program keeps working when a later version appends fields.
 *   Sizes are bytes. The library never prints, exits, reads the environment or leaves a signal
 *   state changed. A context may be used by one thread at a time; contexts are independent.
 */
#ifndef THP_H
#define THP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define THP_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- context ------------------------------------------------------------------------------- */

struct thp_ctx;

/*
 * Opens a context. root is the directory under which /proc and /sys are looked up: NULL for the
 * running system, or a captured tree, which can only be read. The caller owns *ret_ctx and gives
 * it to thp_close(). Errors: -ENOMEM, or what open(2) of root gave.
 */
int thp_open(struct thp_ctx **ret_ctx, const char *root);

/* Closes a context; NULL is allowed. */
void thp_close(struct thp_ctx *ctx);

/* Text of the last failure: what, on what, why. Owned by ctx, valid until its next call. */
const char *thp_reason(const struct thp_ctx *ctx);

/* ---- modes --------------------------------------------------------------------------------- */

/*
 * What a process is to get. The kernel's flag (prctl(2) PR_SET_THP_DISABLE) can only take away:
 * "always" is the clear flag on a system that says always.
 */
enum thp_mode {
	THP_MODE_UNKNOWN = 0, /* only an answer: cannot be known from here */
	THP_MODE_DEFAULT = 1, /* flag clear: as the system says */
	THP_MODE_NEVER = 2,   /* not even where advised: PR_SET_THP_DISABLE, Linux 3.15 */
	THP_MODE_MADVISE = 3, /* only where advised: PR_THP_DISABLE_EXCEPT_ADVISED, Linux 6.18 */
	THP_MODE_ALWAYS = 4,  /* wherever memory allows */
};

/* Bit of a mode in a set of modes. */
#define THP_MODE_BIT(mode) (1u << (mode))

/* Name of a mode ("never", "madvise", "always", "default", "unknown"); static storage. */
const char *thp_mode_name(enum thp_mode mode);

/* Mode of a name. -EINVAL: none of the four that can be asked for. */
int thp_mode_parse(const char *name, enum thp_mode *ret_mode);

/* What a mode that is in force rests on. */
enum thp_basis {
	THP_BASIS_NONE = 0,
	THP_BASIS_FLAG = 1,   /* the process's own flag, whatever the system says later */
	THP_BASIS_SYSTEM = 2, /* the system's setting, which an administrator may change */
};

/*
 * Reads the flag of the calling process: THP_MODE_DEFAULT, _NEVER or _MADVISE.
 * The flag belongs to the memory map: it covers all threads, is inherited by fork(2) and clone(2)
 * and kept by execve(2).
 * Errors: -EOPNOTSUPP before Linux 3.15, -EPERM, -EINVAL and others from a seccomp filter,
 * -EROFS in a captured tree, which has no calling process.
 */
int thp_self_get(struct thp_ctx *ctx, enum thp_mode *ret_mode);

/*
 * Puts the calling process into a mode and reads it back; ret_basis may be NULL.
 * Success means that the mode is in force, be it by the flag or by the system's setting; madvise
 * without PR_THP_DISABLE_EXCEPT_ADVISED (before Linux 6.18) holds only while the system says
 * madvise, always only while it says always; of madvise thp_reason() then tells what was said to
 * the flag. Huge pages that exist already are not split. Never call it in a child of vfork(2) or a
 * CLONE_VM clone: it changes the parent too. On failure the flag is as it was before, unless the
 * kernel took it and only reading it was refused. Errors: -EOPNOTSUPP the kernel and its present
 * setting have no way to this mode, -EPERM and others from a seccomp filter, -EROFS in a captured
 * tree, -EINVAL no such mode.
 */
int thp_self_set(struct thp_ctx *ctx, enum thp_mode mode, enum thp_basis *ret_basis);

/*
 * Tells whether a mode is in force for the calling process, without changing anything.
 * 1: it is, on *ret_basis (may be NULL). 0: it is not, and thp_reason() says what is instead.
 * Errors: those of thp_self_get().
 */
int thp_self_verify(struct thp_ctx *ctx, enum thp_mode mode, enum thp_basis *ret_basis);

/* ---- what the kernel can do ---------------------------------------------------------------- */

enum thp_answer {
	THP_UNKNOWN = 0, /* hidden from here, by a seccomp filter or a captured tree for example */
	THP_NO = 1,
	THP_YES = 2,
};

struct thp_caps {
	size_t size;                     /* in: sizeof(struct thp_caps) */
	enum thp_answer thp;             /* the kernel has THP (CONFIG_TRANSPARENT_HUGEPAGE) */
	enum thp_answer flag;            /* PR_SET_THP_DISABLE, Linux 3.15 */
	enum thp_answer except_advised;  /* PR_THP_DISABLE_EXCEPT_ADVISED, Linux 6.18 */
	enum thp_answer collapse;        /* MADV_COLLAPSE, Linux 6.1 */
	enum thp_answer process_madvise; /* process_madvise(2), Linux 5.10 */
	enum thp_answer pagemap_scan;    /* PAGEMAP_SCAN, Linux 6.7 */
	enum thp_answer sizes;           /* per-size settings (mTHP), Linux 6.8 */
};

/*
 * Asks the kernel what it can do, by calls that change nothing in the calling process: the flag is
 * tried in a short-lived child of its own (no SIGCHLD), whose page tables are a copy, so in a
 * process of many GiB the call costs as much as a fork(2). Never fails on a live system because
 * a feature is missing. Errors: -EINVAL ret_caps->size too small.
 */
int thp_caps_read(struct thp_ctx *ctx, struct thp_caps *ret_caps);

/* ---- the system's settings ----------------------------------------------------------------- */

/* The words found in the settings files; which of them a file can hold is told below. */
enum thp_setting {
	THP_SETTING_UNKNOWN = 0, /* unreadable, or a word unknown to this version */
	THP_SETTING_NEVER = 1,
	THP_SETTING_MADVISE = 2,
	THP_SETTING_ALWAYS = 3,
	THP_SETTING_INHERIT = 4,
	THP_SETTING_DEFER = 5,
	THP_SETTING_DEFER_MADVISE = 6,
	THP_SETTING_WITHIN_SIZE = 7,
	THP_SETTING_ADVISE = 8,
	THP_SETTING_DENY = 9,
	THP_SETTING_FORCE = 10,
	THP_SETTING_NONE = 11, /* the kernel has no such file */
};

/* Word of a setting as the kernel writes it ("defer+madvise"), or "unknown"; static storage. */
const char *thp_setting_name(enum thp_setting setting);

enum thp_presence {
	THP_PRESENT = 1, /* settings were found */
	THP_ABSENT = 2,  /* sysfs is there and the settings are not: a kernel without THP */
	THP_HIDDEN = 3,  /* sysfs itself is not visible here, so nothing is known */
};

/* More than there are orders of pages on any architecture. */
#define THP_SIZES_MAX     32
#define THP_COUNT_UNKNOWN (-1) /* in a signed counter or switch: could not be read */

struct thp_size_setting {
	uint64_t bytes;
	enum thp_setting enabled;       /* always, inherit, madvise, never; none: not this size */
	enum thp_setting shmem_enabled; /* always, inherit, within_size, advise, never; none */
};

/* /sys/kernel/mm/transparent_hugepage, see Documentation/admin-guide/mm/transhuge.rst */
struct thp_system {
	size_t size; /* in: sizeof(struct thp_system) */
	enum thp_presence presence;
	enum thp_setting enabled;       /* always, madvise, never */
	enum thp_setting defrag;        /* always, defer, defer+madvise, madvise, never */
	enum thp_setting shmem_enabled; /* always, within_size, advise, never, deny, force */
	uint64_t pmd_bytes;             /* hpage_pmd_size: a whole huge page; 0 unknown */
	int use_zero_page;              /* 0, 1 or THP_COUNT_UNKNOWN */
	struct thp_khugepaged {         /* each THP_COUNT_UNKNOWN where absent */
		int defrag;
		int64_t pages_to_scan;
		int64_t scan_sleep_ms;
		int64_t alloc_sleep_ms;
		int64_t max_ptes_none;
		int64_t max_ptes_swap;
		int64_t max_ptes_shared;
		int64_t pages_collapsed;
		int64_t full_scans;
	} khugepaged;
	unsigned nr_sizes; /* per-size settings, smallest first; 0 before Linux 6.8 */
	struct thp_size_setting sizes[THP_SIZES_MAX];
};

/*
 * Reads the system's settings. A system without THP or with sysfs hidden is no failure: see
 * presence. Errors: -EINVAL ret_system->size too small, -ENOMEM, I/O errors.
 */
int thp_system_read(struct thp_ctx *ctx, struct thp_system *ret_system);

/*
 * What the settings mean for anonymous memory of one page size, top-level and per-size settings
 * taken together: THP_SETTING_ALWAYS, _MADVISE, _NEVER, or _UNKNOWN.
 */
enum thp_setting thp_system_anon(const struct thp_system *system, uint64_t bytes);

/*
 * The same for shared memory of the kernel's internal mount (memfd, MAP_SHARED|MAP_ANONYMOUS,
 * System V): _ALWAYS, _WITHIN_SIZE, _ADVISE, _NEVER, or _UNKNOWN. A mounted tmpfs follows its own
 * huge= option instead.
 */
enum thp_setting thp_system_shmem(const struct thp_system *system, uint64_t bytes);

/* ---- other processes ----------------------------------------------------------------------- */

enum thp_kind {
	THP_KIND_USER = 1,   /* has memory of its own */
	THP_KIND_KERNEL = 2, /* kernel thread: no user memory */
	THP_KIND_ZOMBIE = 3, /* ended, not yet waited for: no memory any more */
};

#define THP_BYTES_UNKNOWN UINT64_MAX
#define THP_COMM_MAX      64 /* kernel threads have names longer than TASK_COMM_LEN */

struct thp_process {
	size_t size; /* in: sizeof(struct thp_process) */
	pid_t pid;   /* process (thread group), also when a thread's id was asked for */
	pid_t ppid;
	pid_t tracer; /* who traces it, 0 nobody */
	uid_t uid;    /* real user */
	enum thp_kind kind;
	/*
	 * never, default, or unknown: /proc/PID/status tells full disable only (THP_enabled, Linux
	 * 5.0), so on a kernel with PR_THP_DISABLE_EXCEPT_ADVISED "madvise" and "default" look
	 * alike from outside. possible holds THP_MODE_BIT()s of what it may be, at least one for a
	 * user process.
	 */
	enum thp_mode mode;
	unsigned possible;
	/* Bytes, or THP_BYTES_UNKNOWN: not asked for, or not permitted; never a wrong zero. */
	uint64_t resident;
	uint64_t huge_anon;  /* AnonHugePages:  mapped by huge page table entries only */
	uint64_t huge_shmem; /* ShmemPmdMapped: a huge page with a hole counts nothing */
	uint64_t huge_file;  /* FilePmdMapped  */
	/*
	 * Pss: what is shared counts for each process that shares it by its part, so a sum over
	 * processes counts nothing twice. With THP_READ_HUGE.
	 */
	uint64_t proportional;
	char comm[THP_COMM_MAX + 1]; /* raw bytes, NUL-terminated: may hold newlines and the like */
};

/* Read flags. */
#define THP_READ_HUGE 1u /* also one read of smaps_rollup, which walks the page tables */

/*
 * Reads one process; pid 0 is the caller, whose number in /proc differs from getpid(2) where that
 * is of another PID namespace. When its main thread has exited, a live thread is read in its place.
 * Without permission for the huge counts they are THP_BYTES_UNKNOWN and the call succeeds.
 * Errors: -ESRCH gone, -EACCES/-EPERM hidden, -EINVAL ret_process->size too small or unknown flag.
 */
int thp_process_read(struct thp_ctx *ctx, pid_t pid, unsigned flags,
		     struct thp_process *ret_process);

/* Sum of the three huge counts of a process, or THP_BYTES_UNKNOWN. */
uint64_t thp_process_huge(const struct thp_process *process);

/*
 * What a process gets for unadvised and advised anonymous memory of a whole huge page: its flag
 * and the system's setting taken together. Result: a set of THP_SETTING bits, 1u << _NEVER,
 * _MADVISE or _ALWAYS; more than one where the mode is not known and makes a difference; 0 unknown.
 */
unsigned thp_effective(const struct thp_system *system, unsigned possible_modes);

/*
 * Lists the processes there are now, ascending. Returns the count; the caller frees *ret_pids
 * with free(3). Processes come and go: expect -ESRCH for any of them. Errors: -ENOMEM, I/O errors.
 */
ssize_t thp_process_list(struct thp_ctx *ctx, pid_t **ret_pids);

/*
 * Whether a process belongs to a control group or to one below it: 1, 0, or -errno. group is a path
 * as in /proc/PID/cgroup ("/batch/a b"); with several hierarchies (cgroup v1), in any of them.
 * -EINVAL: it does not begin with "/".
 */
int thp_process_in_cgroup(struct thp_ctx *ctx, pid_t pid, const char *group);

/* The same for the cpuset of a process, a path as in /proc/PID/cpuset. */
int thp_process_in_cpuset(struct thp_ctx *ctx, pid_t pid, const char *group);

/* ---- use of memory ------------------------------------------------------------------------- */

/* What stands behind a mapping. */
enum thp_backing {
	THP_BACKING_ANON = 1,    /* private memory: heap, stack, malloc */
	THP_BACKING_FILE = 2,    /* a file of a file system, private copies of its pages included */
	THP_BACKING_SHMEM = 3,   /* tmpfs, memfd, System V, MAP_SHARED|MAP_ANONYMOUS */
	THP_BACKING_HUGETLB = 4, /* the preallocated huge pages of hugetlbfs: not THP */
	THP_BACKING_SPECIAL = 5, /* memory of a device or of the kernel (vdso) */
};

/* What the program told the kernel about a mapping; there is no way back to none. */
enum thp_advice {
	THP_ADVICE_UNKNOWN = 0, /* not asked for, see THP_USE_ADVICE */
	THP_ADVICE_NONE = 1,
	THP_ADVICE_HUGE = 2,   /* MADV_HUGEPAGE: "hg" in smaps */
	THP_ADVICE_NOHUGE = 3, /* MADV_NOHUGEPAGE: "nh"; so are thread stacks since Linux 6.7 */
};

#define THP_NODES_MAX  128
#define THP_ORDERS_MAX 32

/*
 * Bytes of a mapping, or of all that was walked. resident, huge_* and swapped are what smaps
 * calls Rss, AnonHugePages, ShmemPmdMapped, FilePmdMapped and Swap (of page table entries).
 */
struct thp_counts {
	uint64_t bytes;    /* address space */
	uint64_t resident; /* huge_* included, hugetlb and zero pages not */
	uint64_t huge_anon;
	uint64_t huge_shmem;
	uint64_t huge_file;
	uint64_t hugetlb;
	uint64_t swapped;
	uint64_t zero; /* read but never written: the kernel's zero page; or THP_BYTES_UNKNOWN */
	/* With THP_USE_NODES: resident and hugetlb memory by node; their sum is that. */
	uint64_t nodes[THP_NODES_MAX];
	uint64_t node_unknown; /* the kernel did not tell: never counted as local */
	/*
	 * With THP_USE_SIZES: resident memory mapped by small entries, by the size of its physical
	 * page: orders[n] is base pages << n, orders[0] single pages. Of whole huge pages (the
	 * order of pmd_bytes) that are so mapped, part_held is what they hold in memory beyond
	 * what this mapping maps of them.
	 */
	uint64_t orders[THP_ORDERS_MAX];
	uint64_t order_unknown; /* not permitted to see, or not asked for */
	uint64_t part_held;
};

/* Sum of the three huge counts. */
uint64_t thp_counts_huge(const struct thp_counts *counts);

/*
 * Why memory is not in whole huge pages: the first of these that applies. The order is that in
 * which the kernel would stop: process, system, mapping, block.
 */
enum thp_cause {
	THP_CAUSE_UNKNOWN = 0,  /* cannot be told from outside */
	THP_CAUSE_HUGETLB,      /* huge already, by another mechanism */
	THP_CAUSE_SPECIAL,      /* memory of a device or of the kernel */
	THP_CAUSE_NO_THP,       /* a kernel without THP */
	THP_CAUSE_FLAG,         /* the process flag: never */
	THP_CAUSE_FLAG_MADVISE, /* the process flag: only where advised, and this is not */
	THP_CAUSE_SYSTEM,       /* the system's setting, or that of this size: never */
	THP_CAUSE_SHMEM,        /* shmem_enabled, or the huge= option of a tmpfs: never */
	THP_CAUSE_NOT_ADVISED,  /* the setting asks for advice, and there is none */
	THP_CAUSE_NOHUGEPAGE,   /* marked MADV_NOHUGEPAGE */
	THP_CAUSE_TOO_SMALL,    /* no whole aligned block fits in, or the file's offset is askew */
	THP_CAUSE_EDGE,         /* before the first or behind the last aligned block */
	THP_CAUSE_FILE,         /* file system or kernel have no huge pages for this file */
	THP_CAUSE_HELD,         /* watched by userfaultfd */
	THP_CAUSE_UNTOUCHED,    /* never written */
	THP_CAUSE_SPLIT,        /* a huge page is there, mapped by small entries: mprotect, unmap */
	THP_CAUSE_SMALLER,      /* huge pages of a smaller size */
	THP_CAUSE_SWAPPED,      /* some of the block was swapped out */
	THP_CAUSE_STACK,        /* grows down in small steps */
	THP_CAUSE_LATE,         /* touched in small steps, before a block was there as a whole */
};
#define THP_CAUSES (THP_CAUSE_LATE + 1)

/* Bytes by cause. The sum of bytes and of huge memory is the address space. */
struct thp_why {
	struct thp_why_bytes {
		uint64_t bytes;    /* address space that is not huge */
		uint64_t resident; /* of it, memory in small pages */
	} causes[THP_CAUSES];
};

/* A word for programs ("not-advised"), a line for people, and what would help; static storage. */
const char *thp_cause_name(enum thp_cause cause);
const char *thp_cause_text(enum thp_cause cause);
const char *thp_cause_help(enum thp_cause cause);

/* Protection and sharing of a mapping. */
#define THP_MAP_READ   1u
#define THP_MAP_WRITE  2u
#define THP_MAP_EXEC   4u
#define THP_MAP_SHARED 8u

struct thp_mapping {
	size_t size;    /* in: sizeof(struct thp_mapping) */
	uint64_t start; /* address; start and end are cut to the range that was asked for */
	uint64_t end;
	uint64_t offset; /* in the file, at start */
	uint64_t inode;  /* 0: none */
	unsigned flags;  /* THP_MAP_* */
	enum thp_backing backing;
	enum thp_advice advice;
	enum thp_answer eligible; /* THPeligible: the kernel would give some size of huge page */
	const char *name;         /* file, "[heap]" or ""; raw bytes, valid until the next call */
	struct thp_counts counts;
	struct thp_why why; /* with THP_USE_WHY */
};

/* How a range of a mapping is mapped. */
enum thp_range_kind {
	THP_RANGE_SMALL = 1,
	THP_RANGE_HUGE = 2,    /* by huge page table entries */
	THP_RANGE_SPLIT = 3,   /* by small entries of a whole huge page (with THP_USE_SIZES) */
	THP_RANGE_SIZED = 4,   /* by small entries of a smaller huge page (with THP_USE_SIZES) */
	THP_RANGE_UNSURE = 5,  /* small or huge: without PAGEMAP_SCAN it cannot be told which */
	THP_RANGE_ZERO = 6,    /* the zero page */
	THP_RANGE_SWAPPED = 7, /* swapped out, or on the move */
	THP_RANGE_HUGETLB = 8,
};

/* What to find out beyond sizes. Each costs what is said here. */
#define THP_USE_ADVICE                                                                             \
	1u /* advice and eligible: reads smaps, which walks the page tables once more and holds up \
	      the process's own mmap(2) meanwhile: 25 ms for each GiB of a mapping in small pages  \
	    */
#define THP_USE_WHY   2u  /* implies THP_USE_ADVICE */
#define THP_USE_NODES 4u  /* move_pages(2) for each page, unless one node has all memory */
#define THP_USE_SIZES 8u  /* /proc/kpageflags for each small page: CAP_SYS_ADMIN */
#define THP_USE_WHOLE 32u /* mappings are not cut by the range: whole ones that it touches */
#define THP_USE_CHEAP                                                                              \
	64u /* also WHY and NODES where they come cheap: no more than 256 MiB in small pages, so   \
	       that the process is held up no longer than by a time slice */
#define THP_USE_READS 16u /* as if the kernel had no PAGEMAP_SCAN (Linux 6.7): for tests */

struct thp_usage_request {
	size_t size; /* sizeof(struct thp_usage_request) */
	unsigned flags;
	uint64_t start; /* range of addresses, with THP_USE_WHY widened to whole blocks; end 0: all
			 */
	uint64_t end;
	/*
	 * Called for the ranges of each mapping, ascending, before the mapping is returned: of it
	 * all is known but counts and why.
	 */
	void (*on_range)(void *arg, const struct thp_mapping *mapping, uint64_t start, uint64_t end,
			 enum thp_range_kind kind);
	void *arg;
};

/* A walk through the mappings of one process, in flat memory however many there are. */
struct thp_usage;

/*
 * Begins a walk. The context must outlive it. The page tables are read in bounded steps, so that
 * the process's own mmap(2) is not held up; a process that runs changes under the walk.
 * Without PAGEMAP_SCAN (before Linux 6.7), and in captured trees, the numbers come from smaps; what
 * is cut by a range is then counted whole.
 * Errors: -ESRCH gone, -EACCES/-EPERM not permitted, -ENODATA no memory: kernel thread or zombie,
 * -EINVAL, -ENOMEM.
 */
int thp_usage_open(struct thp_ctx *ctx, pid_t pid, const struct thp_usage_request *request,
		   struct thp_usage **ret_usage);

/* What a walk is about. */
struct thp_usage_info {
	size_t size;        /* in: sizeof(struct thp_usage_info) */
	pid_t pid;          /* process, also when a thread's id was asked for */
	unsigned flags;     /* THP_USE_* in force */
	uint64_t block;     /* bytes of a whole huge page; where the kernel does not tell: 2 MiB */
	uint64_t page_size; /* of a single page */
	char comm[THP_COMM_MAX + 1]; /* raw bytes, NUL-terminated */
};

/* Errors: -EINVAL ret_info->size too small. */
int thp_usage_describe(struct thp_usage *usage, struct thp_usage_info *ret_info);

/* Next mapping, ascending by address. 1, 0 at the end, or -errno. */
int thp_usage_next(struct thp_usage *usage, struct thp_mapping *ret_mapping);

/* Adds counts or causes to a sum. */
void thp_counts_add(struct thp_counts *sum, const struct thp_counts *counts);
void thp_why_add(struct thp_why *sum, const struct thp_why *why);

void thp_usage_close(struct thp_usage *usage);

/* ---- the system at work -------------------------------------------------------------------- */

/* Counters since boot, and what is free now; each THP_COUNT_UNKNOWN where the kernel has none. */
struct thp_activity {
	size_t size;             /* in: sizeof(struct thp_activity) */
	int64_t faults;          /* huge pages given at the first touch */
	int64_t fault_fallbacks; /* small ones given since no huge one was free */
	int64_t collapses;       /* huge pages made of small ones, by khugepaged or MADV_COLLAPSE */
	int64_t collapse_failures; /* no huge page was free for it */
	int64_t splits;            /* huge pages split for good */
	int64_t pmd_splits;        /* huge entries replaced by small ones; the page stays huge */
	int64_t swapouts;          /* huge pages swapped out as a whole */
	int64_t compact_stalls;    /* times a program waited for compaction */
	int64_t compact_fails;     /* of them, those in vain */
	int64_t compact_scanned;   /* pages that compaction looked at to move them */
	int64_t numa_misses;       /* pages that one node gave since the wanted one was full */
	int64_t numa_other;        /* pages given while the program ran on another node */
	int64_t numa_migrated;     /* pages moved to their users by NUMA balancing */
	int64_t numa_hints;        /* accesses that NUMA balancing looked at, a sample of all */
	int64_t numa_hints_local;  /* of them, those to memory of the own node */
	int64_t huge_anon_bytes;   /* in huge pages now, all programs together */
	int64_t huge_shmem_bytes;
	int64_t huge_file_bytes;
	int64_t part_mapped; /* private huge pages of which programs map a part only (Linux 6.13) */
	unsigned nr_nodes;
	struct thp_node_free {
		unsigned node;
		uint64_t free_bytes;
		/* Of them, whole huge pages that are free in one piece; or THP_BYTES_UNKNOWN. */
		uint64_t free_blocks;
	} nodes[THP_NODES_MAX];
};

/*
 * Reads /proc/vmstat and /proc/buddyinfo. Where one of them is hidden its values are unknown, or
 * nr_nodes 0. Errors: -EINVAL ret_activity->size too small, I/O errors.
 */
int thp_activity_read(struct thp_ctx *ctx, struct thp_activity *ret_activity);

/* ---- changing a process that runs ---------------------------------------------------------- */

/* A process that is meant and no other, also after its number went to another one. */
struct thp_target;

enum thp_identity {
	THP_IDENTITY_INODE = 1, /* inode of its pidfd: never given twice until boot (Linux 6.9) */
	THP_IDENTITY_START = 2, /* before: start time, clock ticks after boot; pid and it together
				   are given twice only within 10 ms */
};

/*
 * Opens a running process. id is what thp_target_id() told of it before, or 0 for whoever has the
 * number now. A thread's number means its process, and this thread makes the calls below if it can.
 * The caller gives *ret_target to thp_target_close().
 * Errors: -ESRCH no such process, or another than id tells, -EROFS in a captured tree, -EOPNOTSUPP
 * before Linux 5.3, -ENOMEM.
 */
int thp_target_open(struct thp_ctx *ctx, pid_t pid, uint64_t id, struct thp_target **ret_target);

/* Closes a target; NULL is allowed. */
void thp_target_close(struct thp_target *target);

pid_t thp_target_pid(const struct thp_target *target);

/* What tells it from all others with the same number; ret_identity may be NULL. */
uint64_t thp_target_id(const struct thp_target *target, enum thp_identity *ret_identity);

/*
 * Whether thp_remote_set() could work, as far as that can be told without touching the process.
 * Errors: its errors, but for those of the call itself.
 */
int thp_remote_check(struct thp_ctx *ctx, struct thp_target *target);

/*
 * Reads the flag inside another process: unlike thp_process_read(), this tells default from
 * madvise. It holds one thread for some 100 microseconds; see thp_remote_set() for the rest.
 */
int thp_remote_get(struct thp_ctx *ctx, struct thp_target *target, enum thp_mode *ret_mode);

struct thp_remote {
	size_t size;          /* in: sizeof(struct thp_remote) */
	enum thp_mode before; /* default, never or madvise */
	enum thp_mode after;  /* the same, read back inside the process */
	enum thp_basis basis; /* what the mode rests on; NONE: always was asked for, and the
				 system says something else */
	pid_t tid;            /* the thread that made the calls */
	uint64_t held_ns;     /* how long it was held */
};

/*
 * Puts a running process into a mode: its whole memory map, hence all its threads, now, and what it
 * forks later; not the children it has. Huge pages that exist are not split.
 * "always" can only clear the flag and succeeds with that; basis tells whether it is enough.
 *
 * It stops the thread that bears it best by ptrace(2), runs prctl(2) in it and lets it go on, no
 * signal lost, no system call interrupted. All other threads go on running. A short-lived task of
 * its own does so, which the caller's waits and SIGCHLD handlers do not see; all signals of the
 * calling thread are blocked meanwhile. If that task is killed at any moment, the thread finds back
 * by itself. 4 KiB of the process become private: the end of its vdso.
 *
 * Errors: -ESRCH gone or a zombie, -EINVAL a kernel thread, the caller itself, or no such mode,
 * -EPERM not permitted, -EBUSY traced by another, -EAGAIN frozen, -ETIMEDOUT no thread could be
 * stopped, -EOPNOTSUPP the kernel lacks the mode or an unknown architecture, -ENOSPC no room for
 * the few bytes needed, -ECANCELED the task that traces was killed.
 */
int thp_remote_set(struct thp_ctx *ctx, struct thp_target *target, enum thp_mode mode,
		   struct thp_remote *ret_remote);

/*
 * The same for a tracer that wants to be in time: pid executes a program, was seized by the calling
 * task (PTRACE_SEIZE with PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD), and stands in the stop of
 * its execve(2), PTRACE_EVENT_EXEC, which a wait of the caller has collected. Not one instruction of
 * the new program has run by then. The caller blocks SIGCHLD, without a handler for it.
 * However it ends, the process goes on and is no longer traced; only where it could not be stopped
 * (-ETIMEDOUT) or has ended (-ESRCH) the caller's waits see what becomes of it. Takes a second at
 * most, three if it is frozen.
 * Errors: those of thp_remote_set().
 */
int thp_remote_set_at_exec(struct thp_ctx *ctx, pid_t pid, enum thp_mode mode,
			   struct thp_remote *ret_remote);

/* ---- making and undoing huge pages now ------------------------------------------------------ */

/* What became of one block: as much memory as one huge page maps. */
enum thp_block_result {
	THP_BLOCK_DONE = 1,    /* made huge, or split */
	THP_BLOCK_ALREADY,     /* was huge before */
	THP_BLOCK_MIXED,       /* lies in several mappings: mixed protection or advice */
	THP_BLOCK_NOHUGEPAGE,  /* the program said MADV_NOHUGEPAGE */
	THP_BLOCK_UNPOPULATED, /* lost its memory meanwhile */
	THP_BLOCK_NO_MEMORY,   /* no free huge page */
	THP_BLOCK_LIMIT,       /* the control group's memory limit */
	THP_BLOCK_BUSY,        /* pages locked, pinned or on the move, also when tried again */
	THP_BLOCK_SHARED,      /* shared with another process, after fork(2) for example */
	THP_BLOCK_MLOCKED,     /* locked in memory by mlock(2) */
	THP_BLOCK_PRIVATE,     /* private copies of pages of a file or of shared memory */
	THP_BLOCK_ASKEW,       /* shared memory mapped at an address that its offset does not fit */
	THP_BLOCK_FAILED,      /* refused for another reason: error */
	THP_BLOCK_PLANNED,     /* would be tried: with THP_CHANGE_DRY_RUN */
};
#define THP_BLOCK_RESULTS (THP_BLOCK_PLANNED + 1)

/* A word for programs ("mixed"), and one for people ("mixed protection"); static storage. */
const char *thp_block_result_name(enum thp_block_result result);
const char *thp_block_result_text(enum thp_block_result result);

struct thp_block {
	size_t size; /* sizeof(struct thp_block) */
	uint64_t address;
	enum thp_block_result result;
	int error; /* -errno of the kernel, or 0 */
	/* The range of mappings without a gap that it lies in, of one backing and file. */
	uint64_t range_start;
	uint64_t range_end;
	enum thp_backing backing;
	/* How far this is: blocks looked at, including this one, of how many. */
	uint64_t done;
	uint64_t total;
};

#define THP_CHANGE_DRY_RUN 1u /* change nothing: blocks are PLANNED */
#define THP_CHANGE_BLOAT   2u /* split: read the memory and count what is zero, see bloat */

struct thp_change_request {
	size_t size; /* sizeof(struct thp_change_request) */
	unsigned flags;
	uint64_t start; /* range of addresses, widened to whole blocks; end 0: all */
	uint64_t end;
	uint64_t max_rate; /* collapse: bytes a second, 0: as fast as it goes */
	/* Called for each block that has memory, ascending; 0 to go on, -errno to end with that. */
	int (*on_block)(void *arg, const struct thp_block *block);
	void *arg;
};

struct thp_change {
	size_t size; /* in: sizeof(struct thp_change) */
	uint64_t block_bytes;
	uint64_t results[THP_BLOCK_RESULTS]; /* blocks by result */
	/* Of the whole process, or THP_BYTES_UNKNOWN. */
	uint64_t resident_before;
	uint64_t resident_after;
	uint64_t huge_before;
	uint64_t huge_after;
	/*
	 * With THP_CHANGE_BLOAT: bytes of small pages in the huge pages that hold nothing but
	 * zeros: what a split can give back; else THP_BYTES_UNKNOWN.
	 */
	uint64_t bloat;
};

/*
 * Makes huge pages of anonymous and shared memory that is populated by small ones, block by block,
 * whatever the system's setting and the advice (MADV_COLLAPSE). Blocks without memory are left
 * alone. Resident memory can grow: a block that has one small page gets all.
 * Errors: -EOPNOTSUPP before Linux 6.1, or the process is in the mode never, -EPERM needs
 * CAP_SYS_NICE and the rights to read the process, -ESRCH, -EINVAL, -ENOMEM, and what on_block
 * gave. ret_change may be incomplete, but is set, when on_block ended it.
 */
int thp_collapse(struct thp_ctx *ctx, struct thp_target *target,
		 const struct thp_change_request *request, struct thp_change *ret_change);

/*
 * Splits huge pages into small ones (MADV_COLD on one small page each), which frees those that hold
 * nothing but zeros. The rest is marked as seldom used, until it is used. Does not keep the kernel
 * from making huge pages again: set the mode never first. Calls on_block when all is verified.
 * Errors: as above, -EOPNOTSUPP before Linux 5.10 or without PAGEMAP_SCAN (Linux 6.7).
 */
int thp_split(struct thp_ctx *ctx, struct thp_target *target,
	      const struct thp_change_request *request, struct thp_change *ret_change);

#ifdef __cplusplus
}
#endif

#endif /* THP_H */
