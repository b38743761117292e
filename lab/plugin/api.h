/* SPDX-License-Identifier: MIT */
/*
 * The part of QEMU's TCG plugin interface, version 1 (QEMU 6.0 to 8.2), that the plugin uses.
 * Debian does not ship the header; these declarations are written from the interface's
 * documentation. A newer QEMU refuses a version 1 plugin and says so.
 */
#ifndef LAB_PLUGIN_API_H
#define LAB_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

/* QEMU looks this up before it calls the plugin. */
PLUGIN_EXPORT extern int qemu_plugin_version;

typedef uint64_t plugin_id;
typedef uint32_t plugin_access; /* describes one access; valid within its callback */
struct plugin_block;            /* a translated block of guest code */
struct plugin_insn;
struct plugin_hwaddr;

struct plugin_info {
	const char *target;
	struct {
		int min, current;
	} version;
	bool whole_system;
	struct {
		int cpus, max_cpus;
	} system;
};

enum plugin_registers { PLUGIN_NO_REGISTERS = 0 };
enum plugin_direction { PLUGIN_LOADS_AND_STORES = 3 };

typedef void plugin_block_fn(plugin_id id, struct plugin_block *block);
typedef void plugin_insn_fn(unsigned int cpu, void *data);
typedef void plugin_access_fn(unsigned int cpu, plugin_access access, uint64_t address, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, plugin_block_fn *fn);
size_t qemu_plugin_tb_n_insns(const struct plugin_block *block);
uint64_t qemu_plugin_tb_vaddr(const struct plugin_block *block);
struct plugin_insn *qemu_plugin_tb_get_insn(const struct plugin_block *block, size_t index);

const void *qemu_plugin_insn_data(const struct plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct plugin_insn *insn);

/* Before the instruction runs. */
void qemu_plugin_register_vcpu_insn_exec_cb(struct plugin_insn *insn, plugin_insn_fn *fn,
					    enum plugin_registers registers, void *data);
/* After each access it makes in the given direction. */
void qemu_plugin_register_vcpu_mem_cb(struct plugin_insn *insn, plugin_access_fn *fn,
				      enum plugin_registers registers,
				      enum plugin_direction direction, void *data);

bool qemu_plugin_mem_is_store(plugin_access access);
struct plugin_hwaddr *qemu_plugin_get_hwaddr(plugin_access access, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct plugin_hwaddr *hwaddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct plugin_hwaddr *hwaddr);

void qemu_plugin_outs(const char *text);

#endif
