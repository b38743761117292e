// SPDX-License-Identifier: MIT
#include "predict.h"

#include <stdio.h>
#include <string.h>

enum verdict forecast_verdict(struct range ratio)
{
	if (ratio.low > 1)
		return OFF_FASTER;
	return ratio.high < 1 ? ON_FASTER : OPEN;
}

const struct prediction *forecast_of(const struct forecast *forecast, const char *program)
{
	for (size_t i = 0; i < forecast->counted.nr_programs; i++) {
		if (strcmp(forecast->counted.programs[i].name, program) == 0)
			return &forecast->predictions[i];
	}
	return NULL;
}

static bool faults_unknown(const struct counted *counted)
{
	for (size_t i = 0; i < counted->nr_programs; i++) {
		if (!counted->programs[i].off.faults_known || !counted->programs[i].on.faults_known)
			return true;
	}
	return false;
}

static bool busiest_unknown(const struct counted *counted)
{
	for (size_t i = 0; i < counted->nr_programs; i++) {
		if (!counted->programs[i].off.busiest_known ||
		    !counted->programs[i].on.busiest_known)
			return true;
	}
	return false;
}

const char *forecast_note(const struct forecast *forecast, size_t i, char buf[256])
{
	const struct counted *counted = &forecast->counted;
	const struct host *host = &forecast->host;

	switch (i) {
	case 0:
		snprintf(buf, 256,
			 "Where pages lie and what was accessed is counted. Time on %u nodes is "
			 "not: "
			 "it is a model's, and cannot be validated here, without such a machine.",
			 host->nodes);
		return buf;
	case 1:
		return "Not in the model: prefetching, lines that processors take from each other, "
		       "waiting for threads, work that is not the same for all.";
	case 2:
		if (counted->tlb_4k == 0 || host->tlb_4k == 0 ||
		    (counted->tlb_4k == host->tlb_4k && counted->tlb_2m == host->tlb_2m))
			return "";
		snprintf(
			buf, 256,
			"TLB misses were counted for %u and %u entries (4 KiB, 2 MiB); the machine "
			"has %u and %u.",
			counted->tlb_4k, counted->tlb_2m, host->tlb_4k, host->tlb_2m);
		return buf;
	case 3:
		return faults_unknown(counted) ? "Faults were not counted: time without them." : "";
	case 4:
		return busiest_unknown(counted) ? "Which node gave most lines is not known: as if "
						  "all gave the same."
						: "";
	default:
		return NULL;
	}
}
