// SPDX-License-Identifier: MIT
#include "parse.h"

#include <errno.h>

int parse_u64(const char *text, uint64_t *ret_value, const char **ret_end)
{
	uint64_t value = 0;
	const char *p = text;

	while (*p == ' ' || *p == '\t')
		p++;
	if (*p < '0' || *p > '9')
		return -EBADMSG;
	for (; *p >= '0' && *p <= '9'; p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return -ERANGE;
		value = value * 10 + digit;
	}
	*ret_value = value;
	if (ret_end)
		*ret_end = p;
	return 0;
}
