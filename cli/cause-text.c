// SPDX-License-Identifier: MIT
#include "cause-text.h"

#include "../common/number.h"

#include <stdio.h>

/* Memory first; address space decides between causes that hold none. */
static bool before(const struct thp_why_bytes *a, const struct thp_why_bytes *b)
{
	return a->resident != b->resident ? a->resident > b->resident : a->bytes > b->bytes;
}

unsigned cause_order(const struct thp_why *why, enum thp_cause ret_causes[THP_CAUSES])
{
	unsigned nr = 0;

	for (enum thp_cause cause = 0; cause < THP_CAUSES; cause++) {
		unsigned place = nr;

		if (why->causes[cause].bytes == 0 && why->causes[cause].resident == 0)
			continue;
		for (;
		     place > 0 && before(&why->causes[cause], &why->causes[ret_causes[place - 1]]);
		     place--)
			ret_causes[place] = ret_causes[place - 1];
		ret_causes[place] = cause;
		nr++;
	}
	return nr;
}

void cause_text(const struct thp_why *why, bool help)
{
	char bytes[NUMBER_BYTES_MAX], resident[NUMBER_BYTES_MAX];
	enum thp_cause causes[THP_CAUSES];
	unsigned nr = cause_order(why, causes);

	printf("  %10s %10s  %-13s %s\n", "IN MEMORY", "SPACE", "CAUSE", "WHY IT IS NOT HUGE");
	for (unsigned i = 0; i < nr; i++) {
		const struct thp_why_bytes *because = &why->causes[causes[i]];

		printf("  %10s %10s  %-13s %s\n", number_bytes(resident, because->resident),
		       number_bytes(bytes, because->bytes), thp_cause_name(causes[i]),
		       thp_cause_text(causes[i]));
		if (help)
			printf("  %37s-> %s\n", "", thp_cause_help(causes[i]));
	}
}
