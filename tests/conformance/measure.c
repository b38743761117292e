/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Pages of it that are not needed are never touched. */
static char text[1024 * 1024];

static long read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t count = 0;

	if (fd < 0)
		return -errno;
	while (used < sizeof(text) - 1 &&
	       (count = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)count;
	if (count < 0)
		count = -errno;
	close(fd);
	text[used] = '\0';
	if (count < 0)
		return count;
	return used == sizeof(text) - 1 ? -EMSGSIZE : (long)used;
}

static bool starts_with(const char *line, const char *key)
{
	return strncmp(line, key, strlen(key)) == 0;
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* AnonHugePages since 2.6.38, ShmemPmdMapped since 4.8, FilePmdMapped since 5.4. */
static long huge_field(const char *line)
{
	static const char *const keys[] = {"AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:"};

	for (int i = 0; i < 3; i++)
		if (starts_with(line, keys[i]))
			return strtol(line + strlen(keys[i]), NULL, 10);
	return 0;
}

long measure_huge_kb(const struct block *block)
{
	uintptr_t block_start = (uintptr_t)block->start, block_end = block_start + block->length;
	long error = read_text("/proc/self/smaps"), kb = 0;
	bool ours = false, found = false;

	if (error < 0)
		return error;
	for (const char *line = text; *line; line = next_line(line)) {
		uintptr_t start, end;
		char *rest;

		/* Only a mapping's first line begins with a (small) hexadecimal digit. */
		if (!isupper((unsigned char)*line)) {
			start = strtoul(line, &rest, 16);
			end = *rest == '-' ? strtoul(rest + 1, NULL, 16) : start;
			ours = start < block_end && end > block_start;
			found |= ours;
		} else if (ours) {
			kb += huge_field(line);
		}
	}
	return found ? kb : -ENODATA;
}

long measure_present_kb(const char *start, size_t length)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	long kb = 0;

	if (fd < 0)
		return -errno;
	for (size_t offset = 0; offset < length; offset += page_size) {
		uint64_t entry;
		off_t at = (off_t)(((uintptr_t)start + offset) / page_size * sizeof(entry));

		if (pread(fd, &entry, sizeof(entry), at) != sizeof(entry)) {
			kb = -EIO;
			break;
		}
		if (entry >> 63)
			kb += (long)(page_size / 1024);
	}
	close(fd);
	return kb;
}

long measure_thp_enabled(void)
{
	long error = read_text("/proc/self/status");

	if (error < 0)
		return error;
	for (const char *line = text; *line; line = next_line(line))
		if (starts_with(line, "THP_enabled:"))
			return strtol(line + strlen("THP_enabled:"), NULL, 10);
	return -ENODATA;
}

long measure_fallbacks(void)
{
	static const char *const keys[] = {"thp_fault_fallback ", "thp_file_fallback ",
					   "thp_collapse_alloc_failed "};
	long sum = 0;

	if (read_text("/proc/vmstat") < 0)
		return 0;
	for (const char *line = text; *line; line = next_line(line))
		for (int i = 0; i < 3; i++)
			if (starts_with(line, keys[i]))
				sum += strtol(line + strlen(keys[i]), NULL, 10);
	return sum;
}
