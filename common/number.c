// SPDX-License-Identifier: MIT
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int number_pid(const char *text, pid_t *ret_pid)
{
	pid_t pid = 0;

	if (*text == '\0')
		return -EINVAL;
	for (; *text; text++) {
		int digit = *text - '0';

		if (digit < 0 || digit > 9 || pid > (INT_MAX - digit) / 10)
			return -EINVAL;
		pid = pid * 10 + digit;
	}
	if (pid == 0)
		return -EINVAL;
	*ret_pid = pid;
	return 0;
}

/* Hexadecimal digits, at least one and no more than an address has; NULL if there are none. */
static const char *take_address(const char *text, uint64_t *ret_address)
{
	char *end;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	if (!isxdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*ret_address = strtoull(text, &end, 16);
	return errno ? NULL : end;
}

int number_range(const char *text, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t start, end;

	text = take_address(text, &start);
	if (!text || start == UINT64_MAX)
		return -EINVAL;
	end = start + 1;
	if (*text == '-')
		text = take_address(text + 1, &end);
	if (!text || *text || end <= start)
		return -EINVAL;
	*ret_start = start;
	*ret_end = end;
	return 0;
}

int number_size(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "KMGTPE";
	const char *unit;
	unsigned shift = 0;
	uint64_t value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		end++;
		if (strcmp(end, "iB") == 0)
			end += 2;
	}
	if (*end)
		return -EINVAL;
	if (value > UINT64_MAX >> shift)
		return -ERANGE;
	*ret_bytes = value << shift;
	return 0;
}

char *number_bytes(char buf[NUMBER_BYTES_MAX], uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0;

	if (bytes == UINT64_MAX) {
		strcpy(buf, "unknown");
		return buf;
	}
	if (bytes == 0) {
		strcpy(buf, "0");
		return buf;
	}
	while (unit < 6 && bytes >> (10 * (unit + 1)) != 0)
		unit++;
	if (bytes & ((1ull << (10 * unit)) - 1)) {
		double value = (double)bytes / (double)(1ull << (10 * unit));

		/* 1023.96 would print as 1024.0. */
		if (value >= 1023.95 && unit < 6)
			snprintf(buf, NUMBER_BYTES_MAX, "1.0 %s", units[unit + 1]);
		else
			snprintf(buf, NUMBER_BYTES_MAX, "%.1f %s", value, units[unit]);
	} else {
		snprintf(buf, NUMBER_BYTES_MAX, "%" PRIu64 " %s", bytes >> (10 * unit),
			 units[unit]);
	}
	return buf;
}
