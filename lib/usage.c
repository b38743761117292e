// SPDX-License-Identifier: MIT
/* A walk through a process's mappings: what of them is in memory, huge, where, and why not more. */
#include "backing.h"
#include "explain.h"
#include "folios.h"
#include "lines.h"
#include "nodes.h"
#include "pagemap.h"
#include "parse.h"
#include "procdir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_FLAGS                                                                                  \
	(THP_USE_ADVICE | THP_USE_WHY | THP_USE_NODES | THP_USE_SIZES | THP_USE_READS |            \
	 THP_USE_WHOLE | THP_USE_CHEAP)

/* A mapping of maps or smaps; the name is kept beside, since lines are overwritten. */
struct entry {
	struct parse_maps maps;
	struct parse_vma vma;
	struct parse_smaps smaps;
	char name[LINES_MAX + 1];
};

struct thp_usage {
	struct thp_ctx *ctx;
	struct thp_usage_request request;
	struct procdir dir;
	char path[PROCDIR_MAX + 16];
	struct lines lines; /* of smaps where that is needed, else of maps */
	bool smaps;
	struct entry entries[2]; /* the present one and the one that follows it */
	unsigned present;
	bool has_next;
	bool ended;
	struct mounts mounts;
	struct pagemap map;
	struct folios folios; /* with THP_USE_SIZES, and for causes where it is permitted */
	bool has_folios;
	struct nodes nodes;
	struct thp_system system;
	unsigned possible;
	/* The mapping that ranges are counted for. */
	struct thp_mapping *mapping;
	struct explain explain;
};

static void take_name(struct entry *entry)
{
	size_t len = strnlen(entry->maps.name, LINES_MAX);

	memcpy(entry->name, entry->maps.name, len);
	entry->name[len] = '\0';
	entry->maps.name = entry->name;
}

/*
 * Reads on to the next header, which becomes the following entry; the fields before it belong to
 * the entry at hand, if there is one. 1, 0 at the end, or -errno.
 */
static int read_ahead(struct thp_usage *usage, struct entry *at_hand, struct entry *next)
{
	char *line;
	int r;

	while ((r = lines_next(&usage->lines, &line)) > 0) {
		r = parse_maps_line(line, &next->maps);
		if (r > 0) {
			next->vma = (struct parse_vma){0};
			next->smaps = (struct parse_smaps){0};
			take_name(next);
			return 1;
		}
		if (r == 0 && at_hand) {
			r = parse_smaps_line(line, &at_hand->smaps);
			if (r == 0)
				r = parse_vma_line(line, &at_hand->vma);
		}
		if (r < 0)
			return fail(usage->ctx, r, "%s/%s: cannot parse \"%.60s\"",
				    usage->ctx->root, usage->path, line);
	}
	return r;
}

/* ---- counting ranges ----------------------------------------------------------------------- */

static uint64_t *huge_count(struct thp_counts *counts, enum thp_backing backing)
{
	switch (backing) {
	case THP_BACKING_SHMEM:
		return &counts->huge_shmem;
	case THP_BACKING_FILE:
		return &counts->huge_file;
	default:
		return &counts->huge_anon;
	}
}

static unsigned pmd_order(const struct thp_usage *usage)
{
	return (unsigned)__builtin_ctzll(usage->map.pmd_size / usage->map.page_size);
}

static void count_order(const struct thp_usage *usage, const struct range *range,
			struct thp_counts *counts)
{
	uint64_t bytes = range->end - range->start;

	if (!(usage->request.flags & THP_USE_SIZES))
		counts->order_unknown += bytes;
	else if (range->kind == THP_RANGE_SPLIT)
		counts->orders[pmd_order(usage)] += bytes;
	else
		counts->orders[range->order] += bytes;
}

static void count_kind(const struct thp_usage *usage, const struct range *range,
		       struct thp_mapping *mapping)
{
	struct thp_counts *counts = &mapping->counts;
	uint64_t bytes = range->end - range->start;

	switch (range->kind) {
	case THP_RANGE_ZERO:
		counts->zero += bytes;
		return;
	case THP_RANGE_SWAPPED:
		counts->swapped += bytes;
		return;
	case THP_RANGE_HUGETLB:
		counts->hugetlb += bytes;
		return;
	case THP_RANGE_HUGE:
		*huge_count(counts, mapping->backing) += bytes;
		break;
	default:
		count_order(usage, range, counts);
		break;
	}
	counts->resident += bytes;
}

/* The numbers are smaps' where the kernel has no scan; then ranges are for the picture alone. */
static bool counts_ranges(const struct thp_usage *usage)
{
	return usage->map.scan;
}

static int take_range(void *arg, const struct range *range)
{
	struct thp_usage *usage = arg;
	struct thp_mapping *mapping = usage->mapping;
	bool swapped = range->kind == THP_RANGE_SWAPPED || range->kind == THP_RANGE_ZERO;

	if (counts_ranges(usage))
		count_kind(usage, range, mapping);
	if ((usage->request.flags & THP_USE_NODES) && !swapped)
		nodes_count(&usage->nodes, range, &mapping->counts);
	if ((usage->request.flags & THP_USE_WHY))
		explain_range(&usage->explain, range->start, range->end, range->kind);
	if (usage->request.on_range)
		usage->request.on_range(usage->request.arg, mapping, range->start, range->end,
					range->kind);
	return 0;
}

/* What the page tables show, made more precise where that is known or asked for. */
static int refine_range(void *arg, const struct range *range)
{
	struct thp_usage *usage = arg;
	struct range precise = *range;

	if (usage->mapping->backing == THP_BACKING_HUGETLB && range->kind != THP_RANGE_SWAPPED) {
		precise.kind = THP_RANGE_HUGETLB;
		return take_range(usage, &precise);
	}
	if ((usage->request.flags & THP_USE_SIZES) && range->kind == THP_RANGE_SMALL)
		return folios_walk(&usage->folios, &usage->map, range, take_range, usage);
	/* The blocks matter only where no cause covers the whole mapping. */
	if (usage->has_folios && range->kind == THP_RANGE_SMALL &&
	    usage->explain.whole == THP_CAUSES)
		return folios_sample(&usage->folios, &usage->map, range, take_range, usage);
	return take_range(usage, range);
}

/* ---- one mapping --------------------------------------------------------------------------- */

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void fill_mapping(const struct thp_usage *usage, const struct entry *entry,
			 struct thp_mapping *mapping)
{
	const struct parse_maps *maps = &entry->maps;

	*mapping = (struct thp_mapping){
		.start = maps->start,
		.end = maps->end,
		.offset = maps->offset,
		.inode = maps->inode,
		.flags = maps->flags,
		.backing = backing_of(&usage->mounts, maps, &entry->vma),
		.advice = entry->vma.advice,
		.eligible = entry->vma.eligible,
		.name = entry->name,
	};
	/* The numbers of smaps cannot be cut. */
	if (counts_ranges(usage) && !(usage->request.flags & THP_USE_WHOLE)) {
		mapping->start = max(maps->start, usage->request.start);
		mapping->end = min(maps->end, usage->request.end);
		mapping->offset += mapping->start - maps->start;
	}
	mapping->counts.bytes = mapping->end - mapping->start;
}

static void take_smaps(const struct entry *entry, struct thp_mapping *mapping)
{
	const struct parse_smaps *smaps = &entry->smaps;
	struct thp_counts *counts = &mapping->counts;

	counts->resident = smaps->rss;
	counts->huge_anon = smaps->huge_anon;
	counts->huge_shmem = smaps->huge_shmem;
	counts->huge_file = smaps->huge_file;
	counts->hugetlb = smaps->hugetlb;
	counts->swapped = smaps->swap;
	counts->zero = THP_BYTES_UNKNOWN;
	counts->order_unknown = smaps->rss - min(smaps->rss, thp_counts_huge(counts));
}

/*
 * malloc's heap of a thread (glibc): 64 MiB of address space, aligned to that, of which the front
 * is opened by mprotect as it fills, and the rest has no rights yet.
 */
static bool is_arena(const struct entry *entry, const struct entry *next)
{
	const uint64_t arena = 64ull << 20;
	const struct parse_maps *maps = &entry->maps;

	return next && maps->start % arena == 0 && next->maps.start == maps->end &&
	       next->maps.end == maps->start + arena && maps->inode == 0 && next->maps.inode == 0 &&
	       (next->maps.flags & (THP_MAP_READ | THP_MAP_WRITE | THP_MAP_EXEC)) == 0;
}

static void explain_entry(struct thp_usage *usage, const struct entry *entry,
			  struct explain_facts *facts)
{
	const struct thp_mapping *mapping = usage->mapping;
	const struct entry *next = usage->has_next ? &usage->entries[!usage->present] : NULL;

	*facts = (struct explain_facts){
		.system = &usage->system,
		.possible = usage->possible,
		.start = entry->maps.start,
		.end = entry->maps.end,
		.offset = entry->maps.offset,
		.from = mapping->start,
		.to = mapping->end,
		.backing = mapping->backing,
		.advice = mapping->advice,
		.eligible = mapping->eligible,
		.shmem = backing_shmem(&usage->mounts, &entry->maps, &usage->system),
		.stack = strcmp(entry->name, "[stack]") == 0,
		.grows = strcmp(entry->name, "[heap]") == 0 || is_arena(entry, next),
		.device = entry->vma.device,
		.watched = entry->vma.watched,
	};
	explain_begin(&usage->explain, facts);
}

static int walk_entry(struct thp_usage *usage, const struct entry *entry,
		      struct thp_mapping *mapping)
{
	struct explain_facts facts;
	int r = 0;

	usage->mapping = mapping;
	fill_mapping(usage, entry, mapping);
	if (!counts_ranges(usage))
		take_smaps(entry, mapping);
	if (usage->request.flags & THP_USE_WHY)
		explain_entry(usage, entry, &facts);
	if (usage->has_folios)
		folios_begin(&usage->folios, mapping->start, &mapping->counts.part_held);

	/* Of memory that is not there, reads would be all zeros: gigabytes of them. */
	if (counts_ranges(usage) || mapping->counts.resident || mapping->counts.swapped)
		r = pagemap_walk(&usage->map, mapping->start, mapping->end,
				 thp_counts_huge(&mapping->counts), refine_range, usage);

	if ((usage->request.flags & THP_USE_WHY) && usage->map.fd < 0)
		explain_sums(&usage->explain, thp_counts_huge(&mapping->counts),
			     mapping->counts.order_unknown);
	if (usage->has_folios)
		folios_end(&usage->folios);
	if (usage->request.flags & THP_USE_WHY)
		explain_end(&usage->explain, &mapping->why);
	if ((usage->request.flags & THP_USE_NODES) && usage->map.fd < 0)
		nodes_count_bytes(&usage->nodes, mapping->counts.resident, &mapping->counts);
	return r;
}

EXPORT int thp_usage_next(struct thp_usage *usage, struct thp_mapping *ret_mapping)
{
	const struct thp_usage_request *request = &usage->request;
	struct thp_mapping mapping;

	for (;;) {
		struct entry *entry;
		int r;

		if (usage->ended || !usage->has_next)
			return 0;
		usage->present = !usage->present;
		entry = &usage->entries[usage->present];
		r = read_ahead(usage, entry, &usage->entries[!usage->present]);
		if (r < 0)
			return r;
		usage->has_next = r > 0;
		if (entry->maps.end <= request->start)
			continue;
		if (entry->maps.start >= request->end) {
			usage->ended = true;
			return 0;
		}
		r = walk_entry(usage, entry, &mapping);
		if (r < 0)
			return r;
		r = copy_out(usage->ctx, ret_mapping, ret_mapping->size, &mapping, sizeof(mapping),
			     sizeof(mapping));
		return r < 0 ? r : 1;
	}
}

/* ---- opening and closing ------------------------------------------------------------------- */

/* Kernels before 4.11 do not tell the size; it is then that of x86, where they mostly run. */
static uint64_t block_size(struct thp_ctx *ctx)
{
	uint64_t bytes = system_pmd_bytes(ctx);

	return bytes ? bytes : 2ull << 20;
}

/*
 * Advice stands in smaps only, whose every line costs a walk of the mapping's page tables with the
 * process's mmap lock held: 103 ms for 4 GiB of small pages, nothing for huge ones.
 */
#define CHEAP_SMALL (256ull << 20)

static unsigned decide_flags(struct thp_usage *usage)
{
	uint64_t small = usage->dir.live.resident;
	unsigned flags = usage->request.flags;

	if (flags & THP_USE_CHEAP) {
		/* Where it cannot be counted, smaps is all there is: it is read in any case. */
		if (small > CHEAP_SMALL && pagemap_small(&usage->map, CHEAP_SMALL, &small) < 0)
			small = 0;
		if (small <= CHEAP_SMALL)
			flags |= THP_USE_WHY | THP_USE_NODES;
	}
	return flags & THP_USE_WHY ? flags | THP_USE_ADVICE : flags;
}

static int take_request(struct thp_ctx *ctx, const struct thp_usage_request *request,
			struct thp_usage_request *ret_request)
{
	if (request->size < sizeof(*request))
		return fail(ctx, -EINVAL, "structure size %zu is not one of this library's",
			    request->size);
	if (request->flags & ~ALL_FLAGS)
		return fail(ctx, -EINVAL, "use flags 0x%x: unknown", request->flags);
	*ret_request = *request;
	if (ret_request->end == 0)
		ret_request->end = UINT64_MAX;
	if (ret_request->start >= ret_request->end)
		return fail(ctx, -EINVAL, "range: start is not below end");
	return 0;
}

/* A range of addresses covers whole pages, and for causes whole blocks. */
static void widen_request(struct thp_usage *usage)
{
	struct thp_usage_request *request = &usage->request;
	uint64_t unit = request->flags & THP_USE_WHY ? usage->map.pmd_size : usage->map.page_size;

	request->start = request->start / unit * unit;
	if (request->end < UINT64_MAX - unit)
		request->end = (request->end + unit - 1) / unit * unit;
}

static int find_process(struct thp_usage *usage, pid_t pid)
{
	int r = procdir_find(usage->ctx, pid, &usage->dir);

	if (r < 0)
		return r;
	if (!usage->dir.live.has_vm)
		return fail(usage->ctx, -ENODATA,
			    "PID %d has no memory of its own: a kernel thread or a zombie",
			    (int)pid);
	return 0;
}

/*
 * What a judgement needs beside the mappings: settings, and the modes that are possible. Whether
 * the kernel knows the mode madvise matters only if the system says always; to ask costs a fork.
 */
static int read_circumstances(struct thp_usage *usage)
{
	struct thp_process process = {.size = sizeof(process)};
	const struct parse_status *status = &usage->dir.live;
	int r;

	system_read_pmd(usage->ctx, &usage->system);
	usage->system.pmd_bytes = usage->map.pmd_size;
	if (thp_system_anon(&usage->system, usage->system.pmd_bytes) == THP_SETTING_ALWAYS) {
		r = thp_process_read(usage->ctx, usage->dir.leader.tgid, 0, &process);
		usage->possible = process.possible;
		return r;
	}
	/* A kernel without THP writes 0 for all processes. */
	if (status->thp_enabled == 0 && usage->system.presence != THP_ABSENT)
		usage->possible = THP_MODE_BIT(THP_MODE_NEVER);
	else
		usage->possible = THP_MODE_BIT(THP_MODE_DEFAULT) | THP_MODE_BIT(THP_MODE_MADVISE);
	return 0;
}

/* The thread that the directory names, for calls that take an id. */
static pid_t id_of(const struct procdir *dir)
{
	const char *slash = strrchr(dir->path, '/');
	uint64_t id;

	return slash && parse_u64(slash + 1, &id, NULL) == 0 ? (pid_t)id : 0;
}

static int open_maps(struct thp_usage *usage)
{
	int r;

	usage->smaps = (usage->request.flags & THP_USE_ADVICE) || !usage->map.scan;
	snprintf(usage->path, sizeof(usage->path), "%s/%s", usage->dir.path,
		 usage->smaps ? "smaps" : "maps");
	r = lines_open(&usage->lines, usage->ctx, usage->path);
	if (r < 0)
		return r;
	r = read_ahead(usage, NULL, &usage->entries[!usage->present]);
	if (r < 0) {
		lines_close(&usage->lines);
		return r;
	}
	usage->has_next = r > 0;
	return 0;
}

/* Sizes that were asked for must be had; causes are told as far as it is permitted. */
static int open_folios(struct thp_usage *usage)
{
	unsigned flags = usage->request.flags;
	int r;

	if (!(flags & (THP_USE_SIZES | THP_USE_WHY)) || usage->map.fd < 0)
		return flags & THP_USE_SIZES ? fail(usage->ctx, -EOPNOTSUPP,
						    "%s/%s: none here to tell sizes of pages",
						    usage->ctx->root, usage->map.path)
					     : 0;
	r = folios_open(&usage->folios, usage->ctx, &usage->map);
	usage->has_folios = r == 0;
	return flags & THP_USE_SIZES ? r : 0;
}

static int open_all(struct thp_usage *usage, pid_t pid)
{
	bool reads = usage->request.flags & THP_USE_READS;
	int r;

	r = find_process(usage, pid);
	if (r < 0)
		return r;
	r = mounts_read(&usage->mounts, usage->ctx, usage->dir.path);
	if (r < 0)
		return r;
	r = pagemap_open(&usage->map, usage->ctx, usage->dir.path, block_size(usage->ctx), reads);
	if (r < 0)
		goto free_mounts;
	usage->request.flags = decide_flags(usage);
	if (usage->request.flags & THP_USE_WHY) {
		r = read_circumstances(usage);
		if (r < 0)
			goto close_map;
	}
	widen_request(usage);
	r = open_folios(usage);
	if (r < 0)
		goto close_map;
	if (usage->request.flags & THP_USE_NODES)
		nodes_open(&usage->nodes, usage->ctx, id_of(&usage->dir), &usage->map);
	r = open_maps(usage);
	if (r == 0)
		return 0;

	if (usage->has_folios)
		folios_close(&usage->folios);
close_map:
	pagemap_close(&usage->map);
free_mounts:
	mounts_free(&usage->mounts);
	return r;
}

EXPORT int thp_usage_open(struct thp_ctx *ctx, pid_t pid, const struct thp_usage_request *request,
			  struct thp_usage **ret_usage)
{
	struct thp_usage *usage = calloc(1, sizeof(*usage));
	int r;

	if (!usage)
		return fail(ctx, -ENOMEM, "walk of PID %d: %s", (int)pid, strerror(ENOMEM));
	usage->ctx = ctx;
	r = take_request(ctx, request, &usage->request);
	if (r == 0)
		r = open_all(usage, pid);
	if (r < 0) {
		free(usage);
		return r;
	}
	*ret_usage = usage;
	return 0;
}

EXPORT int thp_usage_describe(struct thp_usage *usage, struct thp_usage_info *ret_info)
{
	struct thp_usage_info info = {
		.pid = usage->dir.leader.tgid,
		.flags = usage->request.flags,
		.block = usage->map.pmd_size,
		.page_size = usage->map.page_size,
	};

	memcpy(info.comm, usage->dir.leader.comm, sizeof(info.comm));
	return copy_out(usage->ctx, ret_info, ret_info->size, &info, sizeof(info), sizeof(info));
}

EXPORT void thp_usage_close(struct thp_usage *usage)
{
	if (!usage)
		return;
	lines_close(&usage->lines);
	if (usage->has_folios)
		folios_close(&usage->folios);
	pagemap_close(&usage->map);
	mounts_free(&usage->mounts);
	free(usage);
}
