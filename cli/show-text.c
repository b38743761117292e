// SPDX-License-Identifier: MIT
/* thpctl show for a person. */
#include "show.h"

#include "words.h"

#include "../common/escape.h"
#include "../common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_MAX_SHOWN ESCAPED_MAX(THP_COMM_MAX)

static void print_setting(const char *name, enum thp_setting setting)
{
	printf("  %-28s %s\n", name, thp_setting_name(setting));
}

static void print_count(const char *name, int64_t count)
{
	if (count == THP_COUNT_UNKNOWN)
		printf("  %-28s unknown\n", name);
	else
		printf("  %-28s %" PRId64 "\n", name, count);
}

static void print_settings(const struct thp_system *system)
{
	const struct thp_khugepaged *khugepaged = &system->khugepaged;
	char size[NUMBER_BYTES_MAX];

	printf("\nSettings (/sys/kernel/mm/transparent_hugepage)\n");
	print_setting("enabled", system->enabled);
	print_setting("defrag", system->defrag);
	print_setting("shmem_enabled", system->shmem_enabled);
	print_count("use_zero_page", system->use_zero_page);
	for (unsigned i = 0; i < system->nr_sizes; i++) {
		const struct thp_size_setting *s = &system->sizes[i];

		printf("  %-28s %s, shmem %s\n", number_bytes(size, s->bytes),
		       thp_setting_name(s->enabled), thp_setting_name(s->shmem_enabled));
	}
	print_count("khugepaged defrag", khugepaged->defrag);
	print_count("khugepaged pages_to_scan", khugepaged->pages_to_scan);
	print_count("khugepaged scan_sleep (ms)", khugepaged->scan_sleep_ms);
	print_count("khugepaged alloc_sleep (ms)", khugepaged->alloc_sleep_ms);
	print_count("khugepaged max_ptes_none", khugepaged->max_ptes_none);
	print_count("khugepaged max_ptes_swap", khugepaged->max_ptes_swap);
	print_count("khugepaged max_ptes_shared", khugepaged->max_ptes_shared);
	print_count("khugepaged pages_collapsed", khugepaged->pages_collapsed);
	print_count("khugepaged full_scans", khugepaged->full_scans);
}

/* The flag of this process is the one that its caller, most often a shell, had at the fork. */
static void print_self(const struct show *show)
{
	const struct thp_process *origin;
	char name[NAME_MAX_SHOWN];
	struct thp_process process = {.size = sizeof(process)};
	struct family family;
	pid_t self;
	enum thp_mode mode;

	if (thp_self_get(show->ctx, &mode) < 0) {
		printf("  %-36s unknown: %s\n", "this shell", thp_reason(show->ctx));
		return;
	}
	printf("  %-36s %s\n", "this shell", thp_mode_name(mode));
	if (mode != THP_MODE_NEVER || thp_process_read(show->ctx, 0, 0, &process) < 0)
		return;
	self = process.pid;
	if (family_read_lines(show->ctx, &self, 1, NULL, &family) < 0)
		return;
	origin = family_origin(&family, self);
	if (origin)
		printf("  %-36s inherited: the flag starts at PID %d (%s)\n", "", origin->pid,
		       escape_text(name, sizeof(name), origin->comm));
	family_free(&family);
}

void show_text_system(const struct show *show)
{
	const struct thp_system *system = &show->system;
	char words[WORDS_MAX], size[NUMBER_BYTES_MAX];

	switch (system->presence) {
	case THP_PRESENT:
		printf("Transparent huge pages of this system; a whole huge page is %s\n",
		       system->pmd_bytes ? number_bytes(size, system->pmd_bytes)
					 : "of unknown size");
		break;
	case THP_ABSENT:
		printf("Transparent huge pages: unavailable, this kernel was built without them\n");
		break;
	default:
		printf("Transparent huge pages: settings unavailable, "
		       "/sys/kernel/mm is not visible here\n");
		break;
	}
	printf("\nWhat memory gets\n");
	printf("  %-36s %s\n", "anonymous memory, not advised", words_anon(words, system, false));
	printf("  %-36s %s\n", "anonymous memory, MADV_HUGEPAGE", words_anon(words, system, true));
	printf("  %-36s %s\n", "shared memory (memfd, System V)", words_shmem(words, system));
	print_self(show);
	if (system->presence == THP_PRESENT)
		print_settings(system);
}

/* "12.0 MiB resident, 2 MiB huge (16 %)" */
static void print_memory(const struct show *show, const struct thp_process *process)
{
	char resident[NUMBER_BYTES_MAX], size[NUMBER_BYTES_MAX];
	uint64_t huge = thp_process_huge(process);

	if (process->kind != THP_KIND_USER) {
		printf("  memory     none: %s\n", process->kind == THP_KIND_ZOMBIE
							  ? "the process has ended (zombie)"
							  : "a kernel thread");
		return;
	}
	printf("  memory     %s resident, ", number_bytes(resident, process->resident));
	if (show->no_size)
		printf("huge not read (--no-size)\n");
	else if (huge == THP_BYTES_UNKNOWN)
		printf("huge unknown: smaps_rollup cannot be read\n");
	else
		printf("%s huge (%" PRIu64 " %%)\n", number_bytes(size, huge),
		       process->resident ? huge * 100 / process->resident : 0);
	if (huge != THP_BYTES_UNKNOWN && process->huge_shmem + process->huge_file > 0) {
		printf("             of it %s", number_bytes(size, process->huge_shmem));
		printf(" shared memory, %s file\n", number_bytes(size, process->huge_file));
	}
}

static void print_mode(const struct show *show, const struct thp_process *process)
{
	char words[WORDS_MAX];

	printf("  mode       %s%s\n", words_mode(words, process),
	       process->kind == THP_KIND_USER && process->mode == THP_MODE_UNKNOWN
		       ? " (alike from outside)"
		       : "");
	if (process->kind == THP_KIND_USER)
		printf("  effect     %s\n",
		       words_effective(words, thp_effective(&show->system, process->possible)));
}

/* The chain from the top down to the process itself. */
static void print_chain(const struct family *family, const struct thp_process *process,
			const struct thp_process *origin, size_t left)
{
	const struct thp_process *parent = family_find(family, process->ppid);
	char name[NAME_MAX_SHOWN], words[WORDS_MAX];

	if (parent && left > 0)
		print_chain(family, parent, origin, left - 1);
	printf("  %9d  %-16s %s%s\n", process->pid, words_mode(words, process),
	       escape_text(name, sizeof(name), process->comm),
	       process == origin ? "   <- the flag starts here" : "");
}

void show_text_process(const struct show *show, const struct family *family,
		       const struct thp_process *process)
{
	char name[NAME_MAX_SHOWN];

	printf("PID %d (%s), user %u\n", process->pid,
	       escape_text(name, sizeof(name), process->comm), process->uid);
	print_mode(show, process);
	print_memory(show, process);
	if (process->tracer)
		printf("  traced by  PID %d\n", process->tracer);
	printf("  parents, the oldest first\n");
	print_chain(family, process, family_origin(family, process->pid), family->nr);
}

static void print_size(uint64_t bytes)
{
	char text[NUMBER_BYTES_MAX];

	printf(" %10s", bytes == THP_BYTES_UNKNOWN ? "?" : number_bytes(text, bytes));
}

static void print_sizes(const struct show *show, const struct thp_process *process)
{
	uint64_t huge = thp_process_huge(process);

	if (process->kind != THP_KIND_USER) {
		printf(" %10s %10s %4s", "-", "-", "-");
		return;
	}
	print_size(process->resident);
	if (show->no_size) {
		printf(" %10s %4s", "-", "-");
		return;
	}
	print_size(huge);
	if (huge == THP_BYTES_UNKNOWN || process->resident == 0)
		printf(" %4s", "?");
	else
		printf(" %3" PRIu64 "%%", huge * 100 / process->resident);
}

void show_text_table(const struct show *show, const struct family *family,
		     const struct show_rows *rows)
{
	char words[WORDS_MAX], name[NAME_MAX_SHOWN];

	printf("%8s %-21s %-16s %10s %10s %4s  %s\n", "PID", "MODE", "EFFECT", "RESIDENT", "HUGE",
	       "%", "COMMAND");
	for (size_t i = 0; i < rows->nr; i++) {
		const struct thp_process *process = rows->rows[i].process;
		bool user = process->kind == THP_KIND_USER;

		printf("%8d %-21s", process->pid, words_mode(words, process));
		printf(" %-16s", user ? words_effective(words, thp_effective(&show->system,
									     process->possible))
				      : "-");
		print_sizes(show, process);
		printf("  %*s%s%s\n", 2 * (int)rows->rows[i].depth, "",
		       escape_text(name, sizeof(name), process->comm),
		       family_origin(family, process->pid) == process ? "   <- never starts here"
								      : "");
	}
}
