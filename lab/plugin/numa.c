/* SPDX-License-Identifier: MIT */
/*
 * Counts what user code in the guest loads and stores, on its own node and on others, and what a
 * simulated TLB would miss, between the marks that a program makes (marker.h). A plugin for QEMU's
 * TCG; arguments:
 *
 *	out=FILE nodes=N cpus=N (of each node) mib=N (of each node)
 *	tlb4k=SETSxWAYS tlb2m=SETSxWAYS
 *
 * What is counted: one per memory operation of an instruction, at any width, by the page of its
 * first byte. Instruction fetches, page walks and kernel code are not. Both TLBs see every access,
 * each as if all pages had its size; they are emptied whenever the guest flushes its own.
 *
 * Each vCPU has one thread in QEMU and one struct here: no locks. A page's node is looked up once
 * and kept until the guest flushes its TLB, exactly as long as hardware may keep a translation.
 */
#include "api.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "marker.h"
#include "tlb.h"

#define PAGE_SHIFT    12
#define KERNEL_HALF   (1ULL << 63)
#define CACHE_ENTRIES (1U << 14)
#define NO_PAGE       UINT64_MAX
#define NOT_COUNTING  0

enum place { LOCAL, REMOTE, UNKNOWN, PLACES };

struct known_page {
	uint64_t page;
	uint32_t flush; /* valid if nothing was flushed since */
	enum place place;
};

struct vcpu {
	uint64_t last_page; /* newest in both TLBs: nothing to simulate */
	enum place last_place;
	unsigned int region;
	plugin_access some_load, some_store; /* descriptors known to be one */
	uint64_t loads[PLACES], stores[PLACES];
	uint64_t misses_4k, misses_2m, flushes;
	uint64_t *tlb_4k, *tlb_2m;
	struct known_page *known;
	uint32_t flush;
	unsigned int node;
} __attribute__((aligned(128)));

PLUGIN_EXPORT int qemu_plugin_version = 1;

/* A machine of the Sandy Bridge age, which the 64-socket measurements come from. */
static struct tlb_shape shape_4k = {PAGE_SHIFT, 128, 4}, shape_2m = {21, 8, 4};
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
	vcpu->last_page = NO_PAGE;
	vcpu->flush++;
	tlb_flush(&shape_4k, vcpu->tlb_4k);
	tlb_flush(&shape_2m, vcpu->tlb_2m);
}

static void enter_region(struct vcpu *vcpu, unsigned int now)
{
	vcpu->region = now;
	memset(vcpu->loads, 0, sizeof(vcpu->loads));
	memset(vcpu->stores, 0, sizeof(vcpu->stores));
	vcpu->misses_4k = vcpu->misses_2m = vcpu->flushes = 0;
	forget_pages(vcpu);
}

static enum place look_up(const struct vcpu *vcpu, plugin_access access, uint64_t address)
{
	struct plugin_hwaddr *hwaddr = qemu_plugin_get_hwaddr(access, address);
	uint64_t node;

	if (!hwaddr || qemu_plugin_hwaddr_is_io(hwaddr))
		return UNKNOWN;
	/*
	 * Up to QEMU 8.0 this is not the guest's physical address: the offset of the node's RAM
	 * among all RAM is added twice. With nodes of one size the node can still be told.
	 */
	node = qemu_plugin_hwaddr_phys_addr(hwaddr) / (2 * node_bytes);
	if (node >= node_count)
		return UNKNOWN;
	return node == vcpu->node ? LOCAL : REMOTE;
}

/* The first access to another page than the last one. */
static __attribute__((noinline)) bool change_page(struct vcpu *vcpu, plugin_access access,
						  uint64_t address)
{
	unsigned int now = atomic_load_explicit(&region, memory_order_relaxed);
	uint64_t page = address >> PAGE_SHIFT;
	struct known_page *known = &vcpu->known[page % CACHE_ENTRIES];

	if (now == NOT_COUNTING || address & KERNEL_HALF)
		return false;
	if (vcpu->region != now)
		enter_region(vcpu, now);
	vcpu->misses_4k += !tlb_use(&shape_4k, vcpu->tlb_4k, address);
	vcpu->misses_2m += !tlb_use(&shape_2m, vcpu->tlb_2m, address);
	if (known->page != page || known->flush != vcpu->flush)
		*known = (struct known_page){page, vcpu->flush, look_up(vcpu, access, address)};
	vcpu->last_page = page;
	vcpu->last_place = known->place;
	return true;
}

static inline bool same_page(const struct vcpu *vcpu, uint64_t address)
{
	return vcpu->last_page == address >> PAGE_SHIFT &&
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
	if (__builtin_expect(!same_page(vcpu, address), 0) && !change_page(vcpu, access, address))
		return;
	/* What an access descriptor means never changes; asking QEMU costs as much as all the rest.
	 */
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

static void on_stop(unsigned int cpu, void *data)
{
	unsigned int ending = atomic_exchange(&region, NOT_COUNTING);
	uint64_t loads[PLACES] = {0}, stores[PLACES] = {0}, misses_4k = 0, misses_2m = 0;
	uint64_t flushes = 0, placed, all;
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
		flushes += vcpu->flushes;
	}
	placed = loads[LOCAL] + loads[REMOTE] + stores[LOCAL] + stores[REMOTE];
	all = placed + loads[UNKNOWN] + stores[UNKNOWN];
	fprintf(out, "region %u\n", ending);
	fprintf(out, "loads_local %" PRIu64 "\nloads_remote %" PRIu64 "\n", loads[LOCAL],
		loads[REMOTE]);
	fprintf(out, "stores_local %" PRIu64 "\nstores_remote %" PRIu64 "\n", stores[LOCAL],
		stores[REMOTE]);
	fprintf(out, "accesses_unknown %" PRIu64 "\n", loads[UNKNOWN] + stores[UNKNOWN]);
	if (placed)
		fprintf(out, "accesses_remote_percent %.2f\n",
			100.0 * (double)(loads[REMOTE] + stores[REMOTE]) / (double)placed);
	fprintf(out, "tlb_4k_misses %" PRIu64 "\ntlb_2m_misses %" PRIu64 "\n", misses_4k,
		misses_2m);
	fprintf(out, "tlb_flushes %" PRIu64 "\n", flushes);
	fprintf(out, "accesses %" PRIu64 "\ncpu_seconds %.3f\n", all, seconds);
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

static bool parse_shape(const char *text, struct tlb_shape *shape)
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
	return false;
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
	vcpu_count = info->system.max_cpus;
	vcpus = aligned_alloc(_Alignof(struct vcpu), sizeof(*vcpus) * (size_t)vcpu_count);
	if (!vcpus)
		return complain("no memory", "");
	memset(vcpus, 0, sizeof(*vcpus) * (size_t)vcpu_count);
	for (int i = 0; i < vcpu_count; i++) {
		struct vcpu *vcpu = &vcpus[i];

		vcpu->node = (unsigned int)i / node_cpus;
		vcpu->last_page = NO_PAGE;
		vcpu->some_load = vcpu->some_store = UINT32_MAX;
		vcpu->tlb_4k = tlb_new(&shape_4k);
		vcpu->tlb_2m = tlb_new(&shape_2m);
		vcpu->known = calloc(CACHE_ENTRIES, sizeof(*vcpu->known));
		if (!vcpu->tlb_4k || !vcpu->tlb_2m || !vcpu->known)
			return complain("no memory", "");
	}
	fprintf(out,
		"tlb_sizes 4 KiB pages: %u entries, %u-way; 2 MiB pages: %u entries, %u-way; LRU\n",
		shape_4k.sets * shape_4k.ways, shape_4k.ways, shape_2m.sets * shape_2m.ways,
		shape_2m.ways);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	return 0;
}
