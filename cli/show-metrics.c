// SPDX-License-Identifier: MIT
/* thpctl show --openmetrics: OpenMetrics 1.0 text; the names are in thpctl-show(1). */
#include "show.h"

#include "../common/openmetrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_family(const char *name, const char *type, const char *help)
{
	openmetrics_family(stdout, name, type, help);
}

/* The one setting that is in force is 1, those that a file could say are 0. */
static void put_settings(const struct thp_system *system)
{
	static const enum thp_setting words[] = {THP_SETTING_ALWAYS, THP_SETTING_MADVISE,
						 THP_SETTING_NEVER, THP_SETTING_UNKNOWN};
	enum thp_setting says = thp_system_anon(system, system->pmd_bytes);

	put_family("thp_system", "stateset", "What private memory gets of whole huge pages.");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		printf("thp_system{thp_system=\"%s\"} %d\n", thp_setting_name(words[i]),
		       says == words[i]);
}

static void put_count(const char *name, const char *type, const char *help, int64_t value)
{
	if (value == THP_COUNT_UNKNOWN)
		return;
	put_family(name, type, help);
	printf("%s%s %" PRId64 "\n", name, strcmp(type, "counter") == 0 ? "_total" : "", value);
}

static void put_activity(const struct thp_activity *activity)
{
	put_count("thp_faults", "counter", "Huge pages given at the first touch.",
		  activity->faults);
	put_count("thp_fault_fallbacks", "counter", "First touches that found no huge page free.",
		  activity->fault_fallbacks);
	put_count("thp_collapses", "counter", "Huge pages made of small ones.",
		  activity->collapses);
	put_count("thp_splits", "counter", "Huge pages split for good.", activity->splits);
	put_count("thp_pmd_splits", "counter", "Huge entries replaced by small ones.",
		  activity->pmd_splits);
	put_count("thp_compact_stalls", "counter", "Times a program waited for compaction.",
		  activity->compact_stalls);
	put_count("thp_anon_bytes", "gauge", "Private memory in huge pages.",
		  activity->huge_anon_bytes);
	put_count("thp_shmem_bytes", "gauge", "Shared memory mapped by huge entries.",
		  activity->huge_shmem_bytes);
	put_count("thp_file_bytes", "gauge", "Files mapped by huge entries.",
		  activity->huge_file_bytes);
	put_count("thp_part_mapped", "gauge", "Huge pages of which a part only is mapped.",
		  activity->part_mapped);
	if (activity->nr_nodes == 0)
		return;
	/* Where the size of a huge page is hidden, so is their number. */
	if (activity->nodes[0].free_blocks != THP_BYTES_UNKNOWN)
		put_family("thp_node_free_blocks", "gauge",
			   "Huge pages that are free in one piece.");
	for (unsigned i = 0;
	     i < activity->nr_nodes && activity->nodes[i].free_blocks != THP_BYTES_UNKNOWN; i++)
		printf("thp_node_free_blocks{node=\"%u\"} %" PRIu64 "\n", activity->nodes[i].node,
		       activity->nodes[i].free_blocks);
	put_family("thp_node_free_bytes", "gauge", "Free memory.");
	for (unsigned i = 0; i < activity->nr_nodes; i++)
		printf("thp_node_free_bytes{node=\"%u\"} %" PRIu64 "\n", activity->nodes[i].node,
		       activity->nodes[i].free_bytes);
}

static void put_process(const char *name, const struct thp_process *process, const char *label,
			uint64_t value)
{
	/* Unknown is left out: a zero would be a lie. */
	if (value == THP_BYTES_UNKNOWN)
		return;
	printf("%s{pid=\"%d\",command=\"", name, process->pid);
	openmetrics_label(stdout, process->comm);
	printf("\"%s} %" PRIu64 "\n", label, value);
}

static void put_processes(const struct show_rows *rows)
{
	put_family("thp_process_resident_bytes", "gauge", "Memory of a process.");
	for (size_t i = 0; i < rows->nr; i++) {
		const struct thp_process *process = rows->rows[i].process;

		if (process->kind == THP_KIND_USER)
			put_process("thp_process_resident_bytes", process, "", process->resident);
	}
	put_family("thp_process_huge_bytes", "gauge", "Memory of it that huge entries map.");
	for (size_t i = 0; i < rows->nr; i++) {
		const struct thp_process *process = rows->rows[i].process;

		if (process->kind != THP_KIND_USER)
			continue;
		put_process("thp_process_huge_bytes", process, ",backing=\"anon\"",
			    process->huge_anon);
		put_process("thp_process_huge_bytes", process, ",backing=\"shmem\"",
			    process->huge_shmem);
		put_process("thp_process_huge_bytes", process, ",backing=\"file\"",
			    process->huge_file);
	}
	put_family("thp_process_never", "gauge", "Whether its flag forbids huge pages.");
	for (size_t i = 0; i < rows->nr; i++) {
		const struct thp_process *process = rows->rows[i].process;

		if (process->kind == THP_KIND_USER)
			put_process("thp_process_never", process, "",
				    process->mode == THP_MODE_NEVER);
	}
}

int show_metrics(const struct show *show, const struct show_rows *rows)
{
	struct thp_activity activity = {.size = sizeof(activity)};
	int r = thp_activity_read(show->ctx, &activity);

	if (r < 0)
		return r;
	put_settings(&show->system);
	put_activity(&activity);
	if (rows)
		put_processes(rows);
	openmetrics_end(stdout);
	return 0;
}
