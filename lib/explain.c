// SPDX-License-Identifier: MIT
/*
 * The kernel's own order is that of thp_vma_allowable_orders() in <linux/huge_mm.h> and
 * mm/huge_memory.c: first what forbids the whole mapping, then whether a block fits in, then what
 * happened to the block.
 */
#include "explain.h"

#include <string.h>

static uint64_t pmd_size(const struct explain *explain)
{
	return explain->facts->system->pmd_bytes;
}

/* Address of the first block: a huge page of a file starts at a multiple of its size there too. */
static uint64_t first_block(const struct explain_facts *facts, uint64_t size)
{
	bool in_file = facts->backing == THP_BACKING_FILE || facts->backing == THP_BACKING_SHMEM;

	if (in_file && (facts->start - facts->offset) % size != 0)
		return facts->end;
	return (facts->start + size - 1) / size * size;
}

static uint64_t clip(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

/* Is the flag surely that, whatever else the process may be? */
static bool is_mode(const struct explain_facts *facts, enum thp_mode mode)
{
	return facts->possible == THP_MODE_BIT(mode);
}

/*
 * Why a setting gives nothing to a mapping, or THP_CAUSES if it does. MADV_NOHUGEPAGE is no lack of
 * advice, it is advice against: that comes later.
 */
static enum thp_cause judge_setting(const struct explain_facts *facts, enum thp_setting says,
				    enum thp_cause never)
{
	switch (says) {
	case THP_SETTING_NEVER:
		return never;
	case THP_SETTING_ALWAYS:
	case THP_SETTING_WITHIN_SIZE:
		return THP_CAUSES;
	case THP_SETTING_MADVISE:
	case THP_SETTING_ADVISE:
		if (facts->advice == THP_ADVICE_UNKNOWN)
			return THP_CAUSE_UNKNOWN;
		return facts->advice == THP_ADVICE_NONE ? THP_CAUSE_NOT_ADVISED : THP_CAUSES;
	default:
		return THP_CAUSE_UNKNOWN;
	}
}

static enum thp_cause judge_system(const struct explain_facts *facts)
{
	const struct thp_system *system = facts->system;

	switch (facts->backing) {
	case THP_BACKING_ANON:
		return judge_setting(facts, thp_system_anon(system, system->pmd_bytes),
				     THP_CAUSE_SYSTEM);
	case THP_BACKING_SHMEM:
		return judge_setting(facts, facts->shmem, THP_CAUSE_SHMEM);
	default:
		return THP_CAUSES; /* the file system decides, see judge_eligible() */
	}
}

/*
 * From outside a process that may only use advised memory looks like any other. But if the system
 * says always, and the kernel calls an unadvised mapping with room for a block not eligible,
 * nothing else is left.
 */
static bool must_be_madvise(const struct explain_facts *facts)
{
	const struct thp_system *system = facts->system;

	return facts->backing == THP_BACKING_ANON && facts->advice == THP_ADVICE_NONE &&
	       facts->eligible == THP_NO && (facts->possible & THP_MODE_BIT(THP_MODE_MADVISE)) &&
	       thp_system_anon(system, system->pmd_bytes) == THP_SETTING_ALWAYS;
}

/* What the kernel says of a mapping that nothing before has excluded. */
static enum thp_cause judge_eligible(const struct explain_facts *facts)
{
	if (facts->backing == THP_BACKING_FILE && facts->eligible == THP_NO)
		return THP_CAUSE_FILE;
	if (facts->watched)
		return THP_CAUSE_HELD;
	if (must_be_madvise(facts))
		return THP_CAUSE_FLAG_MADVISE;
	if (facts->eligible == THP_NO || facts->advice == THP_ADVICE_UNKNOWN)
		return THP_CAUSE_UNKNOWN;
	return THP_CAUSES;
}

/* The cause of the whole mapping, or THP_CAUSES if its blocks must be looked at. */
static enum thp_cause judge_mapping(const struct explain *explain)
{
	const struct explain_facts *facts = explain->facts;
	enum thp_cause cause;

	if (facts->backing == THP_BACKING_HUGETLB)
		return THP_CAUSE_HUGETLB;
	if (facts->backing == THP_BACKING_SPECIAL || facts->device)
		return THP_CAUSE_SPECIAL;
	if (is_mode(facts, THP_MODE_NEVER))
		return THP_CAUSE_FLAG;
	if (facts->system->presence == THP_ABSENT)
		return THP_CAUSE_NO_THP;
	if (facts->system->presence != THP_PRESENT || pmd_size(explain) == 0)
		return THP_CAUSE_UNKNOWN;
	cause = judge_system(facts);
	if (cause != THP_CAUSES)
		return cause;
	if (is_mode(facts, THP_MODE_MADVISE) && facts->advice == THP_ADVICE_NONE)
		return THP_CAUSE_FLAG_MADVISE;
	if (facts->advice == THP_ADVICE_NOHUGE)
		return THP_CAUSE_NOHUGEPAGE;
	if (explain->first >= explain->last)
		return THP_CAUSE_TOO_SMALL;
	return judge_eligible(facts);
}

void explain_begin(struct explain *explain, const struct explain_facts *facts)
{
	uint64_t size = facts->system->pmd_bytes;

	memset(explain, 0, sizeof(*explain));
	explain->facts = facts;
	if (size) {
		explain->first = first_block(facts, size);
		explain->last = facts->end / size * size;
	}
	explain->whole = judge_mapping(explain);
	explain->first = clip(explain->first, facts->from, facts->to);
	explain->last = clip(explain->last, facts->from, facts->to);
	explain->block.start = UINT64_MAX;
}

static void add(struct explain *explain, enum thp_cause cause, uint64_t bytes, uint64_t resident)
{
	explain->why.causes[cause].bytes += bytes;
	explain->why.causes[cause].resident += resident;
}

static uint64_t resident_of(const struct explain_block *block)
{
	return block->small + block->split + block->sized + block->unsure;
}

static void block_add(struct explain_block *block, enum thp_range_kind kind, uint64_t bytes)
{
	switch (kind) {
	case THP_RANGE_SMALL:
		block->small += bytes;
		break;
	case THP_RANGE_SPLIT:
		block->split += bytes;
		break;
	case THP_RANGE_SIZED:
		block->sized += bytes;
		break;
	case THP_RANGE_UNSURE:
		block->unsure += bytes;
		break;
	case THP_RANGE_SWAPPED:
		block->swapped += bytes;
		break;
	default:
		block->zero += bytes;
		break;
	}
}

/* Why a block with something in it is not one huge page, though nothing forbids it now. */
static enum thp_cause judge_block(const struct explain_facts *facts,
				  const struct explain_block *block)
{
	if (block->unsure > 0)
		return THP_CAUSE_UNKNOWN;
	if (resident_of(block) + block->swapped == 0)
		return THP_CAUSE_UNTOUCHED; /* only read: the zero page */
	if (block->split > 0)
		return THP_CAUSE_SPLIT;
	if (block->sized > 0)
		return THP_CAUSE_SMALLER;
	if (block->swapped > 0)
		return THP_CAUSE_SWAPPED;
	if (facts->stack)
		return THP_CAUSE_STACK;
	/* Files get huge pages only afterwards, by khugepaged or MADV_COLLAPSE. */
	if (facts->grows || facts->backing == THP_BACKING_FILE)
		return THP_CAUSE_LATE;
	return THP_CAUSE_UNKNOWN;
}

static void flush_block(struct explain *explain)
{
	struct explain_block *block = &explain->block;

	if (block->start == UINT64_MAX)
		return;
	add(explain, judge_block(explain->facts, block), pmd_size(explain), resident_of(block));
	explain->judged += pmd_size(explain);
	*block = (struct explain_block){.start = UINT64_MAX};
}

/* Blocks that are filled by one range share one judgement. */
static void add_blocks(struct explain *explain, uint64_t bytes, enum thp_range_kind kind)
{
	struct explain_block block = {0};
	bool resident;

	block_add(&block, kind, bytes);
	resident = resident_of(&block) > 0;
	add(explain, judge_block(explain->facts, &block), bytes, resident ? bytes : 0);
	explain->judged += bytes;
}

static void add_inside(struct explain *explain, uint64_t start, uint64_t end,
		       enum thp_range_kind kind)
{
	uint64_t size = pmd_size(explain);

	while (start < end) {
		uint64_t block = start / size * size, stop;

		if (explain->block.start != block)
			flush_block(explain);
		if (start == block && end - start >= size) {
			stop = end / size * size;
			add_blocks(explain, stop - start, kind);
		} else {
			stop = end - block < size ? end : block + size;
			explain->block.start = block;
			block_add(&explain->block, kind, stop - start);
		}
		start = stop;
	}
}

void explain_range(struct explain *explain, uint64_t start, uint64_t end, enum thp_range_kind kind)
{
	struct explain_block all = {0};
	uint64_t low, high;

	if (kind == THP_RANGE_HUGE) {
		flush_block(explain);
		explain->huge += end - start;
		explain->judged += end - start;
		return;
	}
	if (explain->whole != THP_CAUSES) {
		block_add(&all, kind, end - start);
		add(explain, explain->whole, 0, resident_of(&all));
		return;
	}
	low = clip(explain->first, start, end);
	high = clip(explain->last, start, end);
	block_add(&all, kind, low - start + (end - high));
	add(explain, THP_CAUSE_EDGE, 0, resident_of(&all));
	add_inside(explain, low, high, kind);
}

void explain_sums(struct explain *explain, uint64_t huge, uint64_t small)
{
	if (explain->whole == THP_CAUSES)
		explain->whole = THP_CAUSE_UNKNOWN;
	explain->huge += huge;
	add(explain, explain->whole, 0, small);
}

void explain_end(struct explain *explain, struct thp_why *ret_why)
{
	uint64_t bytes = explain->facts->to - explain->facts->from;
	uint64_t blocks = explain->last - explain->first;

	flush_block(explain);
	if (explain->whole != THP_CAUSES) {
		/* More only if the mapping changed while it was read. */
		add(explain, explain->whole, bytes > explain->huge ? bytes - explain->huge : 0, 0);
	} else {
		add(explain, THP_CAUSE_EDGE, bytes - blocks, 0);
		if (blocks > explain->judged)
			add(explain, THP_CAUSE_UNTOUCHED, blocks - explain->judged, 0);
	}
	*ret_why = explain->why;
}
