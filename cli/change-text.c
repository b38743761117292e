// SPDX-License-Identifier: MIT
/* thpctl collapse and split: the answer for a person. */
#include "change.h"

#include "../common/escape.h"
#include "../common/number.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR_CELLS 40

void change_bar(unsigned *shown, const char *verb, uint64_t done, uint64_t total)
{
	unsigned percent = total ? (unsigned)(done * 100 / total) : 100;
	char cells[BAR_CELLS + 1];

	if (percent < *shown || !isatty(STDERR_FILENO))
		return;
	*shown = percent + 1;
	memset(cells, ' ', BAR_CELLS);
	memset(cells, '#', (size_t)percent * BAR_CELLS / 100);
	cells[BAR_CELLS] = '\0';
	fprintf(stderr, "\r%s [%s] %3u %%", verb, cells, percent);
}

void change_bar_end(unsigned shown)
{
	if (shown)
		fprintf(stderr, "\r%*s\r", BAR_CELLS + 24, "");
}

static uint64_t all_of(const uint64_t results[THP_BLOCK_RESULTS])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < THP_BLOCK_RESULTS; i++)
		sum += results[i];
	return sum;
}

/* "3 of 4 blocks: 1 has mixed protection or advice" */
static void outcome(const uint64_t results[THP_BLOCK_RESULTS], bool dry_run)
{
	uint64_t done = results[dry_run ? THP_BLOCK_PLANNED : THP_BLOCK_DONE];
	const char *separator = ": ";

	printf("%llu of %llu blocks", (unsigned long long)done,
	       (unsigned long long)all_of(results));
	for (enum thp_block_result i = THP_BLOCK_ALREADY; i < THP_BLOCK_PLANNED; i++) {
		if (!results[i])
			continue;
		printf("%s%llu %s", separator, (unsigned long long)results[i],
		       thp_block_result_text(i));
		separator = ", ";
	}
	printf("\n");
}

static void resident(const struct thp_change *change)
{
	char before[NUMBER_BYTES_MAX], after[NUMBER_BYTES_MAX], by[NUMBER_BYTES_MAX];
	uint64_t was = change->resident_before, is = change->resident_after;

	printf("  resident %s -> %s", number_bytes(before, was), number_bytes(after, is));
	if (was == THP_BYTES_UNKNOWN || is == THP_BYTES_UNKNOWN || was == is)
		printf("\n");
	else if (is > was)
		printf(": %s more\n", number_bytes(by, is - was));
	else
		printf(": %s given back\n", number_bytes(by, was - is));
}

void change_text(const struct change_answer *answer, bool each_range)
{
	const struct thp_change *change = answer->change;
	char name[ESCAPED_MAX(THP_COMM_MAX)], before[NUMBER_BYTES_MAX], after[NUMBER_BYTES_MAX];

	printf("PID %d (%s): ", answer->process->pid,
	       escape_text(name, sizeof(name), answer->process->comm));
	if (answer->dry_run)
		printf("would %s ", answer->verb->name);
	else
		printf("%s ", answer->verb->collapse ? "made huge" : "split");
	outcome(change->results, answer->dry_run);
	for (size_t i = 0; i < answer->ranges->nr && each_range; i++) {
		const struct change_range *range = &answer->ranges->ranges[i];

		printf("  %llx-%llx: ", (unsigned long long)range->start,
		       (unsigned long long)range->end);
		outcome(range->results, answer->dry_run);
	}
	if (change->bloat != THP_BYTES_UNKNOWN)
		printf("  %s of its huge pages %s nothing but zeros\n",
		       number_bytes(before, change->bloat), answer->dry_run ? "hold" : "held");
	if (answer->dry_run)
		return;
	printf("  huge %s -> %s\n", number_bytes(before, change->huge_before),
	       number_bytes(after, change->huge_after));
	resident(change);
}
