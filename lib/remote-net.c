// SPDX-License-Identifier: MIT
#include "remote-net.h"

#include "lines.h"
#include "parse.h"
#include "root.h"
#include "sys-ptrace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PLACE_BYTES 256u        /* places are counted from the end of a page */
#define MARGIN      64u         /* of them, always zero: less may be the end of somebody's data */
#define MAGIC       0x6e706874u /* "thpn" */

/*
 * A place in use. It lies in one page and is written by one call, hence there as a whole or not at
 * all, whenever the writer is killed.
 */
struct record {
	uint32_t magic;
	uint32_t tid; /* the thread that it is for */
	struct arch_net net;
};
#define NET_OFFSET offsetof(struct record, net)
_Static_assert(sizeof(struct record) <= PLACE_BYTES - MARGIN, "a net must fit its place");
_Static_assert(sizeof(struct record) % sizeof(long) == 0, "it is written by words");

static bool is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

static bool is_in(uint64_t at, uint64_t pc)
{
	return pc - at < sizeof(struct arch_net);
}

/* How much of a stack is searched: a signal frame with all vector registers has some KiB. */
#define STACK_BYTES (64u << 10)

/* Whether a return to the place lies on a stack: a signal handler may run above the net. */
static bool on_stack(pid_t pid, uint64_t sp, uint64_t at)
{
	uint64_t words[512];

	for (uint64_t done = 0; done < STACK_BYTES; done += sizeof(words)) {
		ssize_t n = sys_vm_read(pid, sp + done, words, sizeof(words));

		for (ssize_t i = 0; i < n / (ssize_t)sizeof(words[0]); i++) {
			if (is_in(at, words[i]))
				return true;
		}
		if (n < (ssize_t)sizeof(words))
			break;
	}
	return false;
}

bool nets_hold(const struct nets *nets, pid_t tid, const struct arch_regs *regs)
{
	for (unsigned i = 0; i < nets->nr; i++) {
		if (nets->places[i].owner == tid && is_in(nets->places[i].at, arch_pc(regs)))
			return true;
	}
	return false;
}

bool net_left(pid_t tid, uint64_t at, const struct arch_regs *regs)
{
	return !is_in(at, arch_pc(regs)) && !on_stack(tid, arch_sp(regs), at);
}

static bool lives(struct thp_ctx *ctx, pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/task/%d", (int)pid, (int)tid);
	return root_exists(ctx, path) != 0;
}

int nets_open(struct thp_ctx *ctx, pid_t pid, pid_t tid)
{
	char path[64];

	/* By the thread, whose tracer may always write (proc_mem.force_override, Linux 6.12). */
	snprintf(path, sizeof(path), "proc/%d/task/%d/mem", (int)pid, (int)tid);
	return root_open_mem(ctx, path);
}

/* Adds the places of an executable mapping that ends at end. */
static int add_places(struct thp_ctx *ctx, pid_t pid, int mem_fd, uint64_t end, struct nets *nets)
{
	long page = sysconf(_SC_PAGESIZE);
	unsigned char *bytes = malloc((size_t)page);
	size_t top = (size_t)page;
	ssize_t n;

	if (!bytes)
		return -ENOMEM;
	n = pread(mem_fd, bytes, (size_t)page, (off_t)(end - (uint64_t)page));
	if (n != page)
		top = 0;
	for (; top >= PLACE_BYTES && nets->nr < NETS_MAX; top -= PLACE_BYTES) {
		size_t offset = top - PLACE_BYTES + MARGIN;
		uint64_t at = end - (uint64_t)page + offset + NET_OFFSET;
		struct record record;

		memcpy(&record, bytes + offset, sizeof(record));
		if (record.magic != MAGIC && !is_zero(bytes + top - PLACE_BYTES, PLACE_BYTES))
			break;
		if (record.tid && !lives(ctx, pid, (pid_t)record.tid))
			record.tid = 0;
		nets->places[nets->nr++] = (struct place){.at = at, .owner = (pid_t)record.tid};
	}
	free(bytes);
	return n == 0 ? -ESRCH : 0; /* no memory any more; others: a page that cannot be read */
}

int nets_find(struct thp_ctx *ctx, pid_t pid, pid_t tid, int mem_fd, struct nets *ret_nets)
{
	struct nets vdso = {0}, others = {0};
	struct lines lines;
	bool empty = true;
	char path[64];
	char *line;
	int r;

	/* By the thread: where the main thread has ended, /proc/PID/maps is empty. */
	snprintf(path, sizeof(path), "proc/%d/task/%d/maps", (int)pid, (int)tid);
	r = lines_open(&lines, ctx, path);
	if (r < 0)
		return r;
	while ((r = lines_next(&lines, &line)) > 0) {
		struct parse_maps maps;
		bool is_vdso;

		empty = false;
		if (parse_maps_line(line, &maps) <= 0 ||
		    maps.flags != (THP_MAP_READ | THP_MAP_EXEC))
			continue;
		/* Not where a compiler at run time may put code at any moment. */
		is_vdso = strcmp(maps.name, "[vdso]") == 0;
		if (is_vdso || maps.inode)
			r = add_places(ctx, pid, mem_fd, maps.end, is_vdso ? &vdso : &others);
		if (r < 0)
			break;
	}
	lines_close(&lines);
	if (empty || r == -ESRCH)
		return fail(ctx, -ESRCH, "is ending: it has no memory any more");
	if (r < 0)
		return r;
	/* The vdso's page is the kernel's: nothing of the program is copied by the write. */
	*ret_nets = vdso;
	for (unsigned i = 0; i < others.nr && ret_nets->nr < NETS_MAX; i++)
		ret_nets->places[ret_nets->nr++] = others.places[i];
	if (ret_nets->nr == 0)
		return fail(ctx, -ENOSPC,
			    "no executable mapping has %u unused bytes at its end for a safe call",
			    PLACE_BYTES);
	return 0;
}

static bool reads(pid_t tid, uint64_t at, const struct record *record)
{
	struct record now;

	return sys_vm_read(tid, at, &now, sizeof(now)) == sizeof(now) &&
	       memcmp(&now, record, sizeof(now)) == 0;
}

/* By one write; where the kernel does not let /proc/PID/mem change read-only memory, by words. */
static int write_record(pid_t tid, int mem_fd, uint64_t at, const struct record *record)
{
	ssize_t n = pwrite(mem_fd, record, sizeof(*record), (off_t)at);

	if (n == sizeof(*record))
		return 0;
	if (n == 0)
		return -ESTALE;
	return sys_ptrace_poke(tid, at, record, sizeof(*record));
}

int net_cast(pid_t tid, int mem_fd, uint64_t at, const struct arch_regs *regs)
{
	struct record record, before;
	int r;

	/* The padding of the structure is compared, too. */
	memset(&record, 0, sizeof(record));
	record.magic = MAGIC;
	record.tid = (uint32_t)tid;
	arch_cast(&record.net, at, regs);
	at -= NET_OFFSET;

	/*
	 * A program that was executed meanwhile has another memory. What was seen in the one must
	 * still be there, and what is written to the one must be seen by the thread.
	 */
	if (pread(mem_fd, &before, sizeof(before), (off_t)at) != sizeof(before) ||
	    !reads(tid, at, &before))
		return -ESTALE;
	r = write_record(tid, mem_fd, at, &record);
	if (r == 0 && !reads(tid, at, &record))
		r = -ESTALE;
	return r;
}

void net_wipe(pid_t tid, int mem_fd, uint64_t at)
{
	struct record nothing;

	memset(&nothing, 0, sizeof(nothing));
	write_record(tid, mem_fd, at - NET_OFFSET, &nothing);
}
