// SPDX-License-Identifier: MIT
#include "show-why.h"

#include "cause-text.h"
#include "cli.h"
#include "usage-json.h"

#include "../common/escape.h"
#include "../common/json.h"
#include "../common/number.h"
#include "../common/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TOP        12 /* mappings that are shown: those with the most memory in small pages */
#define NAME_KEPT  256
#define NAME_SHOWN ESCAPED_MAX(NAME_KEPT)

struct place {
	uint64_t start, end, small;
	enum thp_cause cause;
	char name[NAME_KEPT];
};

struct answer {
	struct thp_process process;
	struct thp_counts total;
	struct thp_why why;
	uint64_t nr_mappings;
	struct place top[TOP];
	unsigned nr_top;
};

static uint64_t small_of(const struct thp_counts *counts)
{
	uint64_t huge = thp_counts_huge(counts);

	return counts->resident > huge ? counts->resident - huge : 0;
}

/* The list stays sorted; a new one sinks to its place, and the last falls out. */
static void take_place(struct answer *answer, const struct thp_mapping *mapping)
{
	struct place place = {.start = mapping->start, .end = mapping->end};
	enum thp_cause causes[THP_CAUSES];
	unsigned at;

	place.small = small_of(&mapping->counts);
	if (place.small == 0 || cause_order(&mapping->why, causes) == 0)
		return;
	place.cause = causes[0];
	if (answer->nr_top == TOP && place.small <= answer->top[TOP - 1].small)
		return;
	snprintf(place.name, sizeof(place.name), "%s", mapping->name[0] ? mapping->name : "[anon]");
	if (answer->nr_top < TOP)
		answer->nr_top++;
	for (at = answer->nr_top - 1; at > 0 && answer->top[at - 1].small < place.small; at--)
		answer->top[at] = answer->top[at - 1];
	answer->top[at] = place;
}

static int collect(struct thp_ctx *ctx, const struct show_why_request *request,
		   struct answer *answer)
{
	struct thp_usage_request wanted = {
		.size = sizeof(wanted),
		.flags = THP_USE_WHY | THP_USE_WHOLE,
		.start = request->start,
		.end = request->end,
	};
	struct thp_mapping mapping = {.size = sizeof(mapping)};
	struct thp_usage *usage = NULL;
	int r;

	answer->process.size = sizeof(answer->process);
	r = thp_process_read(ctx, request->pid, 0, &answer->process);
	if (r == 0)
		r = thp_usage_open(ctx, request->pid, &wanted, &usage);
	if (r < 0)
		return r;
	while ((r = thp_usage_next(usage, &mapping)) > 0) {
		thp_counts_add(&answer->total, &mapping.counts);
		thp_why_add(&answer->why, &mapping.why);
		take_place(answer, &mapping);
		answer->nr_mappings++;
	}
	thp_usage_close(usage);
	return r;
}

static void print_places(const struct answer *answer)
{
	char size[NUMBER_BYTES_MAX], name[NAME_SHOWN];

	printf("\nWhere most of it is\n");
	for (unsigned i = 0; i < answer->nr_top; i++) {
		const struct place *place = &answer->top[i];

		printf("  %10s  %-13s %" PRIx64 "-%" PRIx64 "  %s\n",
		       number_bytes(size, place->small), thp_cause_name(place->cause), place->start,
		       place->end, escape_text(name, sizeof(name), place->name));
	}
}

static void print_text(const struct answer *answer)
{
	char name[ESCAPED_MAX(THP_COMM_MAX)], resident[NUMBER_BYTES_MAX], huge[NUMBER_BYTES_MAX];

	printf("PID %d (%s), %" PRIu64 " mapping%s: %s resident, %s huge\n\n", answer->process.pid,
	       escape_text(name, sizeof(name), answer->process.comm), answer->nr_mappings,
	       answer->nr_mappings == 1 ? "" : "s", number_bytes(resident, answer->total.resident),
	       number_bytes(huge, thp_counts_huge(&answer->total)));
	cause_text(&answer->why, true);
	if (answer->nr_top > 0)
		print_places(answer);
}

static json_t *place_json(const struct place *place)
{
	json_t *value = json_object();
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, place->start);
	json_object_set_new(value, "start", json_string(text));
	snprintf(text, sizeof(text), "0x%" PRIx64, place->end);
	json_object_set_new(value, "end", json_string(text));
	json_object_set_new(value, "name", json_text(place->name));
	json_object_set_new(value, "small_bytes", json_bytes(place->small));
	json_object_set_new(value, "cause", json_string(thp_cause_name(place->cause)));
	return value;
}

static int print_json(const struct answer *answer)
{
	json_t *top = json_object(), *list = json_array();

	for (unsigned i = 0; i < answer->nr_top; i++)
		json_array_append_new(list, place_json(&answer->top[i]));
	json_object_set_new(top, "schema", json_integer(1));
	json_object_set_new(top, "version", json_string(THP_VERSION));
	json_object_set_new(top, "pid", json_integer(answer->process.pid));
	json_object_set_new(top, "command", json_text(answer->process.comm));
	json_object_set_new(top, "mappings", json_integer((json_int_t)answer->nr_mappings));
	json_object_set_new(top, "resident_bytes", json_bytes(answer->total.resident));
	json_object_set_new(top, "huge_bytes", json_bytes(thp_counts_huge(&answer->total)));
	json_object_set_new(top, "why", usage_why_json(&answer->why));
	json_object_set_new(top, "most", list);
	return json_print(top);
}

int show_why(struct thp_ctx *ctx, const struct show_why_request *request)
{
	struct answer answer = {0};
	int r = collect(ctx, request, &answer);

	if (r == -ESRCH) {
		say("PID %d: no such process, or hidden from you (hidepid)", request->pid);
		return CLI_FAILURE;
	}
	if (r < 0) {
		say("PID %d: cannot tell why: %s", request->pid, thp_reason(ctx));
		return CLI_FAILURE;
	}
	if (answer.nr_mappings == 0) {
		say("PID %d: nothing is mapped at %" PRIx64, request->pid, request->start);
		return CLI_FAILURE;
	}
	if (!request->json)
		print_text(&answer);
	else if (print_json(&answer) < 0)
		return CLI_FAILURE;
	return CLI_OK;
}
