// SPDX-License-Identifier: MIT
/* The walk over this very process, by scans and by reads, and over captured trees. */
#include "unit.h"

#include "thp.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define BLOCK (2ul << 20)

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static struct thp_ctx *ctx;

/* Each test is a process of its own. */
static void open_ctx(const char *root)
{
	ck_assert_int_eq(thp_open(&ctx, root), 0);
}

struct seen {
	uint64_t kinds[THP_RANGE_HUGETLB + 1];
	uint64_t last_end;
};

static void on_range(void *arg, const struct thp_mapping *mapping, uint64_t start, uint64_t end,
		     enum thp_range_kind kind)
{
	struct seen *seen = arg;

	ck_assert_uint_lt(start, end);
	ck_assert_uint_ge(start, mapping->start);
	ck_assert_uint_le(end, mapping->end);
	ck_assert_uint_ge(start, seen->last_end);
	seen->last_end = end;
	seen->kinds[kind] += end - start;
}

/* The one mapping at an address. */
static struct thp_mapping walk(const char *memory, unsigned flags, struct seen *seen)
{
	struct thp_usage_request request = {
		.size = sizeof(request),
		.flags = flags | THP_USE_WHOLE,
		.start = (uintptr_t)memory,
		.end = (uintptr_t)memory + 1,
		.on_range = on_range,
		.arg = seen,
	};
	struct thp_mapping mapping = {.size = sizeof(mapping)}, next = mapping;
	struct thp_usage *usage;

	memset(seen, 0, sizeof(*seen));
	ck_assert_int_eq(thp_usage_open(ctx, getpid(), &request, &usage), 0);
	ck_assert_int_eq(thp_usage_next(usage, &mapping), 1);
	ck_assert_int_eq(thp_usage_next(usage, &next), 0);
	ck_assert_int_eq(thp_usage_next(usage, &next), 0);
	thp_usage_close(usage);
	return mapping;
}

/*
 * Four blocks: huge (if the kernel lets), small, every second page, nothing. The flag keeps faults
 * small, and khugepaged away: it would fill advised memory while a test counts.
 */
static char *make_blocks(bool *ret_huge)
{
	char *all = mmap(NULL, 8 * BLOCK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = all + BLOCK + (-(unsigned long)all & (BLOCK - 1));

	ck_assert_ptr_ne(all, MAP_FAILED);
	ck_assert_int_eq(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	ck_assert_int_eq(mprotect(memory, 4 * BLOCK, PROT_READ | PROT_WRITE), 0);
	memset(memory, 1, 2 * BLOCK);
	for (size_t i = 2 * BLOCK; i < 3 * BLOCK; i += 8192)
		memory[i] = 1;
	ck_assert_int_eq(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
	*ret_huge = madvise(memory, BLOCK, MADV_COLLAPSE) == 0;
	ck_assert_int_eq(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	return memory;
}

START_TEST(scans_and_reads_agree)
{
	bool huge;
	char *memory = make_blocks(&huge);
	struct seen scanned, read;
	struct thp_mapping a, b;

	open_ctx(NULL);
	a = walk(memory, 0, &scanned);
	b = walk(memory, THP_USE_READS, &read);
	ck_assert_uint_eq(a.counts.resident, 2 * BLOCK + BLOCK / 2);
	ck_assert_uint_eq(b.counts.resident, a.counts.resident);
	ck_assert_uint_eq(a.counts.huge_anon, huge ? BLOCK : 0);
	ck_assert_uint_eq(b.counts.huge_anon, a.counts.huge_anon);
	ck_assert_uint_eq(scanned.kinds[THP_RANGE_HUGE], huge ? BLOCK : 0);
	/* One block of two whole ones is huge: reads cannot tell which, and say so. */
	ck_assert_uint_eq(read.kinds[THP_RANGE_UNSURE], huge ? 2 * BLOCK : 0);
	ck_assert_uint_eq(read.kinds[THP_RANGE_SMALL], huge ? BLOCK / 2 : 2 * BLOCK + BLOCK / 2);

	/* Where all or none of them are, it is known. */
	madvise(memory + BLOCK, BLOCK, MADV_DONTNEED);
	b = walk(memory, THP_USE_READS, &read);
	ck_assert_uint_eq(read.kinds[THP_RANGE_UNSURE], 0);
	ck_assert_uint_eq(read.kinds[THP_RANGE_HUGE], b.counts.huge_anon);
}
END_TEST

/* More than the kernel tells at a time: 512 regions. */
START_TEST(many_regions)
{
	const size_t nr = 5000;
	char *memory =
		mmap(NULL, nr * 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct seen seen;

	ck_assert_ptr_ne(memory, MAP_FAILED);
	madvise(memory, nr * 8192, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < nr; i++)
		memory[i * 8192] = 1;
	open_ctx(NULL);
	ck_assert_uint_eq(walk(memory, 0, &seen).counts.resident, nr * 4096);
	ck_assert_uint_eq(seen.kinds[THP_RANGE_SMALL], nr * 4096);
	ck_assert_uint_eq(walk(memory, THP_USE_READS, &seen).counts.resident, nr * 4096);
	ck_assert_uint_eq(seen.kinds[THP_RANGE_SMALL], nr * 4096);
}
END_TEST

START_TEST(nodes_add_up)
{
	struct seen seen;
	struct thp_mapping mapping;
	uint64_t sum;
	bool huge;

	open_ctx(NULL);
	mapping = walk(make_blocks(&huge), THP_USE_NODES, &seen);
	sum = mapping.counts.node_unknown;
	for (unsigned i = 0; i < THP_NODES_MAX; i++)
		sum += mapping.counts.nodes[i];
	ck_assert_uint_eq(sum, mapping.counts.resident);
}
END_TEST

START_TEST(requests)
{
	struct thp_usage_request request = {.size = sizeof(request), .start = 2, .end = 1};
	struct thp_usage *usage = NULL;

	open_ctx(NULL);
	ck_assert_int_lt(thp_usage_open(ctx, getpid(), &request, &usage), 0);
	request.end = 0;
	request.flags = 1u << 31;
	ck_assert_int_lt(thp_usage_open(ctx, getpid(), &request, &usage), 0);
	request.flags = 0;
	request.size = 4;
	ck_assert_int_lt(thp_usage_open(ctx, getpid(), &request, &usage), 0);
	request.size = sizeof(request);
	ck_assert_int_lt(thp_usage_open(ctx, 999999999, &request, &usage), 0);
	ck_assert_ptr_null(usage);
	thp_usage_close(NULL);
}
END_TEST

struct golden {
	const char *root;
	uint64_t mappings, resident, anon, shmem, file, hugetlb;
	const char *causes; /* "cause resident-KiB", in the order of the causes */
};

static const struct golden trees[] = {
	/* Linux 3.10: no THPeligible, no per-size settings, no shmem. */
	{"mappings-3.10", 5, 67108864 + 8388608 + 688128 + 8192, 67108864, 0, 0, 0,
	 "not-advised 8200 nohugepage 0 too-small 672"},
	/* Linux 6.18: tmpfs with huge=, memfd, hugetlb, a device, and the flag never. */
	{"mappings-6.18", 6, 4194304 + 2097152 + 4096 + 8192, 0, 2097152, 0, 4194304,
	 "hugetlb 0 special 4 flag 4104"},
};

START_TEST(captured)
{
	const struct golden *golden = &trees[_i];
	struct thp_usage_request request = {.size = sizeof(request), .flags = THP_USE_WHY};
	struct thp_mapping mapping = {.size = sizeof(mapping)};
	struct thp_counts sum = {0};
	struct thp_why why = {0};
	struct thp_usage *usage;
	char root[512], causes[256] = "";
	uint64_t nr = 0;
	size_t len = 0;
	int r;

	snprintf(root, sizeof(root), "%s/%s", TESTS_ROOTS, golden->root);
	open_ctx(root);
	ck_assert_int_eq(thp_usage_open(ctx, 42, &request, &usage), 0);
	for (; (r = thp_usage_next(usage, &mapping)) > 0; nr++) {
		thp_counts_add(&sum, &mapping.counts);
		thp_why_add(&why, &mapping.why);
	}
	ck_assert_int_eq(r, 0);
	thp_usage_close(usage);
	for (unsigned i = 0; i < THP_CAUSES; i++) {
		if (why.causes[i].bytes > 0)
			len += (size_t)snprintf(causes + len, sizeof(causes) - len, "%s%s %lu",
						len ? " " : "", thp_cause_name(i),
						(unsigned long)why.causes[i].resident / 1024);
	}
	ck_assert_uint_eq(nr, golden->mappings);
	ck_assert_uint_eq(sum.resident, golden->resident);
	ck_assert_uint_eq(sum.huge_anon, golden->anon);
	ck_assert_uint_eq(sum.huge_shmem, golden->shmem);
	ck_assert_uint_eq(sum.huge_file, golden->file);
	ck_assert_uint_eq(sum.hugetlb, golden->hugetlb);
	ck_assert_str_eq(causes, golden->causes);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("usage");

	unit_add(suite, scans_and_reads_agree);
	unit_add(suite, many_regions);
	unit_add(suite, nodes_add_up);
	unit_add(suite, requests);
	unit_add_rows(suite, captured, NR(trees));
	return suite;
}
