// SPDX-License-Identifier: MIT
#include "words.h"

#include "../common/number.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Appends a piece, behind a separator unless it is the first. */
static void append(char buf[WORDS_MAX], const char *separator, const char *piece)
{
	size_t len = strlen(buf);

	snprintf(buf + len, WORDS_MAX - len, "%s%s", len ? separator : "", piece);
}

static bool gives(enum thp_setting setting, bool advised)
{
	return setting == THP_SETTING_ALWAYS || (advised && setting == THP_SETTING_MADVISE);
}

/* Lists the page sizes that such memory can get: "64 KiB, 2 MiB"; empty if there is none. */
static void list_sizes(char buf[WORDS_MAX], const struct thp_system *system, bool advised)
{
	char size[NUMBER_BYTES_MAX];

	buf[0] = '\0';
	for (unsigned i = 0; i < system->nr_sizes; i++) {
		uint64_t bytes = system->sizes[i].bytes;

		if (gives(thp_system_anon(system, bytes), advised))
			append(buf, ", ", number_bytes(size, bytes));
	}
	if (system->nr_sizes == 0 && gives(thp_system_anon(system, system->pmd_bytes), advised))
		append(buf, ", ",
		       system->pmd_bytes ? number_bytes(size, system->pmd_bytes) : "unknown size");
}

/* What a fault does when no huge page is free (transhuge.rst, "defrag"). */
static const char *words_defrag(enum thp_setting defrag, bool advised)
{
	switch (defrag) {
	case THP_SETTING_ALWAYS:
		return "; the fault waits for compaction if none is free";
	case THP_SETTING_DEFER:
		return "; small and compaction in the background if none is free";
	case THP_SETTING_DEFER_MADVISE:
		return advised ? "; the fault waits for compaction if none is free"
			       : "; small and compaction in the background if none is free";
	case THP_SETTING_MADVISE:
		return advised ? "; the fault waits for compaction if none is free"
			       : "; small if none is free";
	case THP_SETTING_NEVER:
		return "; small if none is free";
	default:
		return "";
	}
}

char *words_anon(char buf[WORDS_MAX], const struct thp_system *system, int advised)
{
	char sizes[WORDS_MAX];

	if (system->presence != THP_PRESENT ||
	    thp_system_anon(system, system->pmd_bytes) == THP_SETTING_UNKNOWN) {
		snprintf(buf, WORDS_MAX, "%s",
			 system->presence == THP_ABSENT ? "small pages" : "unknown");
		return buf;
	}
	list_sizes(sizes, system, advised);
	if (sizes[0])
		snprintf(buf, WORDS_MAX, "huge pages (%.150s)%s", sizes,
			 words_defrag(system->defrag, advised));
	else
		snprintf(buf, WORDS_MAX, "small pages");
	return buf;
}

static const char *words_shmem_setting(enum thp_setting setting)
{
	switch (setting) {
	case THP_SETTING_ALWAYS:
		return "huge pages";
	case THP_SETTING_WITHIN_SIZE:
		return "huge pages that fit in the object's size, or where advised";
	case THP_SETTING_ADVISE:
		return "huge pages where advised";
	case THP_SETTING_NEVER:
		return "small pages";
	default:
		return "unknown";
	}
}

char *words_shmem(char buf[WORDS_MAX], const struct thp_system *system)
{
	enum thp_setting pmd = thp_system_shmem(system, system->pmd_bytes);
	char size[NUMBER_BYTES_MAX];

	buf[0] = '\0';
	if (pmd != THP_SETTING_NEVER || system->presence != THP_PRESENT)
		append(buf, "", words_shmem_setting(pmd));
	for (unsigned i = 0; i < system->nr_sizes; i++) {
		enum thp_setting setting = thp_system_shmem(system, system->sizes[i].bytes);

		if (system->sizes[i].bytes == system->pmd_bytes || setting == THP_SETTING_NEVER ||
		    setting == THP_SETTING_UNKNOWN)
			continue;
		append(buf, "; ", number_bytes(size, system->sizes[i].bytes));
		append(buf, ": ", words_shmem_setting(setting));
	}
	if (buf[0] == '\0')
		append(buf, "", words_shmem_setting(THP_SETTING_NEVER));
	return buf;
}

char *words_mode(char buf[WORDS_MAX], const struct thp_process *process)
{
	buf[0] = '\0';
	if (process->kind != THP_KIND_USER) {
		append(buf, "", "-");
		return buf;
	}
	for (enum thp_mode mode = THP_MODE_DEFAULT; mode <= THP_MODE_ALWAYS; mode++) {
		if (process->possible & THP_MODE_BIT(mode))
			append(buf, "|", thp_mode_name(mode));
	}
	return buf;
}

char *words_effective(char buf[WORDS_MAX], unsigned effective)
{
	buf[0] = '\0';
	for (enum thp_setting s = THP_SETTING_NEVER; s <= THP_SETTING_ALWAYS; s++) {
		if (effective & (1u << s))
			append(buf, "|", thp_setting_name(s));
	}
	if (buf[0] == '\0')
		append(buf, "", thp_setting_name(THP_SETTING_UNKNOWN));
	return buf;
}
