// SPDX-License-Identifier: MIT
/* Headers and traits of /proc/PID/maps and smaps, see proc_pid_maps(5) and proc_pid_smaps(5). */
#include "parse.h"

#include <errno.h>
#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A hexadecimal number and the character behind it. */
static int take_hex(char **p, char behind, uint64_t *ret_value)
{
	uint64_t value = 0;
	char *digit = *p;

	for (; hex_digit(*digit) >= 0; digit++) {
		if (value >> 60)
			return -EBADMSG;
		value = value << 4 | (unsigned)hex_digit(*digit);
	}
	if (digit == *p || *digit != behind)
		return -EBADMSG;
	*p = digit + 1;
	*ret_value = value;
	return 0;
}

/* "rw-p " */
static int take_flags(char **p, unsigned *ret_flags)
{
	static const struct {
		char set, clear;
		unsigned flag;
	} places[] = {
		{'r', '-', THP_MAP_READ},
		{'w', '-', THP_MAP_WRITE},
		{'x', '-', THP_MAP_EXEC},
		{'s', 'p', THP_MAP_SHARED},
	};
	const char *c = *p;
	unsigned flags = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++, c++) {
		if (*c == places[i].set)
			flags |= places[i].flag;
		else if (*c != places[i].clear)
			return -EBADMSG;
	}
	if (*c != ' ')
		return -EBADMSG;
	*p += sizeof(places) / sizeof(places[0]) + 1;
	*ret_flags = flags;
	return 0;
}

/*
 * The kernel writes a newline in a file's name as \012 and everything else, backslashes too, as it
 * is (show_map_vma() of fs/proc/task_mmu.c), so a name that has these four characters itself
 * cannot be told apart.
 */
static void unescape_name(char *name)
{
	char *to = strstr(name, "\\012");
	const char *from = to;

	if (!to)
		return;
	while (*from) {
		if (strncmp(from, "\\012", 4) == 0) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

int parse_maps_line(char *line, struct parse_maps *ret_maps)
{
	struct parse_maps maps;
	uint64_t major, minor;
	const char *end;
	char *p = line;

	if (*p >= 'A' && *p <= 'Z')
		return 0;
	if (take_hex(&p, '-', &maps.start) < 0 || take_hex(&p, ' ', &maps.end) < 0 ||
	    take_flags(&p, &maps.flags) < 0 || take_hex(&p, ' ', &maps.offset) < 0 ||
	    take_hex(&p, ':', &major) < 0 || take_hex(&p, ' ', &minor) < 0 ||
	    parse_u64(p, &maps.inode, &end) < 0 || (*end != ' ' && *end != '\0') ||
	    maps.start >= maps.end || major > UINT32_MAX || minor > UINT32_MAX)
		return -EBADMSG;
	maps.major = (unsigned)major;
	maps.minor = (unsigned)minor;
	/* Names are padded to a column; a name that starts with a blank loses it, as they all do.
	 */
	p += end - p;
	while (*p == ' ')
		p++;
	unescape_name(p);
	maps.name = p;
	*ret_maps = maps;
	return 1;
}

/* "rd wr mr mw me ac hg " */
static void take_vm_flags(const char *text, struct parse_vma *vma)
{
	vma->advice = THP_ADVICE_NONE;
	while (*text) {
		size_t len = strcspn(text, " ");

		if (len == 2) {
			if (strncmp(text, "hg", 2) == 0)
				vma->advice = THP_ADVICE_HUGE;
			else if (strncmp(text, "nh", 2) == 0)
				vma->advice = THP_ADVICE_NOHUGE;
			else if (strncmp(text, "ht", 2) == 0)
				vma->hugetlb = true;
			else if (strncmp(text, "io", 2) == 0 || strncmp(text, "pf", 2) == 0)
				vma->device = true;
			else if (strncmp(text, "um", 2) == 0 || strncmp(text, "uw", 2) == 0 ||
				 strncmp(text, "ui", 2) == 0)
				vma->watched = true;
		}
		text += len;
		text += strspn(text, " ");
	}
}

int parse_vma_line(const char *line, struct parse_vma *vma)
{
	static const char flags[] = "VmFlags:", eligible[] = "THPeligible:";
	uint64_t value;

	if (strncmp(line, flags, sizeof(flags) - 1) == 0) {
		line += sizeof(flags) - 1;
		take_vm_flags(line + strspn(line, " "), vma);
	} else if (strncmp(line, eligible, sizeof(eligible) - 1) == 0) {
		if (parse_u64(line + sizeof(eligible) - 1, &value, NULL) < 0 || value > 1)
			return -EBADMSG;
		vma->eligible = value ? THP_YES : THP_NO;
	}
	return 0;
}
