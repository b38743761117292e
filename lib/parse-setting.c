// SPDX-License-Identifier: MIT
/* Settings files below /sys/kernel/mm/transparent_hugepage. */
#include "internal.h"
#include "parse.h"

#include <errno.h>
#include <string.h>

static const char *const names[] = {
	[THP_SETTING_UNKNOWN] = "unknown",
	[THP_SETTING_NEVER] = "never",
	[THP_SETTING_MADVISE] = "madvise",
	[THP_SETTING_ALWAYS] = "always",
	[THP_SETTING_INHERIT] = "inherit",
	[THP_SETTING_DEFER] = "defer",
	[THP_SETTING_DEFER_MADVISE] = "defer+madvise",
	[THP_SETTING_WITHIN_SIZE] = "within_size",
	[THP_SETTING_ADVISE] = "advise",
	[THP_SETTING_DENY] = "deny",
	[THP_SETTING_FORCE] = "force",
	[THP_SETTING_NONE] = "none",
};
#define NR_NAMES (sizeof(names) / sizeof(names[0]))

EXPORT const char *thp_setting_name(enum thp_setting setting)
{
	return names[(unsigned)setting < NR_NAMES ? setting : THP_SETTING_UNKNOWN];
}

enum thp_setting parse_setting(const char *text)
{
	const char *word = strchr(text, '[');
	const char *end = word ? strchr(word, ']') : NULL;

	if (!end)
		return THP_SETTING_UNKNOWN;
	word++;
	for (unsigned i = THP_SETTING_UNKNOWN + 1; i < THP_SETTING_NONE; i++) {
		if (strlen(names[i]) == (size_t)(end - word) &&
		    memcmp(names[i], word, (size_t)(end - word)) == 0)
			return (enum thp_setting)i;
	}
	return THP_SETTING_UNKNOWN;
}

int parse_size_dir(const char *name, uint64_t *ret_bytes)
{
	static const char prefix[] = "hugepages-";
	const char *end;
	uint64_t kib;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return -EBADMSG;
	name += sizeof(prefix) - 1;
	if (*name < '0' || *name > '9' || parse_u64(name, &kib, &end) < 0)
		return -EBADMSG;
	if (strcmp(end, "kB") != 0 || kib == 0 || kib > UINT64_MAX / 1024)
		return -EBADMSG;
	*ret_bytes = kib * 1024;
	return 0;
}
