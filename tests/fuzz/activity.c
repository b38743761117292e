// SPDX-License-Identifier: MIT
/* /proc/vmstat and /proc/buddyinfo. */
#include "fuzz.h"

#include "../../lib/parse.h"

static void take_line(char *line, void *arg)
{
	struct parse_buddy buddy;
	uint64_t value;

	(void)arg;
	parse_vmstat_line(line, "thp_split_page", &value);
	if (parse_buddy_line(line, &buddy) == 0)
		MUST(buddy.nr_orders > 0 && buddy.nr_orders <= PARSE_BUDDY_ORDERS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_lines(data, size, take_line, NULL);
	return 0;
}
