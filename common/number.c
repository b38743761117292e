// SPDX-License-Identifier: MIT
#include "number.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
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
