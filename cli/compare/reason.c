// SPDX-License-Identifier: MIT
#include "reason.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The two arms by speed, and what went on in them. */
struct pair {
	const struct arm_result *fast;
	const struct arm_result *slow;
	char *buf;
};

static double fast(const struct pair *pair, enum measure measure)
{
	return pair->fast->values[measure].value;
}

static double slow(const struct pair *pair, enum measure measure)
{
	return pair->slow->values[measure].value;
}

/* How much more the slow arm has; 0 where it is not measured. */
static double extra(const struct pair *pair, enum measure measure)
{
	double difference = slow(pair, measure) - fast(pair, measure);

	return isnan(difference) ? 0 : difference;
}

static void add(const struct pair *pair, const char *text)
{
	size_t len = strlen(pair->buf);

	snprintf(pair->buf + len, REASON_MAX - len, "%s%s", len ? "; " : "", text);
}

/* "page faults 65536 -> 128", from the slow arm to the fast one. */
static void add_change(const struct pair *pair, const char *what, enum measure measure)
{
	char from[MEASURE_TEXT_MAX], to[MEASURE_TEXT_MAX], text[256];

	snprintf(text, sizeof(text), "%s (%s %s -> %s)", what, measures[measure].title,
		 measure_text(from, measure, slow(pair, measure)),
		 measure_text(to, measure, fast(pair, measure)));
	add(pair, text);
}

/*
 * Faults are worked off in system time: they explain no more than that differs. A fault of a small
 * page costs from 0.1 us (bare metal) to 2 us (virtual machine).
 */
static bool by_faults(const struct pair *pair, double cpu)
{
	double faults = extra(pair, MEASURE_MINOR_FAULTS);

	if (faults < 100 || extra(pair, MEASURE_SYSTEM) < 0.25 * cpu ||
	    faults < 0.2 * slow(pair, MEASURE_MINOR_FAULTS))
		return false;
	add_change(pair, "fewer page faults", MEASURE_MINOR_FAULTS);
	return true;
}

static bool by_compaction(const struct pair *pair, double cpu)
{
	bool stalls = extra(pair, MEASURE_COMPACT_STALL) >= 1;

	/* Machine-wide counters: they are a cause only where the run itself paid system time. */
	if (!stalls || extra(pair, MEASURE_SYSTEM) < 0.25 * cpu)
		return false;
	add_change(pair, "no waiting for compaction", MEASURE_COMPACT_STALL);
	return true;
}

/* Clearing 2 MiB at the first touch of one byte costs time and memory. */
static bool by_bloat(const struct pair *pair)
{
	double more = extra(pair, MEASURE_PEAK_RSS);

	if (more < 0.3 * fast(pair, MEASURE_PEAK_RSS) || more < 16 << 20)
		return false;
	add_change(pair, "less memory touched", MEASURE_PEAK_RSS);
	return true;
}

static bool by_walks(const struct pair *pair, double cpu)
{
	double misses = extra(pair, MEASURE_DTLB_MISSES);

	/* A walk takes tens of cycles where its tables are in a cache. */
	if (misses * 10 < 0.1 * slow(pair, MEASURE_CYCLES) * fmin(1, cpu) ||
	    misses < 0.2 * slow(pair, MEASURE_DTLB_MISSES) || misses == 0)
		return false;
	add_change(pair, "fewer page table walks", MEASURE_DTLB_MISSES);
	return true;
}

static bool by_placement(const struct pair *pair)
{
	bool found = false;

	if (extra(pair, MEASURE_NODE_MISSES) > 0.2 * slow(pair, MEASURE_NODE_MISSES)) {
		add_change(pair, "memory nearer to its users", MEASURE_NODE_MISSES);
		found = true;
	}
	if (extra(pair, MEASURE_REMOTE_SHARE) > 0.1) {
		add_change(pair, "memory nearer to its users", MEASURE_REMOTE_SHARE);
		found = true;
	}
	if (extra(pair, MEASURE_REMOTE_HINTS) > 0.1) {
		add_change(pair, "memory nearer to its users", MEASURE_REMOTE_HINTS);
		found = true;
	}
	return found;
}

/* "+1.2 s", from the slow arm to the fast one. */
static char *change(char buf[MEASURE_TEXT_MAX + 1], const struct pair *pair, enum measure measure)
{
	double difference = -extra(pair, measure);

	buf[0] = difference < 0 ? '-' : '+';
	measure_text(buf + 1, measure, fabs(difference));
	return buf;
}

/* Where the time went, which narrows the cause down even where it is not known. */
static void add_split(const struct pair *pair)
{
	char wall[MEASURE_TEXT_MAX + 1], user[MEASURE_TEXT_MAX + 1], sys[MEASURE_TEXT_MAX + 1];
	char text[160];

	snprintf(text, sizeof(text), "cause not measured (wall %s: user %s, system %s%s)",
		 change(wall, pair, MEASURE_WALL), change(user, pair, MEASURE_USER),
		 change(sys, pair, MEASURE_SYSTEM),
		 isnan(slow(pair, MEASURE_DTLB_MISSES)) ? "; no hardware counters here" : "");
	add(pair, text);
}

char *reason_text(char buf[REASON_MAX], const struct compare *compare,
		  const struct program_result *result, const struct comparison *comparison)
{
	const struct arm_result *arm = &result->arms[comparison->arm];
	const struct arm_result *base = &result->arms[compare->settings->base];
	bool first = (comparison->verdict == VERDICT_FASTER) != compare->settings->invert;
	struct pair pair = {.fast = first ? arm : base, .slow = first ? base : arm, .buf = buf};
	double cpu;
	int explained;

	buf[0] = '\0';
	if (comparison->verdict != VERDICT_FASTER && comparison->verdict != VERDICT_SLOWER)
		return buf;
	cpu = fmax(extra(&pair, MEASURE_USER) + extra(&pair, MEASURE_SYSTEM), 1e-6);
	explained = by_faults(&pair, cpu) + by_compaction(&pair, cpu) + by_bloat(&pair) +
		    by_walks(&pair, cpu) + by_placement(&pair);
	/* Time in user mode that no counter accounts for is said to be so. */
	if (explained == 0 ||
	    (extra(&pair, MEASURE_USER) > 0.5 * cpu && isnan(slow(&pair, MEASURE_DTLB_MISSES)) &&
	     extra(&pair, MEASURE_USER) > 0.05 * slow(&pair, MEASURE_USER)))
		add_split(&pair);
	return buf;
}
