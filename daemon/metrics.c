// SPDX-License-Identifier: MIT
#include "metrics.h"

#include "../common/openmetrics.h"

#include <errno.h>
#include <inttypes.h>

static const char *const why_names[WHYS] = {
	[WHY_GATE] = "gate", [WHY_EXEC] = "exec", [WHY_FORK] = "fork", [WHY_CHANGE] = "change",
	[WHY_MOVE] = "move", [WHY_WALK] = "walk", [WHY_LOST] = "lost",
};

static const char *const failure_names[FAILURES] = {
	[FAILURE_GONE] = "gone",
	[FAILURE_TRACED] = "traced",
	[FAILURE_FROZEN] = "frozen",
	[FAILURE_DENIED] = "denied",
	[FAILURE_UNSUPPORTED] = "unsupported",
	[FAILURE_STUCK] = "stuck",
	[FAILURE_OTHER] = "other",
};

static const uint64_t limits_us[LATENCY_BUCKETS] = {
	100, 200, 300, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000,
};

enum failure failure_of(int err)
{
	switch (-err) {
	case ESRCH:
		return FAILURE_GONE;
	case EBUSY:
		return FAILURE_TRACED;
	case EAGAIN:
		return FAILURE_FROZEN;
	case EPERM:
	case EACCES:
		return FAILURE_DENIED;
	case EOPNOTSUPP:
		return FAILURE_UNSUPPORTED;
	case ETIMEDOUT:
	case ECANCELED:
		return FAILURE_STUCK;
	default:
		return FAILURE_OTHER;
	}
}

void latency_add(struct latency *latency, uint64_t ns)
{
	unsigned i = 0;

	while (i < LATENCY_BUCKETS && ns > limits_us[i] * 1000)
		i++;
	latency->buckets[i]++;
	latency->sum += ns;
	if (ns > latency->worst)
		latency->worst = ns;
}

static void put_counter(FILE *file, const char *name, const char *help, uint64_t value)
{
	openmetrics_family(file, name, "counter", help);
	fprintf(file, "%s_total %" PRIu64 "\n", name, value);
}

static void put_gauge(FILE *file, const char *name, const char *help, uint64_t value)
{
	openmetrics_family(file, name, "gauge", help);
	fprintf(file, "%s %" PRIu64 "\n", name, value);
}

static void put_labelled(FILE *file, const char *name, const char *label, const char *help,
			 const char *const names[], const uint64_t values[], size_t nr)
{
	openmetrics_family(file, name, "counter", help);
	for (size_t i = 0; i < nr; i++)
		fprintf(file, "%s_total{%s=\"%s\"} %" PRIu64 "\n", name, label, names[i],
			values[i]);
}

static void put_latency(FILE *file, const char *by, const struct latency *latency)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		count += latency->buckets[i];
		fprintf(file, "thpd_latency_seconds_bucket{by=\"%s\",le=\"%g\"} %" PRIu64 "\n", by,
			(double)limits_us[i] / 1e6, count);
	}
	count += latency->buckets[LATENCY_BUCKETS];
	fprintf(file, "thpd_latency_seconds_bucket{by=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", by,
		count);
	fprintf(file, "thpd_latency_seconds_sum{by=\"%s\"} %.9f\n", by, (double)latency->sum / 1e9);
	fprintf(file, "thpd_latency_seconds_count{by=\"%s\"} %" PRIu64 "\n", by, count);
}

static void put_rules(FILE *file, const struct metrics_now *now)
{
	openmetrics_family(file, "thpd_processes", "gauge", "Processes under a rule.");
	for (unsigned i = 0; i < now->nr_rules; i++) {
		fputs("thpd_processes{rule=\"", file);
		openmetrics_label(file, now->rule_name(now->arg, i));
		fprintf(file, "\"} %" PRIu64 "\n", now->per_rule[i]);
	}
}

void metrics_put(FILE *file, const struct metrics *metrics, const struct metrics_now *now)
{
	put_counter(file, "thpd_events", "Process events that the kernel told.", now->events);
	put_counter(file, "thpd_overflows", "Times events were lost, and all processes looked at.",
		    now->overflows);
	put_labelled(file, "thpd_judged", "why", "Processes held against the rules.", why_names,
		     metrics->judged, WHYS);
	put_labelled(file, "thpd_applied", "why", "Processes that were given a mode.", why_names,
		     metrics->applied, WHYS);
	put_labelled(file, "thpd_failed", "reason", "Processes that could not be given one.",
		     failure_names, metrics->failed, FAILURES);
	put_counter(file, "thpd_inherited", "Processes that had it from their parent.",
		    metrics->inherited);
	put_counter(file, "thpd_given_back", "Processes that left all rules.", metrics->given_back);
	put_counter(file, "thpd_cleared", "Processes that cleared the flag themselves.",
		    metrics->cleared);
	put_counter(file, "thpd_reapplied", "Of these, given it again.", metrics->reapplied);
	put_counter(file, "thpd_flips", "Changes not made, to end a back and forth of rules.",
		    metrics->flips);
	put_counter(file, "thpd_gate_late", "Programs that started before they could be traced.",
		    metrics->late);
	put_counter(file, "thpd_walks", "Walks through all processes.", metrics->walks);
	put_counter(file, "thpd_reloads", "Times the rules were read anew.", metrics->reloads);
	put_counter(file, "thpd_bad_reloads", "Times bad rules were refused.",
		    metrics->bad_reloads);
	put_counter(file, "thpd_split_bytes", "Huge memory that was split.", metrics->split_bytes);
	openmetrics_family(file, "thpd_latency_seconds", "histogram",
			   "From execve(2) to the mode.");
	put_latency(file, "gate", &metrics->gate);
	put_latency(file, "events", &metrics->events);
	openmetrics_family(file, "thpd_latency_worst_seconds", "gauge", "The longest of these.");
	fprintf(file, "thpd_latency_worst_seconds{by=\"gate\"} %.9f\n",
		(double)metrics->gate.worst / 1e9);
	fprintf(file, "thpd_latency_worst_seconds{by=\"events\"} %.9f\n",
		(double)metrics->events.worst / 1e9);
	put_gauge(file, "thpd_queue", "Processes that wait to be given a mode.", now->queue);
	put_gauge(file, "thpd_records", "Processes that rules have touched.", now->records);
	put_gauge(file, "thpd_marks", "Executables that the gate watches.", now->marks);
	put_gauge(file, "thpd_watches", "Directories and groups that are watched.", now->watches);
	put_rules(file, now);
	openmetrics_end(file);
}
