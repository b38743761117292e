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
 * madvise, always only while it says always. Huge pages that exist already are not split.
 * Never call it in a child of vfork(2) or a CLONE_VM clone: it changes the parent too.
 * On failure the flag is as it was before.
 * Errors: -EOPNOTSUPP the kernel and its present setting have no way to this mode, -EPERM and
 * others from a seccomp filter, -EROFS in a captured tree, -EINVAL no such mode.
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
	uint64_t huge_anon;          /* AnonHugePages:  mapped by huge page table entries only */
	uint64_t huge_shmem;         /* ShmemPmdMapped: a huge page with a hole counts nothing */
	uint64_t huge_file;          /* FilePmdMapped  */
	char comm[THP_COMM_MAX + 1]; /* raw bytes, NUL-terminated: may hold newlines and the like */
};

/* Read flags. */
#define THP_READ_HUGE 1u /* also one read of smaps_rollup, which walks the page tables */

/*
 * Reads one process. When its main thread has exited, a live thread is read in its place.
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
	size_t size;           /* in: sizeof(struct thp_remote) */
	enum thp_mode before;  /* default, never or madvise */
	enum thp_mode after;   /* the same, read back inside the process */
	enum thp_basis basis;  /* what the mode rests on; NONE: always was asked for, and the
				  system says something else */
	pid_t tid;             /* the thread that made the calls */
	uint64_t held_ns;      /* how long it was held */
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

#ifdef __cplusplus
}
#endif

#endif /* THP_H */
