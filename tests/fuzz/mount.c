// SPDX-License-Identifier: MIT
/* /proc/PID/mountinfo, /proc/PID/cgroup, and lists of nodes. */
#include "fuzz.h"

#include "../../lib/parse.h"

static void take_line(char *line, void *arg)
{
	struct parse_mount mount;
	const char *list = line;
	uint64_t first, last;

	(void)arg;
	if (parse_mount_line(line, &mount) == 0)
		MUST(mount.type <= PARSE_MOUNT_HUGETLB);
	parse_cgroup_within(line, "/");
	parse_cgroup_within(line, "/batch");
	while (parse_list_next(&list, &first, &last) == 1)
		MUST(first <= last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_lines(data, size, take_line, NULL);
	return 0;
}
