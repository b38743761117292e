/* SPDX-License-Identifier: MIT */
#include "model.h"

#include <errno.h>
#include <stddef.h>

static const char *const flag_names[FLAG_COUNT] = {"clear", "never", "madvise"};
static const char *const advice_names[ADVICE_COUNT] = {"none", "nohuge", "huge", "collapse"};
static const char *const kind_names[KIND_COUNT] = {"anon", "heap", "shmem", "file"};
static const char *const word_names[WORD_COUNT] = {
	[WORD_ABSENT] = "absent", [WORD_NEVER] = "never",     [WORD_MADVISE] = "madvise",
	[WORD_ALWAYS] = "always", [WORD_INHERIT] = "inherit", [WORD_WITHIN_SIZE] = "within_size",
	[WORD_DENY] = "deny",     [WORD_FORCE] = "force",     [WORD_UNKNOWN] = "unknown",
};

const char *model_flag_name(enum flag flag)
{
	return flag_names[flag];
}

const char *model_advice_name(enum advice advice)
{
	return advice_names[advice];
}

const char *model_kind_name(enum kind kind)
{
	return kind_names[kind];
}

const char *model_word_name(enum word word)
{
	return word_names[word];
}

/*
 * PR_SET_THP_DISABLE(2const): since 3.15, and not tied to CONFIG_TRANSPARENT_HUGEPAGE.
 * PR_THP_DISABLE_EXCEPT_ADVISED since 6.18 (9dc21bbd62ed); before it every non-zero third
 * argument is EINVAL.
 */
long model_set(const struct caps *caps, enum flag flag)
{
	return flag == FLAG_MADVISE && !caps->except_advised ? -EINVAL : 0;
}

/* A refused call changes nothing, and every cell starts from a clear flag. */
enum flag model_flag_in_force(const struct caps *caps, enum flag flag)
{
	return model_set(caps, flag) == 0 ? flag : FLAG_CLEAR;
}

/* PR_GET_THP_DISABLE(2const): 0, 1, or since 6.18 1 | PR_THP_DISABLE_EXCEPT_ADVISED. */
long model_get(enum flag in_force)
{
	switch (in_force) {
	case FLAG_NEVER:
		return 1;
	case FLAG_MADVISE:
		return 1 | 1 << 1;
	default:
		return 0;
	}
}

/*
 * THP_enabled came with 5.0 ("mm, proc: report PR_SET_THP_DISABLE in proc"). It is 0 without
 * CONFIG_TRANSPARENT_HUGEPAGE, and Documentation/filesystems/proc.rst (6.18): 0 only when THPs are
 * disabled completely.
 */
long model_thp_enabled(const struct caps *caps, enum flag in_force)
{
	if (!caps->status_field)
		return -ENODATA;
	return caps->thp && in_force != FLAG_NEVER;
}

/*
 * vma_thp_disabled() of 6.18 for a page fault. VM_NOHUGEPAGE refuses; the complete flag refuses,
 * advised or not (4.13, 1860033237d4: it overrides every VMA's setting); EXCEPT_ADVISED refuses
 * what has no VM_HUGEPAGE.
 */
static bool fault_disabled(enum flag in_force, enum advice advice)
{
	if (advice == ADVICE_NOHUGE || in_force == FLAG_NEVER)
		return true;
	return in_force == FLAG_MADVISE && advice != ADVICE_HUGE;
}

/*
 * Documentation/admin-guide/mm/transhuge.rst. Per-size files since 6.8 (3485b88390b0): "inherit"
 * takes the top-level word, everything else overrides it - in both directions. Before 6.8 the
 * top-level word alone decides.
 */
bool model_anon_allowed(enum word top, enum word size, enum flag in_force, enum advice advice)
{
	enum word word = size == WORD_ABSENT || size == WORD_INHERIT ? top : size;

	if (fault_disabled(in_force, advice))
		return false;
	return word == WORD_ALWAYS || (word == WORD_MADVISE && advice == ADVICE_HUGE);
}

/*
 * shmem_enabled (transhuge.rst, "Hugepages in tmpfs/shmem"), for a shared anonymous mapping of
 * exactly one PMD, so that "within_size" is met. The flag comes first, even before "force" (5.10:
 * SGP_NOHUGE in shmem_fault; 6.18: vma_thp_disabled in shmem_allowable_huge_orders).
 * The anonymous `enabled` has no say in it.
 */
static bool shmem_top_allows(enum word top, enum advice advice)
{
	return top == WORD_ALWAYS || top == WORD_FORCE || top == WORD_WITHIN_SIZE ||
	       (top == WORD_MADVISE && advice == ADVICE_HUGE);
}

/* Per-size shmem files since 6.11 (4b98995530b7): deny and force of the top level override them. */
static bool shmem_fault_allowed(const struct system *system, enum flag in_force, enum advice advice)
{
	if (fault_disabled(in_force, advice) || system->shmem == WORD_DENY)
		return false;
	if (system->size_shmem == WORD_ABSENT)
		return shmem_top_allows(system->shmem, advice);
	if (system->shmem == WORD_FORCE)
		return system->size_shmem == WORD_INHERIT;
	switch (system->size_shmem) {
	case WORD_INHERIT:
		return shmem_top_allows(system->shmem, advice);
	case WORD_ALWAYS:
	case WORD_WITHIN_SIZE:
		return true;
	case WORD_MADVISE:
		return advice == ADVICE_HUGE;
	default:
		return false;
	}
}

/*
 * Pages of a file system become huge at first touch only when the file system has large folios
 * (xfs 5.18, ext4 6.16) and VM_HUGEPAGE asks readahead for a PMD-sized one (5.18, 4687fdbb805a).
 * sysfs is not asked on this path; the flag is asked when the page is mapped.
 */
static bool file_fault_allowed(const struct caps *caps, enum flag in_force, enum advice advice)
{
	return caps->file_fault && advice == ADVICE_HUGE && !fault_disabled(in_force, advice);
}

/*
 * MADV_COLLAPSE since 6.1 (7d8faaf15545, shmem and files 34488399fa08): "ignores the system's
 * settings" (madvise(2)), refused with EINVAL under the complete flag, itself an advice under
 * EXCEPT_ADVISED (6.18, 8cdc4d270193). Where a first touch had already made the page huge it stays
 * so.
 */
static bool collapse_allowed(const struct caps *caps, const struct system *system,
			     enum flag in_force, enum kind kind)
{
	if (!caps->collapse || in_force == FLAG_NEVER)
		return false;
	if (kind == KIND_FILE)
		return caps->file_collapse;
	/*
	 * Two settings of sysfs that it does obey. "deny" is the emergency brake for all of shmem
	 * (3de0c269adc6, 6.2 and 6.1 stable).
	 */
	if (kind == KIND_SHMEM && system->shmem == WORD_DENY)
		return false;
	/*
	 * And from 6.11 on, in some releases, the per-size file: see caps.c. That a collapse is
	 * forced then only turns the top-level word, which "inherit" takes, into one that allows.
	 */
	if (kind == KIND_SHMEM && system->size_shmem != WORD_ABSENT && caps->shmem_size_binds)
		return system->size_shmem == WORD_INHERIT || system->size_shmem == WORD_ALWAYS ||
		       system->size_shmem == WORD_WITHIN_SIZE;
	return true;
}

static bool fault_allowed(const struct caps *caps, const struct system *system, enum flag in_force,
			  const struct cell *cell)
{
	switch (cell->kind) {
	case KIND_SHMEM:
		return shmem_fault_allowed(system, in_force, cell->advice);
	case KIND_FILE:
		return file_fault_allowed(caps, in_force, cell->advice);
	default:
		return model_anon_allowed(system->enabled, system->size_enabled, in_force,
					  cell->advice);
	}
}

static const char *why_open(const struct caps *caps, const struct system *system,
			    enum flag in_force, const struct cell *cell)
{
	bool shmem = cell->kind == KIND_SHMEM;
	enum word top = shmem ? system->shmem : system->enabled;
	enum word size = shmem ? system->size_shmem : system->size_enabled;

	if (!caps->thp)
		return NULL;
	if (cell->kind == KIND_FILE) {
		/* 6.12, 2b0f922323cc: "don't install PMD mappings when THPs are disabled". */
		if (caps->file_fault && caps->version < MODEL_VERSION(6, 12) &&
		    cell->advice == ADVICE_HUGE && in_force == FLAG_NEVER)
			return "before 6.12 a large page of the page cache may be mapped huge "
			       "under the flag";
		return NULL;
	}
	/* Where flag, hint or a forced collapse decides alone, no setting has to be known. */
	if (cell->advice == ADVICE_COLLAPSE && (in_force == FLAG_NEVER || !shmem))
		return NULL;
	if (cell->advice != ADVICE_COLLAPSE && fault_disabled(in_force, cell->advice))
		return NULL;
	if (top == WORD_UNKNOWN || size == WORD_UNKNOWN || top == WORD_ABSENT)
		return "the system's setting cannot be read here";
	return NULL;
}

static long expected_advice(const struct caps *caps, enum advice advice, bool collapse)
{
	if (advice == ADVICE_NONE)
		return 0;
	/* madvise(2): these values are valid only if the kernel has CONFIG_TRANSPARENT_HUGEPAGE. */
	if (!caps->thp)
		return -EINVAL;
	/* MADV_HUGEPAGE returns 0 even where the flag keeps it from having an effect. */
	return advice != ADVICE_COLLAPSE || collapse ? 0 : -EINVAL;
}

struct expectation model_expect(const struct caps *caps, const struct system *system,
				const struct cell *cell)
{
	enum flag in_force = model_flag_in_force(caps, cell->flag);
	bool collapse = cell->advice == ADVICE_COLLAPSE &&
			collapse_allowed(caps, system, in_force, cell->kind);
	bool fault = fault_allowed(caps, system, in_force, cell);
	struct expectation expect = {
		.set = model_set(caps, cell->flag),
		.get = model_get(in_force),
		.thp_enabled = model_thp_enabled(caps, in_force),
		.advice = expected_advice(caps, cell->advice, collapse),
		.huge_kb = caps->thp && (fault || collapse) ? caps->pmd_kb : 0,
		.open = why_open(caps, system, in_force, cell),
	};

	if (!caps->thp)
		expect.rule = "no CONFIG_TRANSPARENT_HUGEPAGE";
	else if (collapse)
		expect.rule = "MADV_COLLAPSE overrides the system's setting";
	else if (fault)
		expect.rule = "the system's setting allows it at first touch";
	else if (in_force == FLAG_NEVER)
		expect.rule = "the process flag forbids it completely";
	else if (cell->advice == ADVICE_NOHUGE)
		expect.rule = "VM_NOHUGEPAGE forbids it";
	else if (in_force == FLAG_MADVISE && cell->advice == ADVICE_NONE)
		expect.rule = "the process flag forbids what is not advised";
	else
		expect.rule = "the system's setting, file system or kernel does not allow it";
	return expect;
}
