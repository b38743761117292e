// SPDX-License-Identifier: MIT
/* Counters of /proc/PID/smaps and smaps_rollup, see proc_pid_smaps(5). */
#include "parse.h"

#include <errno.h>
#include <string.h>

int parse_smaps_line(const char *line, struct parse_smaps *smaps)
{
	static const struct {
		const char *key;
		size_t offset;
	} fields[] = {
		{"Rss:", offsetof(struct parse_smaps, rss)},
		{"AnonHugePages:", offsetof(struct parse_smaps, huge_anon)},
		{"ShmemPmdMapped:", offsetof(struct parse_smaps, huge_shmem)},
		{"FilePmdMapped:", offsetof(struct parse_smaps, huge_file)},
		{"Pss:", offsetof(struct parse_smaps, pss)},
		{"Swap:", offsetof(struct parse_smaps, swap)},
		{"Shared_Hugetlb:", offsetof(struct parse_smaps, hugetlb)},
		{"Private_Hugetlb:", offsetof(struct parse_smaps, hugetlb)},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t len = strlen(fields[i].key);
		const char *end;
		uint64_t *sum, kib;

		if (strncmp(line, fields[i].key, len) != 0)
			continue;
		sum = (uint64_t *)((char *)smaps + fields[i].offset);
		if (parse_u64(line + len, &kib, &end) < 0 || strcmp(end, " kB") != 0 ||
		    kib > (UINT64_MAX - *sum) / 1024)
			return -EBADMSG;
		*sum += kib * 1024;
		smaps->seen++;
		return 0;
	}
	return 0;
}
