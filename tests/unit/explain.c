// SPDX-License-Identifier: MIT
/* Why memory is not huge: every cause, and that the bytes add up. */
#include "unit.h"

#include "../../lib/explain.h"

#include <stdlib.h>
#include <string.h>

#define K      1024ull
#define M      (1024 * K)
#define BLOCK  (2 * M)
#define BASE   (1024 * M)
#define EITHER (THP_MODE_BIT(THP_MODE_DEFAULT) | THP_MODE_BIT(THP_MODE_MADVISE))

static struct thp_system system_of(enum thp_setting enabled)
{
	return (struct thp_system){
		.presence = THP_PRESENT,
		.enabled = enabled,
		.shmem_enabled = THP_SETTING_NEVER,
		.pmd_bytes = BLOCK,
	};
}

/* An advised mapping of 8 MiB of private memory under madvise: nothing forbids it. */
static struct explain_facts facts_of(const struct thp_system *system)
{
	return (struct explain_facts){
		.system = system,
		.possible = EITHER,
		.start = BASE,
		.end = BASE + 4 * BLOCK,
		.from = BASE,
		.to = BASE + 4 * BLOCK,
		.backing = THP_BACKING_ANON,
		.advice = THP_ADVICE_HUGE,
		.eligible = THP_YES,
		.shmem = THP_SETTING_NEVER,
	};
}

struct piece {
	uint64_t start, end;
	enum thp_range_kind kind;
};

static struct thp_why explain(const struct explain_facts *facts, const struct piece *pieces,
			      size_t nr)
{
	uint64_t bytes = 0, resident = 0, huge = 0, small = 0;
	struct explain state;
	struct thp_why why;

	explain_begin(&state, facts);
	for (size_t i = 0; i < nr; i++) {
		uint64_t size = pieces[i].end - pieces[i].start;

		explain_range(&state, pieces[i].start, pieces[i].end, pieces[i].kind);
		if (pieces[i].kind == THP_RANGE_HUGE)
			huge += size;
		else if (pieces[i].kind <= THP_RANGE_UNSURE)
			small += size;
	}
	explain_end(&state, &why);
	/* Whatever the causes: nothing is lost, nothing counted twice. */
	for (unsigned i = 0; i < THP_CAUSES; i++) {
		bytes += why.causes[i].bytes;
		resident += why.causes[i].resident;
		ck_assert_uint_ge(why.causes[i].bytes, why.causes[i].resident);
	}
	ck_assert_uint_eq(bytes + huge, facts->to - facts->from);
	ck_assert_uint_eq(resident, small);
	return why;
}

/* The one cause of 8 MiB in small pages. */
static enum thp_cause cause_of(const struct explain_facts *facts)
{
	struct piece all = {facts->from, facts->to, THP_RANGE_SMALL};
	struct thp_why why = explain(facts, &all, 1);

	for (unsigned i = 0; i < THP_CAUSES; i++) {
		if (why.causes[i].resident == facts->to - facts->from)
			return i;
	}
	return THP_CAUSES;
}

START_TEST(whole_mappings)
{
	struct thp_system madvise = system_of(THP_SETTING_MADVISE);
	struct thp_system never = system_of(THP_SETTING_NEVER);
	struct thp_system always = system_of(THP_SETTING_ALWAYS);
	struct thp_system absent = {.presence = THP_ABSENT};
	struct thp_system hidden = {.presence = THP_HIDDEN};
	struct explain_facts facts = facts_of(&madvise);

	facts.backing = THP_BACKING_HUGETLB;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_HUGETLB);
	facts.backing = THP_BACKING_SPECIAL;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_SPECIAL);

	facts = facts_of(&madvise);
	facts.possible = THP_MODE_BIT(THP_MODE_NEVER);
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_FLAG);
	facts.system = &absent; /* the flag comes first */
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_FLAG);
	facts.possible = EITHER;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_NO_THP);
	facts.system = &hidden;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_UNKNOWN);
	facts.system = &never; /* although it is advised */
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_SYSTEM);

	facts = facts_of(&madvise);
	facts.eligible = THP_NO;
	facts.advice = THP_ADVICE_NONE;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_NOT_ADVISED);
	facts.advice = THP_ADVICE_NOHUGE;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_NOHUGEPAGE);
	facts.system = &always;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_NOHUGEPAGE);

	/* Unadvised and not eligible though the system says always: only the flag can be it. */
	facts.advice = THP_ADVICE_NONE;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_FLAG_MADVISE);
	facts.possible = THP_MODE_BIT(THP_MODE_DEFAULT); /* but a kernel has no such flag */
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_UNKNOWN);
	facts.possible = THP_MODE_BIT(THP_MODE_MADVISE);
	facts.eligible = THP_UNKNOWN;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_FLAG_MADVISE);

	facts = facts_of(&madvise);
	facts.watched = true;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_HELD);
	facts = facts_of(&madvise);
	facts.device = true;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_SPECIAL);
	/* Without smaps nothing is known of advice. */
	facts = facts_of(&madvise);
	facts.advice = THP_ADVICE_UNKNOWN;
	facts.eligible = THP_UNKNOWN;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_UNKNOWN);
	facts.system = &always;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_UNKNOWN);
}
END_TEST

START_TEST(shared_memory_and_files)
{
	struct thp_system madvise = system_of(THP_SETTING_MADVISE);
	struct explain_facts facts = facts_of(&madvise);

	facts.backing = THP_BACKING_SHMEM;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_SHMEM);
	facts.shmem = THP_SETTING_ADVISE;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_UNKNOWN);
	facts.advice = THP_ADVICE_NONE;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_NOT_ADVISED);
	facts.shmem = THP_SETTING_UNKNOWN;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_UNKNOWN);
	facts.shmem = THP_SETTING_ALWAYS;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_UNKNOWN);
	facts.offset = 4 * K; /* askew to the blocks of the address space */
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_TOO_SMALL);
	facts.offset = BLOCK;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_UNKNOWN);

	facts = facts_of(&madvise);
	facts.backing = THP_BACKING_FILE;
	facts.eligible = THP_NO;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_FILE);
	facts.eligible = THP_YES; /* by khugepaged, later */
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_LATE);
}
END_TEST

/* 5 MiB at 4 KiB behind a block's border: the block in the middle is huge. */
START_TEST(edges)
{
	struct thp_system system = system_of(THP_SETTING_MADVISE);
	struct explain_facts facts = facts_of(&system);
	struct piece pieces[] = {
		{BASE + 4 * K, BASE + 2 * M, THP_RANGE_SMALL},
		{BASE + 2 * M, BASE + 4 * M, THP_RANGE_HUGE},
		{BASE + 4 * M, BASE + 5 * M + 4 * K, THP_RANGE_SMALL},
	};
	struct thp_why why;

	facts.start = facts.from = BASE + 4 * K;
	facts.end = facts.to = BASE + 5 * M + 4 * K;
	why = explain(&facts, pieces, NR(pieces));
	ck_assert_uint_eq(why.causes[THP_CAUSE_EDGE].bytes, 3 * M);
	ck_assert_uint_eq(why.causes[THP_CAUSE_EDGE].resident, 3 * M);

	facts.end = facts.to = BASE + 3 * M; /* no room for a block */
	pieces[0].end = BASE + 3 * M;
	why = explain(&facts, pieces, 1);
	ck_assert_uint_eq(why.causes[THP_CAUSE_TOO_SMALL].bytes, 3 * M - 4 * K);
}
END_TEST

/* A block each: untouched, split, swapped in part, smaller sizes; and the zero page. */
START_TEST(blocks)
{
	struct thp_system system = system_of(THP_SETTING_ALWAYS);
	struct explain_facts facts = facts_of(&system);
	struct piece pieces[] = {
		{BASE + BLOCK, BASE + BLOCK + 8 * K, THP_RANGE_SPLIT},
		{BASE + BLOCK + 12 * K, BASE + BLOCK + 16 * K, THP_RANGE_SMALL},
		{BASE + 2 * BLOCK, BASE + 2 * BLOCK + 4 * K, THP_RANGE_SWAPPED},
		{BASE + 2 * BLOCK + 4 * K, BASE + 2 * BLOCK + 8 * K, THP_RANGE_SMALL},
		{BASE + 3 * BLOCK, BASE + 3 * BLOCK + 64 * K, THP_RANGE_SIZED},
	};
	struct piece zero = {BASE, BASE + 3 * BLOCK + 4 * K, THP_RANGE_ZERO};
	struct thp_why why = explain(&facts, pieces, NR(pieces));

	ck_assert_uint_eq(why.causes[THP_CAUSE_UNTOUCHED].bytes, BLOCK);
	ck_assert_uint_eq(why.causes[THP_CAUSE_SPLIT].bytes, BLOCK);
	ck_assert_uint_eq(why.causes[THP_CAUSE_SPLIT].resident, 12 * K);
	ck_assert_uint_eq(why.causes[THP_CAUSE_SWAPPED].bytes, BLOCK);
	ck_assert_uint_eq(why.causes[THP_CAUSE_SWAPPED].resident, 4 * K);
	ck_assert_uint_eq(why.causes[THP_CAUSE_SMALLER].resident, 64 * K);
	why = explain(&facts, &zero, 1);
	ck_assert_uint_eq(why.causes[THP_CAUSE_UNTOUCHED].bytes, 4 * BLOCK);
}
END_TEST

START_TEST(small_blocks)
{
	struct thp_system system = system_of(THP_SETTING_ALWAYS);
	struct explain_facts facts = facts_of(&system);
	struct piece unsure = {BASE, BASE + BLOCK, THP_RANGE_UNSURE};
	struct thp_why why;

	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_UNKNOWN);
	facts.grows = true;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_LATE);
	facts.stack = true;
	ck_assert_int_eq(cause_of(&facts), THP_CAUSE_STACK);
	why = explain(&facts, &unsure, 1);
	ck_assert_uint_eq(why.causes[THP_CAUSE_UNKNOWN].bytes, BLOCK);
	ck_assert_uint_eq(why.causes[THP_CAUSE_UNTOUCHED].bytes, 3 * BLOCK);
}
END_TEST

/* One range over edges and many blocks is the same as its pieces. */
START_TEST(pieces)
{
	struct thp_system system = system_of(THP_SETTING_ALWAYS);
	struct explain_facts facts = facts_of(&system);
	struct piece one = {BASE + 3 * M, BASE + 3 * M + 9 * BLOCK + 12 * K, THP_RANGE_SMALL};
	struct piece *many;
	size_t nr = (one.end - one.start) / (4 * K);
	struct thp_why a, b;

	facts.grows = true;
	facts.start = facts.from = BASE + M;
	facts.end = facts.to = BASE + 64 * M - 4 * K;
	many = calloc(nr, sizeof(*many));
	for (size_t i = 0; i < nr; i++)
		many[i] = (struct piece){one.start + i * 4 * K, one.start + (i + 1) * 4 * K,
					 THP_RANGE_SMALL};
	a = explain(&facts, &one, 1);
	b = explain(&facts, many, nr);
	ck_assert_int_eq(memcmp(&a, &b, sizeof(a)), 0);
	ck_assert_uint_eq(a.causes[THP_CAUSE_LATE].resident, one.end - one.start);
	free(many);
}
END_TEST

/* A part of a mapping: its blocks are those of the whole, its edges only what of them is inside. */
START_TEST(part)
{
	struct thp_system system = system_of(THP_SETTING_ALWAYS);
	struct explain_facts facts = facts_of(&system);
	struct piece small = {BASE + BLOCK, BASE + 2 * BLOCK, THP_RANGE_SMALL};
	struct thp_why why;

	facts.start = BASE + M;
	facts.from = BASE + BLOCK;
	facts.to = BASE + 2 * BLOCK;
	why = explain(&facts, &small, 1);
	ck_assert_uint_eq(why.causes[THP_CAUSE_UNKNOWN].bytes, BLOCK);
	facts.from = facts.start;
	facts.to = BASE + BLOCK;
	why = explain(&facts, NULL, 0);
	ck_assert_uint_eq(why.causes[THP_CAUSE_EDGE].bytes, M);
}
END_TEST

START_TEST(words)
{
	for (unsigned i = 0; i < THP_CAUSES; i++) {
		ck_assert_uint_gt(strlen(thp_cause_name(i)), 2);
		ck_assert_uint_gt(strlen(thp_cause_text(i)), 10);
		ck_assert_uint_gt(strlen(thp_cause_help(i)), 5);
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(thp_cause_name(i), thp_cause_name(j));
	}
	ck_assert_str_eq(thp_cause_name(THP_CAUSES + 7), "unknown");
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("explain");

	unit_add(suite, whole_mappings);
	unit_add(suite, shared_memory_and_files);
	unit_add(suite, edges);
	unit_add(suite, blocks);
	unit_add(suite, small_blocks);
	unit_add(suite, pieces);
	unit_add(suite, part);
	unit_add(suite, words);
	return suite;
}
