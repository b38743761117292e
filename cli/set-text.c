// SPDX-License-Identifier: MIT
/* thpctl set: the answer for a person. */
#include "set.h"

#include "../common/escape.h"
#include "../common/number.h"
#include "../common/say.h"

#include <stdio.h>

static const char *modes(char *buf, size_t size, unsigned set)
{
	size_t len = 0;

	buf[0] = '\0';
	for (enum thp_mode mode = THP_MODE_DEFAULT; mode <= THP_MODE_ALWAYS && len < size; mode++) {
		if (set & THP_MODE_BIT(mode))
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? "|" : "",
						thp_mode_name(mode));
	}
	return buf;
}

static const char *asked(const struct set *set)
{
	return thp_mode_name(set->request->mode);
}

static void failure(const struct set *set, const struct set_item *item)
{
	char name[ESCAPED_MAX(THP_COMM_MAX)], why[ESCAPED_MAX(sizeof(item->reason))];

	escape_text(why, sizeof(why), item->reason);
	if (item->comm[0])
		say("PID %d (%s): cannot set %s: %s", item->pid,
		    escape_text(name, sizeof(name), item->comm), asked(set), why);
	else
		say("PID %d: cannot set %s: %s", item->pid, asked(set), why);
}

static void result(const struct set *set, const struct set_item *item)
{
	char name[ESCAPED_MAX(THP_COMM_MAX)], before[64];

	modes(before, sizeof(before), item->before);
	printf("PID %d (%s): ", item->pid, escape_text(name, sizeof(name), item->comm));
	if (set->request->dry_run)
		printf("%s -> %s, if it were not a dry run\n", before, asked(set));
	else if (item->before == THP_MODE_BIT(item->after))
		printf("%s already\n", before);
	else
		printf("%s -> %s\n", before, thp_mode_name(item->after));
}

static void not_in_force(const struct set *set, const struct set_item *item)
{
	enum thp_setting says = thp_system_anon(&set->system, set->system.pmd_bytes);

	if (set->request->mode != THP_MODE_ALWAYS || item->basis != THP_BASIS_NONE)
		return;
	printf("  always is not in force: the flag is clear, which is all that can be done from "
	       "outside,\n  and the system says %s",
	       thp_setting_name(says));
	if (!set->request->collapse)
		printf("; what it has by now: thpctl collapse %d", item->pid);
	printf("\n");
}

static void what_remains(const struct set *set, const struct set_item *item)
{
	char huge[NUMBER_BYTES_MAX];
	bool less = set->request->mode == THP_MODE_NEVER || set->request->mode == THP_MODE_MADVISE;

	if (less && item->huge && item->huge != THP_BYTES_UNKNOWN) {
		number_bytes(huge, item->huge);
		if (set->request->split)
			printf("  %s in huge pages remain\n", huge);
		else
			printf("  %s in huge pages remain, the mode splits none: thpctl split %d\n",
			       huge, item->pid);
	}
	if (item->advised && item->advised != THP_BYTES_UNKNOWN)
		printf("  %s of its address space stays advised (MADV_HUGEPAGE), which cannot be "
		       "taken back\n",
		       number_bytes(huge, item->advised));
}

static void what_changed(const struct set *set, const struct set_item *item)
{
	const struct thp_change *change = &item->change;
	char bytes[NUMBER_BYTES_MAX], rss[2][NUMBER_BYTES_MAX];
	uint64_t done = change->results[THP_BLOCK_DONE] + change->results[THP_BLOCK_PLANNED];
	const char *verb = set->request->split ? "split" : "made";

	if (item->change_err < 0) {
		char why[ESCAPED_MAX(sizeof(item->change_reason))];

		say("PID %d: cannot %s: %s", item->pid, set->request->split ? "split" : "collapse",
		    escape_text(why, sizeof(why), item->change_reason));
		return;
	}
	if (!item->changed)
		return;
	printf("  %s in huge pages %s %s; resident %s -> %s\n",
	       number_bytes(bytes, done * change->block_bytes),
	       set->request->dry_run ? "would be" : "were", verb,
	       number_bytes(rss[0], change->resident_before),
	       number_bytes(rss[1], change->resident_after));
}

void set_text(const struct set *set, const struct set_item *item)
{
	char before[64];

	if (item->err < 0) {
		failure(set, item);
		return;
	}
	result(set, item);
	not_in_force(set, item);
	what_changed(set, item);
	what_remains(set, item);
	if (item->children)
		printf("  %zu %s %s mode: --tree includes %s\n", item->children,
		       item->children == 1 ? "child keeps its" : "children keep their", "own",
		       item->children == 1 ? "it" : "them");
	if (!set->request->dry_run && item->before != THP_MODE_BIT(item->after))
		printf("  undo: thpctl set %s %d:%llu\n",
		       modes(before, sizeof(before), item->before), item->pid,
		       (unsigned long long)item->id);
}
