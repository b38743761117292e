// SPDX-License-Identifier: MIT
/* Lists of the kernel, "0-3,7": nodes, processors. */
#include "parse.h"

#include <errno.h>

int parse_list_next(const char **text, uint64_t *ret_first, uint64_t *ret_last)
{
	const char *p = *text;
	uint64_t first, last;

	if (*p == '\0' || *p == '\n')
		return 0;
	if (parse_u64(p, &first, &p) < 0)
		return -EBADMSG;
	last = first;
	if (*p == '-' && parse_u64(p + 1, &last, &p) < 0)
		return -EBADMSG;
	if ((*p != ',' && *p != '\n' && *p != '\0') || last < first)
		return -EBADMSG;
	*text = *p == ',' ? p + 1 : p;
	*ret_first = first;
	*ret_last = last;
	return 1;
}
