// SPDX-License-Identifier: MIT
/* /proc/PID/maps, smaps, smaps_rollup. */
#include "fuzz.h"

#include "../../lib/parse.h"

#include <string.h>

struct state {
	struct parse_smaps smaps;
	struct parse_vma vma;
};

static void take_line(char *line, void *arg)
{
	const char *end = line + strlen(line);
	struct state *state = arg;
	struct parse_maps maps;
	int r;

	parse_smaps_line(line, &state->smaps);
	parse_vma_line(line, &state->vma);
	MUST(state->vma.advice <= THP_ADVICE_NOHUGE && state->vma.eligible <= THP_YES);
	r = parse_maps_line(line, &maps); /* last: it unescapes in place */
	if (r > 0) {
		MUST(maps.start < maps.end);
		MUST(maps.name > line && maps.name <= end);
		MUST(maps.name + strlen(maps.name) <= end);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state state = {0};

	fuzz_lines(data, size, take_line, &state);
	return 0;
}
