// SPDX-License-Identifier: MIT
/* /proc/PID/status. */
#include "fuzz.h"

#include "../../lib/parse.h"

#include <string.h>

static void take_line(char *line, void *arg)
{
	struct parse_status *status = arg;

	parse_status_line(line, status);
	MUST(memchr(status->comm, '\0', sizeof(status->comm)));
	MUST(status->tgid >= 0 && status->ppid >= 0 && status->tracer >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parse_status status = PARSE_STATUS_INIT;

	fuzz_lines(data, size, take_line, &status);
	return 0;
}
