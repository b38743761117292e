/* SPDX-License-Identifier: MIT */
/*
 * Counts what user code in the guest loads and stores, on its own node and on others, what
 * simulated TLBs would miss, and which lines a simulated cache would fetch, between the marks that
 * a program makes (marker.h). A plugin for QEMU's TCG; arguments:
 *
 *	out=FILE nodes=N cpus=N (of each node) mib=N (of each node)
 *	tlb4k=SETSxWAYS tlb2m=SETSxWAYS cache=SETSxWAYS (of 64-byte lines)
 *
 * What is counted: one per memory operation of an instruction, at any width, by the page and line
 * of its first byte. Instruction fetches, page walks and kernel code are not. Each CPU has its own
 * TLBs and cache; nothing invalidates a line in the cache of another. Two TLBs see every access,
 * each as if all pages had its size; two more see only the pages that really have it. All are
 * emptied whenever the guest flushes its own.
 *
 * Each vCPU has one struct here that only its own callbacks change: no locks. Where a page lies is
 * looked up once and kept until the guest flushes its TLB, exactly as long as hardware may keep a
 * translation.
 */
#include "api.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lru.h"
#include "marker.h"

#define PAGE_SHIFT    12
#define HUGE_SHIFT    21
#define LINE_SHIFT    6
#define KERNEL_HALF   (1ULL << 63)
#define PAGES_KNOWN   (1U << 14)
#define REGIONS_KNOWN (1U << 10)
#define NOTHING       UINT64_MAX
#define NOT_COUNTING  0
#define MAX_GROUPS    11 /* of 1, 2, 4 ... 1024 nodes */
#define UNKNOWN       (node_count)

enum place { LOCAL, REMOTE, NOWHERE, PLACES };

struct known_page {
	uint64_t page;
	uint32_t flush; /* valid if nothing was flushed since */
	uint16_t node;
	bool huge;
};

/* 2 MiB of addresses: huge as long as each page seen lies where one huge page would have it. */
struct known_region {
	uint64_t region, base;
	uint32_t flush;
	bool huge;
};

struct vcpu {
	uint64_t last_line; /* newest in all that is simulated: nothing to do */
	enum place last_place;
	unsigned int region;
	plugin_access some_load, some_store; /* descriptors known to be one */
	uint64_t loads[PLACES], stores[PLACES];
	uint64_t last_page;
	unsigned int last_node;
	bool last_huge;
	uint32_t flush;
	unsigned int node;
	uint64_t misses_4k, misses_2m, walks_small, walks_huge, flushes;
	uint64_t *lines; /* fetched from each node, and from none that is known */
	uint64_t *tlb_4k, *tlb_2m, *tlb_small, *tlb_huge, *cache;
	struct known_page *pages;
	struct known_region *regions;
} __attribute__((aligned(128)));

PLUGIN_EXPORT int qemu_plugin_version = 1;

/* A machine of the Sandy Bridge age, which the 64-socket measurements come from. */
static struct lru_shape shape_4k = {PAGE_SHIFT, 128, 4}, shape_2m = {HUGE_SHIFT, 8, 4};
static struct lru_shape shape_cache = {LINE_SHIFT, 512, 8};
static struct vcpu *vcpus;
static int vcpu_count;
static uint64_t node_bytes;
static unsigned int node_count = 1, node_cpus = 1;
static FILE *out;

static atomic_uint region = NOT_COUNTING;
static unsigned int regions;
static double region_cpu_seconds;

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void forget_pages(struct vcpu *vcpu)
{
	vcpu->last_line = vcpu->last_page = NOTHING;
	vcpu->flush++;
	lru_flush(&shape_4k, vcpu->tlb_4k);
	lru_flush(&shape_2m, vcpu->tlb_2m);
	lru_flush(&shape_4k, vcpu->tlb_small);
	lru_flush(&shape_2m, vcpu->tlb_huge);
}

static void enter_region(struct vcpu *vcpu, unsigned int now)
{
	vcpu->region = now;
	memset(vcpu->loads, 0, sizeof(vcpu->loads));
	memset(vcpu->stores, 0, sizeof(vcpu->stores));
	memset(vcpu->lines, 0, sizeof(*vcpu->lines) * (node_count + 1));
	vcpu->misses_4k = vcpu->misses_2m = vcpu->flushes = 0;
	vcpu->walks_small = vcpu->walks_huge = 0;
	lru_flush(&shape_cache, vcpu->cache);
	forget_pages(vcpu);
}

static bool is_huge(struct vcpu *vcpu, uint64_t address, uint64_t physical)
{
	uint64_t mask = (1ULL << HUGE_SHIFT) - 1, base = physical - (address & mask);
	uint64_t number = address >> HUGE_SHIFT;
	struct known_region *known = &vcpu->regions[number % REGIONS_KNOWN];

	if (known->region != number || known->flush != vcpu->flush)
		*known = (struct known_region){number, base, vcpu->flush, !(base & mask)};
	known->huge &= known->base == base;
	return known->huge;
}

static void look_up(struct vcpu *vcpu, plugin_access access, uint64_t address,
		    struct known_page *ret_page)
{
	struct plugin_hwaddr *hwaddr = qemu_plugin_get_hwaddr(access, address);
	struct known_page page = {address >> PAGE_SHIFT, vcpu->flush, (uint16_t)UNKNOWN, false};
	uint64_t physical, node;

	if (hwaddr && !qemu_plugin_hwaddr_is_io(hwaddr)) {
		/*
		 * Up to QEMU 8.0 this is not the guest's physical address: the offset of the node's
		 * RAM among all RAM is added twice. With nodes of one size, a multiple of 2 MiB,
		 * node and alignment can still be told.
		 */
		physical = qemu_plugin_hwaddr_phys_addr(hwaddr);
		node = physical / (2 * node_bytes);
		if (node < node_count)
			page.node = (uint16_t)node;
		page.huge = is_huge(vcpu, address, physical);
	}
	*ret_page = page;
}

static void change_page(struct vcpu *vcpu, plugin_access access, uint64_t address)
{
	uint64_t page = address >> PAGE_SHIFT;
	struct known_page *known = &vcpu->pages[page % PAGES_KNOWN];

	vcpu->misses_4k += !lru_use(&shape_4k, vcpu->tlb_4k, address);
	vcpu->misses_2m += !lru_use(&shape_2m, vcpu->tlb_2m, address);
	if (known->page != page || known->flush != vcpu->flush)
		look_up(vcpu, access, address, known);
	if (known->huge)
		vcpu->walks_huge += !lru_use(&shape_2m, vcpu->tlb_huge, address);
	else
		vcpu->walks_small += !lru_use(&shape_4k, vcpu->tlb_small, address);
	vcpu->last_page = page;
	vcpu->last_node = known->node;
	vcpu->last_place = known->node == UNKNOWN      ? NOWHERE
			   : known->node == vcpu->node ? LOCAL
						       : REMOTE;
}

/* The first access to another line than the last one. */
static __attribute__((noinline)) bool change_line(struct vcpu *vcpu, plugin_access access,
						  uint64_t address)
{
	unsigned int now = atomic_load_explicit(&region, memory_order_relaxed);

	if (now == NOT_COUNTING || address & KERNEL_HALF)
		return false;
	if (vcpu->region != now)
		enter_region(vcpu, now);
	if (vcpu->last_page != address >> PAGE_SHIFT)
		change_page(vcpu, access, address);
	if (!lru_use(&shape_cache, vcpu->cache, address))
		vcpu->lines[vcpu->last_node]++;
	vcpu->last_line = address >> LINE_SHIFT;
	return true;
}

static inline bool same_line(const struct vcpu *vcpu, uint64_t address)
{
	return vcpu->last_line == address >> LINE_SHIFT &&
	       vcpu->region == atomic_load_explicit(&region, memory_order_relaxed);
}

static void count_load(struct vcpu *vcpu, plugin_access access)
{
	vcpu->some_load = access;
	vcpu->loads[vcpu->last_place]++;
}

static void count_store(struct vcpu *vcpu, plugin_access access)
{
	vcpu->some_store = access;
	vcpu->stores[vcpu->last_place]++;
}

static void on_access(unsigned int cpu, plugin_access access, uint64_t address, void *data)
{
	struct vcpu *vcpu = &vcpus[cpu];

	(void)data;
	if (__builtin_expect(!same_line(vcpu, address), 0) && !change_line(vcpu, access, address))
		return;
	/* What a descriptor means never changes; asking QEMU costs as much as all the rest. */
	if (access == vcpu->some_load)
		vcpu->loads[vcpu->last_place]++;
	else if (access == vcpu->some_store)
		vcpu->stores[vcpu->last_place]++;
	else if (qemu_plugin_mem_is_store(access))
		count_store(vcpu, access);
	else
		count_load(vcpu, access);
}

static void on_flush(unsigned int cpu, void *data)
{
	struct vcpu *vcpu = &vcpus[cpu];
	unsigned int now = atomic_load_explicit(&region, memory_order_relaxed);

	(void)data;
	if (now == NOT_COUNTING)
		return;
	if (vcpu->region != now)
		enter_region(vcpu, now);
	vcpu->flushes++;
	forget_pages(vcpu);
}

static void on_start(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	region_cpu_seconds = cpu_seconds();
	atomic_store(&region, ++regions);
}

/* Nodes with numbers a and b lie in one aligned group of 2^n: returns n. */
static unsigned int group_of(unsigned int a, unsigned int b)
{
	return a == b ? 0 : 32 - (unsigned int)__builtin_clz(a ^ b);
}

static void print_lines(unsigned int ending)
{
	uint64_t groups[MAX_GROUPS] = {0}, hottest = 0, unknown = 0;
	unsigned int last = group_of(0, node_count - 1);

	for (unsigned int node = 0; node < node_count; node++) {
		uint64_t sum = 0;

		for (int i = 0; i < vcpu_count; i++) {
			if (vcpus[i].region != ending)
				continue;
			sum += vcpus[i].lines[node];
			groups[group_of(vcpus[i].node, node)] += vcpus[i].lines[node];
		}
		hottest = sum > hottest ? sum : hottest;
	}
	for (int i = 0; i < vcpu_count; i++)
		unknown += vcpus[i].region == ending ? vcpus[i].lines[UNKNOWN] : 0;
	fprintf(out, "lines_by_group");
	for (unsigned int group = 0; group <= last; group++)
		fprintf(out, " %" PRIu64, groups[group]);
	fprintf(out, "\nlines_unknown %" PRIu64 "\nlines_hottest_node %" PRIu64 "\n", unknown,
		hottest);
}

static void on_stop(unsigned int cpu, void *data)
{
	unsigned int ending = atomic_exchange(&region, NOT_COUNTING);
	uint64_t loads[PLACES] = {0}, stores[PLACES] = {0}, misses_4k = 0, misses_2m = 0;
	uint64_t walks_small = 0, walks_huge = 0, flushes = 0, placed;
	double seconds = cpu_seconds() - region_cpu_seconds;

	(void)cpu;
	(void)data;
	if (ending == NOT_COUNTING)
		return;
	for (int i = 0; i < vcpu_count; i++) {
		const struct vcpu *vcpu = &vcpus[i];

		if (vcpu->region != ending)
			continue;
		for (enum place place = 0; place < PLACES; place++) {
			loads[place] += vcpu->loads[place];
			stores[place] += vcpu->stores[place];
		}
		misses_4k += vcpu->misses_4k;
		misses_2m += vcpu->misses_2m;
		walks_small += vcpu->walks_small;
		walks_huge += vcpu->walks_huge;
		flushes += vcpu->flushes;
	}
	placed = loads[LOCAL] + loads[REMOTE] + stores[LOCAL] + stores[REMOTE];
	fprintf(out, "region %u\n", ending);
	fprintf(out, "loads_local %" PRIu64 "\nloads_remote %" PRIu64 "\n", loads[LOCAL],
		loads[REMOTE]);
	fprintf(out, "stores_local %" PRIu64 "\nstores_remote %" PRIu64 "\n", stores[LOCAL],
		stores[REMOTE]);
	fprintf(out, "accesses_unknown %" PRIu64 "\n", loads[NOWHERE] + stores[NOWHERE]);
	if (placed)
		fprintf(out, "accesses_remote_percent %.2f\n",
			100.0 * (double)(loads[REMOTE] + stores[REMOTE]) / (double)placed);
	print_lines(ending);
	fprintf(out, "tlb_4k_misses %" PRIu64 "\ntlb_2m_misses %" PRIu64 "\n", misses_4k,
		misses_2m);
	fprintf(out, "walks_small %" PRIu64 "\nwalks_huge %" PRIu64 "\n", walks_small, walks_huge);
	fprintf(out, "tlb_flushes %" PRIu64 "\n", flushes);
	fprintf(out, "accesses %" PRIu64 "\ncpu_seconds %.3f\n",
		placed + loads[NOWHERE] + stores[NOWHERE], seconds);
	fflush(out);
}

/* MOV to CR3 or CR4, INVLPG, INVPCID: all that Linux flushes a TLB with. */
static bool flushes_tlb(const uint8_t *code, size_t length)
{
	while (length && (*code == 0x66 || (*code & 0xf0) == 0x40)) {
		code++;
		length--;
	}
	if (length < 3 || code[0] != 0x0f)
		return false;
	if (code[1] == 0x22)
		return (code[2] >> 3 & 7) == 3 || (code[2] >> 3 & 7) == 4;
	if (code[1] == 0x01)
		return code[2] < 0xc0 && (code[2] >> 3 & 7) == 7;
	return code[1] == 0x38 && code[2] == 0x82;
}

static uint32_t marker_in(const uint8_t *code, size_t length)
{
	static const uint8_t head[] = {0x0f, 0x1f, 0x84, 0x00};
	uint32_t marker;

	if (length != MARKER_LENGTH || memcmp(code, head, sizeof(head)))
		return 0;
	memcpy(&marker, code + sizeof(head), sizeof(marker));
	return marker;
}

static void on_translate(plugin_id id, struct plugin_block *block)
{
	bool kernel = qemu_plugin_tb_vaddr(block) & KERNEL_HALF;

	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
		const uint8_t *code = qemu_plugin_insn_data(insn);
		size_t length = qemu_plugin_insn_size(insn);
		uint32_t marker;

		if (kernel) {
			if (flushes_tlb(code, length))
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_flush,
								       PLUGIN_NO_REGISTERS, NULL);
			continue;
		}
		marker = marker_in(code, length);
		if (marker == MARKER_START || marker == MARKER_STOP)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, marker == MARKER_START ? on_start : on_stop,
				PLUGIN_NO_REGISTERS, NULL);
		/* One callback for both: QEMU 7.2 mixes the directions up if told only one. */
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, PLUGIN_NO_REGISTERS,
						 PLUGIN_LOADS_AND_STORES, NULL);
	}
}

static int complain(const char *what, const char *detail)
{
	fprintf(stderr, "numa plugin: %s%s\n", what, detail);
	return -1;
}

static bool parse_shape(const char *text, struct lru_shape *shape)
{
	char rest;

	return sscanf(text, "%ux%u%c", &shape->sets, &shape->ways, &rest) == 2 && shape->sets &&
	       shape->ways && !(shape->sets & (shape->sets - 1));
}

static bool parse_argument(const char *argument)
{
	const char *value = strchr(argument, '=');

	if (!value++)
		return false;
	if (!strncmp(argument, "out=", 4))
		return (out = fopen(value, "we")) != NULL;
	if (!strncmp(argument, "nodes=", 6))
		return (node_count = (unsigned int)strtoul(value, NULL, 10)) > 0;
	if (!strncmp(argument, "cpus=", 5))
		return (node_cpus = (unsigned int)strtoul(value, NULL, 10)) > 0;
	if (!strncmp(argument, "mib=", 4))
		return (node_bytes = strtoull(value, NULL, 10) << 20) > 0;
	if (!strncmp(argument, "tlb4k=", 6))
		return parse_shape(value, &shape_4k);
	if (!strncmp(argument, "tlb2m=", 6))
		return parse_shape(value, &shape_2m);
	if (!strncmp(argument, "cache=", 6))
		return parse_shape(value, &shape_cache);
	return false;
}

static bool make_vcpu(struct vcpu *vcpu, unsigned int node)
{
	*vcpu = (struct vcpu){
		.last_line = NOTHING,
		.last_page = NOTHING,
		.some_load = UINT32_MAX,
		.some_store = UINT32_MAX,
		.node = node,
		.lines = calloc(node_count + 1, sizeof(*vcpu->lines)),
		.tlb_4k = lru_new(&shape_4k),
		.tlb_2m = lru_new(&shape_2m),
		.tlb_small = lru_new(&shape_4k),
		.tlb_huge = lru_new(&shape_2m),
		.cache = lru_new(&shape_cache),
		.pages = calloc(PAGES_KNOWN, sizeof(*vcpu->pages)),
		.regions = calloc(REGIONS_KNOWN, sizeof(*vcpu->regions)),
	};
	return vcpu->lines && vcpu->tlb_4k && vcpu->tlb_2m && vcpu->tlb_small && vcpu->tlb_huge &&
	       vcpu->cache && vcpu->pages && vcpu->regions;
}

PLUGIN_EXPORT int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc,
				      char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!parse_argument(argv[i]))
			return complain("bad argument: ", argv[i]);
	if (!out || !node_bytes)
		return complain("out= and mib= are needed", "");
	if (!info->whole_system || strcmp(info->target, "x86_64"))
		return complain("only for qemu-system-x86_64, not ", info->target);
	if (node_count > 1 << (MAX_GROUPS - 1))
		return complain("too many nodes", "");
	vcpu_count = info->system.max_cpus;
	vcpus = aligned_alloc(_Alignof(struct vcpu), sizeof(*vcpus) * (size_t)vcpu_count);
	if (!vcpus)
		return complain("no memory", "");
	for (int i = 0; i < vcpu_count; i++)
		if (!make_vcpu(&vcpus[i], (unsigned int)i / node_cpus))
			return complain("no memory", "");
	fprintf(out,
		"simulated 4 KiB pages: TLB of %u entries, %u-way; 2 MiB pages: %u entries, "
		"%u-way; "
		"cache of %u KiB, %u-way; LRU\n",
		shape_4k.sets * shape_4k.ways, shape_4k.ways, shape_2m.sets * shape_2m.ways,
		shape_2m.ways, shape_cache.sets * shape_cache.ways / 16, shape_cache.ways);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	return 0;
}
