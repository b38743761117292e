// SPDX-License-Identifier: MIT
/* /proc/PID/mountinfo, see proc_pid_mountinfo(5): which device is a tmpfs, and its huge= option. */
#include "parse.h"

#include <errno.h>
#include <string.h>

static const char *skip_fields(const char *p, unsigned nr)
{
	while (nr-- > 0 && p) {
		p = strchr(p, ' ');
		if (p)
			p++;
	}
	return p;
}

static bool is_word(const char *p, const char *word)
{
	size_t len = strlen(word);

	return strncmp(p, word, len) == 0 && (p[len] == ' ' || p[len] == ',' || p[len] == '\0');
}

/* A tmpfs shows huge= only if it is not never (shmem_show_options() of mm/shmem.c). */
static enum thp_setting find_huge(const char *options)
{
	static const enum thp_setting known[] = {THP_SETTING_NEVER, THP_SETTING_ALWAYS,
						 THP_SETTING_WITHIN_SIZE, THP_SETTING_ADVISE};

	for (; options; options = strchr(options, ',')) {
		options += *options == ',';
		if (strncmp(options, "huge=", 5) != 0)
			continue;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			if (is_word(options + 5, thp_setting_name(known[i])))
				return known[i];
		}
		return THP_SETTING_UNKNOWN;
	}
	return THP_SETTING_NEVER;
}

int parse_mount_line(const char *line, struct parse_mount *ret_mount)
{
	struct parse_mount mount = {.type = PARSE_MOUNT_OTHER, .huge = THP_SETTING_UNKNOWN};
	const char *p = skip_fields(line, 2);
	uint64_t major, minor;

	if (!p || parse_u64(p, &major, &p) < 0 || *p != ':' || parse_u64(p + 1, &minor, &p) < 0 ||
	    *p != ' ' || major > UINT32_MAX || minor > UINT32_MAX)
		return -EBADMSG;
	mount.major = (unsigned)major;
	mount.minor = (unsigned)minor;
	/* Optional fields end with a lone dash; blanks inside fields are written as \040. */
	p = strstr(p, " - ");
	if (!p)
		return -EBADMSG;
	p += 3;
	if (is_word(p, "tmpfs")) {
		mount.type = PARSE_MOUNT_TMPFS;
		mount.huge = find_huge(skip_fields(p, 2));
	} else if (is_word(p, "hugetlbfs")) {
		mount.type = PARSE_MOUNT_HUGETLB;
	}
	*ret_mount = mount;
	return 0;
}
