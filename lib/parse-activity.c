// SPDX-License-Identifier: MIT
/* /proc/vmstat and /proc/buddyinfo, see proc_vmstat(5) and proc_buddyinfo(5). */
#include "parse.h"

#include <errno.h>
#include <string.h>

int parse_vmstat_line(const char *line, const char *name, uint64_t *ret_value)
{
	size_t len = strlen(name);

	if (strncmp(line, name, len) != 0 || line[len] != ' ')
		return 0;
	return parse_u64(line + len, ret_value, NULL) < 0 ? -EBADMSG : 1;
}

/* "Node 0, zone   Normal      5      2 ..." */
int parse_buddy_line(const char *line, struct parse_buddy *ret_buddy)
{
	struct parse_buddy buddy = {0};
	const char *p;
	uint64_t node;

	if (strncmp(line, "Node ", 5) != 0 || parse_u64(line + 5, &node, &p) < 0 ||
	    node > INT32_MAX)
		return -EBADMSG;
	p = strstr(p, "zone");
	if (!p)
		return -EBADMSG;
	p += 4;
	p += strspn(p, " ");
	p += strcspn(p, " ");
	while (buddy.nr_orders < PARSE_BUDDY_ORDERS &&
	       parse_u64(p, &buddy.blocks[buddy.nr_orders], &p) == 0)
		buddy.nr_orders++;
	p += strspn(p, " ");
	if (*p || buddy.nr_orders == 0)
		return -EBADMSG;
	buddy.node = (unsigned)node;
	*ret_buddy = buddy;
	return 0;
}
