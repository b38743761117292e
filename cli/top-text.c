// SPDX-License-Identifier: MIT
/* The words of thpctl top, the same on the screen and in a batch. */
#include "top.h"
#include "words.h"

#include "../common/escape.h"
#include "../common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static char *rate(char buf[16], double value)
{
	if (value < 0)
		strcpy(buf, "-");
	else
		snprintf(buf, 16, "%.*f", value > 0 && value < 10 ? 1 : 0, value);
	return buf;
}

static char *bytes_or_unknown(char buf[NUMBER_BYTES_MAX], int64_t bytes)
{
	return number_bytes(buf, bytes < 0 ? UINT64_MAX : (uint64_t)bytes);
}

static void heading_system(char *buf, const struct top_model *model)
{
	const struct thp_activity *now = &model->activity;
	char anon[NUMBER_BYTES_MAX], shmem[NUMBER_BYTES_MAX], file[NUMBER_BYTES_MAX];
	char size[NUMBER_BYTES_MAX];
	const struct thp_system *system = &model->system;

	snprintf(buf, TOP_TEXT_MAX,
		 "System says %s, huge page %s.  In huge pages: %s private, %s shared, %s files",
		 thp_setting_name(thp_system_anon(system, system->pmd_bytes)),
		 system->pmd_bytes ? number_bytes(size, system->pmd_bytes) : "unknown",
		 bytes_or_unknown(anon, now->huge_anon_bytes),
		 bytes_or_unknown(shmem, now->huge_shmem_bytes),
		 bytes_or_unknown(file, now->huge_file_bytes));
}

static void heading_rates(char *buf, const struct top_model *model)
{
	const struct thp_activity *now = &model->activity, *before = &model->before;
	char faults[16], failed[16], splits[16], pmd[16], collapses[16], stalls[16];

	snprintf(buf, TOP_TEXT_MAX,
		 "Per second: %s huge faults, %s that found none free, %s pages split, %s entries "
		 "split, %s collapsed, %s waits for compaction",
		 rate(faults, top_model_rate(model, now->faults, before->faults)),
		 rate(failed, top_model_rate(model, now->fault_fallbacks, before->fault_fallbacks)),
		 rate(splits, top_model_rate(model, now->splits, before->splits)),
		 rate(pmd, top_model_rate(model, now->pmd_splits, before->pmd_splits)),
		 rate(collapses, top_model_rate(model, now->collapses, before->collapses)),
		 rate(stalls, top_model_rate(model, now->compact_stalls, before->compact_stalls)));
}

/* "Free huge pages: node 0: 1999 (81 % of 4.6 GiB free); ..." */
static void heading_free(char *buf, const struct top_model *model)
{
	const struct thp_activity *now = &model->activity;
	uint64_t block = model->system.pmd_bytes;
	size_t len = (size_t)snprintf(buf, TOP_TEXT_MAX, "Free in one piece:");
	char size[NUMBER_BYTES_MAX];

	for (unsigned i = 0; i < now->nr_nodes && len < TOP_TEXT_MAX; i++) {
		const struct thp_node_free *node = &now->nodes[i];
		uint64_t percent =
			node->free_bytes ? node->free_blocks * block * 100 / node->free_bytes : 0;

		if (node->free_blocks == THP_BYTES_UNKNOWN)
			len += (size_t)snprintf(buf + len, TOP_TEXT_MAX - len,
						"%s node %u: unknown", i ? ";" : "", node->node);
		else
			len += (size_t)snprintf(buf + len, TOP_TEXT_MAX - len,
						"%s node %u: %" PRIu64 " huge pages, %" PRIu64
						" %% of %s free",
						i ? ";" : "", node->node, node->free_blocks,
						percent, number_bytes(size, node->free_bytes));
	}
	if (now->nr_nodes == 0)
		snprintf(buf, TOP_TEXT_MAX, "Free in one piece: unknown");
	else if (now->part_mapped > 0 && len < TOP_TEXT_MAX)
		snprintf(buf + len, TOP_TEXT_MAX - len,
			 ".  Held by huge pages in use in part: up to %s",
			 number_bytes(size, (uint64_t)now->part_mapped * block));
}

static void heading_cost(char *buf, const struct top_model *model)
{
	snprintf(buf, TOP_TEXT_MAX,
		 "This program: %.1f ms for this look, %.1f %% of a processor (budget %.0f %%), "
		 "%zu of %zu processes looked into within 10 s",
		 model->refresh_cost * 1000, model->own_share, model->percent, model->nr_fresh,
		 model->nr_users);
}

char *top_text_heading(char buf[TOP_TEXT_MAX], const struct top_model *model, unsigned line)
{
	static void (*const headings[TOP_HEADINGS])(char *, const struct top_model *) = {
		heading_system, heading_rates, heading_free, heading_cost};

	headings[line](buf, model);
	return buf;
}

char *top_text_columns(char buf[TOP_TEXT_MAX], const struct top_view *view)
{
	static const enum top_sort columns[] = {TOP_BY_PID, TOP_BY_RESIDENT, TOP_BY_HUGE,
						TOP_BY_SHARE, TOP_BY_NAME};
	static const char *const words[] = {"PID", "RESIDENT", "HUGE", "SHARE", "COMMAND"};
	char marked[5][16];

	for (size_t i = 0; i < 5; i++)
		snprintf(marked[i], sizeof(marked[i]), "%s%s", words[i],
			 columns[i] == view->sort ? "*" : "");
	snprintf(buf, TOP_TEXT_MAX, "%8s %-16s %11s %11s %7s %11s  %s", marked[0], "MODE",
		 marked[1], marked[2], marked[3], "HUGETLB", marked[4]);
	return buf;
}

char *top_text_line(char buf[TOP_TEXT_MAX], const struct top_model *model,
		    const struct top_line *line)
{
	const struct top_row *row = line->row;
	char mode[WORDS_MAX], name[ESCAPED_MAX(THP_COMM_MAX)];
	char resident[NUMBER_BYTES_MAX], huge[NUMBER_BYTES_MAX] = "?", tlb[NUMBER_BYTES_MAX] = "?";
	char share[16] = "?";

	(void)model;
	if (row->measured) {
		number_bytes(huge, thp_counts_huge(&row->counts));
		number_bytes(tlb, row->counts.hugetlb);
		snprintf(share, sizeof(share), "%.0f%%",
			 top_row_share(row) < 0 ? 0 : top_row_share(row));
	} else if (row->denied) {
		strcpy(huge, "denied");
	}
	snprintf(buf, TOP_TEXT_MAX, "%8d %-16.16s %11s %11s %7s %11s  %*s%s", row->process.pid,
		 words_mode(mode, &row->process), number_bytes(resident, row->process.resident),
		 huge, share, tlb, (int)(2 * (line->depth < 30 ? line->depth : 30)), "",
		 escape_text(name, sizeof(name), row->process.comm));
	return buf;
}
