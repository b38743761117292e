// SPDX-License-Identifier: MIT
#include "remote-net.h"

#include "lines.h"
#include "parse.h"
#include "remote-thread.h"
#include "root.h"
#include "sys-ptrace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PLACE_BYTES 192u /* three cache lines; places are counted from the end of a page */
#define MARGIN	    64u	 /* zeros that must lie below, or they may be somebody's data */
#define MAGIC	    0x74656e2d70687400u /* "\0thp-net" */

/* A place in use. */
struct record {
	struct arch_net net;
	uint64_t magic;
	int64_t tid; /* the thread that it is for */
};
_Static_assert(sizeof(struct record) <= PLACE_BYTES, "a net must fit its place");
_Static_assert(sizeof(struct record) % sizeof(long) == 0, "it is written by words");

static bool is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i])
			return false;
	}
	return true;
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
			if (words[i] - at < PLACE_BYTES)
				return true;
		}
		if (n < (ssize_t)sizeof(words))
			break;
	}
	return false;
}

/*
 * Whether a net that was left behind may go. Its thread is out of it when it has ended, or sleeps
 * elsewhere with no way back into it; of one that runs nobody can tell.
 */
static bool left_behind(struct thp_ctx *ctx, pid_t pid, uint64_t at, const struct record *record)
{
	struct arch_hint hint;
	int r = thread_hint(ctx, pid, (pid_t)record->tid, &hint);

	if (r == -ENOENT || r == -ESRCH)
		return true;
	return r == 0 && hint.blocked && hint.pc - at >= PLACE_BYTES &&
	       !on_stack(pid, hint.sp, at);
}

/* Adds the free places of an executable mapping that ends at end. */
static void add_places(struct thp_ctx *ctx, pid_t pid, uint64_t end, struct nets *nets)
{
	long page = sysconf(_SC_PAGESIZE);
	unsigned char *bytes = malloc((size_t)page);
	size_t top = (size_t)page;

	if (!bytes)
		return;
	if (sys_vm_read(pid, end - (uint64_t)page, bytes, (size_t)page) != page)
		top = 0;
	for (; top >= PLACE_BYTES + MARGIN && nets->nr < NETS_MAX; top -= PLACE_BYTES) {
		uint64_t at = end - (uint64_t)page + top - PLACE_BYTES;
		struct record record;

		memcpy(&record, bytes + top - PLACE_BYTES, sizeof(record));
		if (record.magic == MAGIC) {
			if (left_behind(ctx, pid, at, &record))
				nets->at[nets->nr++] = at;
			continue;
		}
		if (!is_zero(bytes + top - PLACE_BYTES - MARGIN, PLACE_BYTES + MARGIN))
			break;
		nets->at[nets->nr++] = at;
	}
	free(bytes);
}

/* "7ff0-7ff8 r-xp 00000000 00:00 0   [vdso]": 1 with its end if it is executable and private. */
static int executable(const char *line, uint64_t *ret_end, bool *ret_vdso)
{
	const char *dash = strchr(line, '-');
	char *perms;
	uint64_t end;

	if (!dash)
		return -EBADMSG;
	end = strtoull(dash + 1, &perms, 16);
	if (strncmp(perms, " r-xp ", 6) != 0)
		return 0;
	*ret_end = end;
	*ret_vdso = strstr(line, "[vdso]") != NULL;
	return 1;
}

int nets_find(struct thp_ctx *ctx, pid_t pid, struct nets *ret_nets)
{
	struct nets vdso = {0}, others = {0};
	struct lines lines;
	char path[64];
	char *line;
	int r;

	snprintf(path, sizeof(path), "proc/%d/maps", (int)pid);
	r = lines_open(&lines, ctx, path);
	if (r < 0)
		return r;
	while ((r = lines_next(&lines, &line)) > 0) {
		uint64_t end;
		bool is_vdso;

		if (executable(line, &end, &is_vdso) > 0)
			add_places(ctx, pid, end, is_vdso ? &vdso : &others);
	}
	lines_close(&lines);
	if (r < 0)
		return r;
	/* The vdso's page is the kernel's: nothing of the program is copied by the write. */
	*ret_nets = vdso;
	for (unsigned i = 0; i < others.nr && ret_nets->nr < NETS_MAX; i++)
		ret_nets->at[ret_nets->nr++] = others.at[i];
	if (ret_nets->nr == 0)
		return fail(ctx, -ENOSPC,
			    "no executable mapping has %u unused bytes at its end, or earlier runs "
			    "that were killed hold them all",
			    PLACE_BYTES + MARGIN);
	return 0;
}

int net_cast(pid_t tid, uint64_t at, const struct arch_regs *regs)
{
	struct record record = {.magic = MAGIC, .tid = tid};

	arch_cast(&record.net, at, regs);
	return sys_ptrace_poke(tid, at, &record, sizeof(record));
}

int net_wipe(pid_t tid, uint64_t at)
{
	const struct record nothing = {0};

	return sys_ptrace_poke(tid, at, &nothing, sizeof(nothing));
}
