// SPDX-License-Identifier: MIT
/* Settings files below /sys/kernel/mm/transparent_hugepage, names of directories, numbers. */
#include "fuzz.h"

#include "../../lib/parse.h"

static void take_line(char *line, void *arg)
{
	const char *end = NULL;
	uint64_t value;

	(void)arg;
	MUST(parse_setting(line) <= THP_SETTING_NONE);
	if (parse_size_dir(line, &value) == 0)
		MUST(value > 0 && value % 1024 == 0);
	if (parse_u64(line, &value, &end) == 0)
		MUST(end > line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_lines(data, size, take_line, NULL);
	return 0;
}
