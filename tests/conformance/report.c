/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *items, int count, int *room, size_t item_size)
{
	if (count < *room)
		return items;
	*room = *room ? *room * 2 : 64;
	items = realloc(items, (size_t)*room * item_size);
	if (!items)
		abort(); /* guard.c's handler puts the settings back */
	return items;
}

void report_begin_group(struct report *report, const char *format, ...)
{
	struct record_group *group;
	va_list arguments;

	report->groups = grow(report->groups, report->group_count, &report->group_room,
			      sizeof(*report->groups));
	group = &report->groups[report->group_count++];
	group->first = report->record_count;
	group->count = 0;
	va_start(arguments, format);
	vsnprintf(group->name, sizeof(group->name), format, arguments);
	va_end(arguments);
	if (!report->tap)
		printf("\n%s\n", group->name);
}

struct record *report_new_record(struct report *report, const char *format, ...)
{
	struct record *record;
	va_list arguments;

	report->records = grow(report->records, report->record_count, &report->record_room,
			       sizeof(*report->records));
	record = &report->records[report->record_count++];
	memset(record, 0, sizeof(*record));
	record->group = report->group_count - 1;
	report->groups[record->group].count++;
	va_start(arguments, format);
	vsnprintf(record->name, sizeof(record->name), format, arguments);
	va_end(arguments);
	return record;
}

void record_field(struct record *record, const char *key, long want, long got)
{
	if (record->field_count == RECORD_FIELDS)
		abort();
	record->fields[record->field_count++] = (struct field){key, want, got};
}

enum verdict record_judge(struct report *report, struct record *record)
{
	for (int i = 0; record->verdict == VERDICT_MATCH && i < record->field_count; i++)
		if (record->fields[i].want != record->fields[i].got)
			record->verdict = VERDICT_MISMATCH;
	report->totals[record->verdict]++;
	return record->verdict;
}

void report_check(struct report *report, const char *name, long want, long got, const char *rule)
{
	struct record *record = report_new_record(report, "%s", name);

	record_field(record, "value", want, got);
	record->rule = rule;
	record_judge(report, record);
}

void report_skip(struct report *report, const char *name, const char *reason)
{
	struct record *record = report_new_record(report, "%s", name);

	record->verdict = VERDICT_SKIPPED;
	snprintf(record->reason, sizeof(record->reason), "%s", reason);
	record_judge(report, record);
}

const char *report_value(long value, char *buffer, size_t size)
{
	const char *name = value < 0 ? strerrorname_np((int)-value) : NULL;

	if (name)
		snprintf(buffer, size, "%s", name);
	else
		snprintf(buffer, size, "%ld", value);
	return buffer;
}

static void print_mismatch(const struct report *report, const struct record *record)
{
	printf("%s %s:", report->tap ? "# MISMATCH" : "  MISMATCH", record->name);
	for (int i = 0; i < record->field_count; i++) {
		const struct field *field = &record->fields[i];
		char want[32], got[32];

		if (field->want != field->got)
			printf(" %s: want %s, got %s;", field->key,
			       report_value(field->want, want, sizeof(want)),
			       report_value(field->got, got, sizeof(got)));
	}
	printf(" rule: %s\n", record->rule ? record->rule : "-");
}

/* Each reason once, with the number of records that share it. */
static void print_reasons(const struct report *report, const struct record_group *group,
			  enum verdict verdict, const char *label)
{
	const struct record *records = &report->records[group->first];

	for (int i = 0; i < group->count; i++) {
		int before = 0, count = 0;

		if (records[i].verdict != verdict)
			continue;
		for (int j = 0; j < group->count; j++)
			if (records[j].verdict == verdict &&
			    strcmp(records[j].reason, records[i].reason) == 0) {
				before += j < i;
				count++;
			}
		if (before == 0)
			printf("%s%s: %d of %d, first \"%s\": %s\n", report->tap ? "# " : "  ",
			       label, count, group->count, records[i].name, records[i].reason);
	}
}

static const struct record *first_with(const struct report *report,
				       const struct record_group *group, enum verdict verdict,
				       int *ret_count)
{
	const struct record *first = NULL;

	*ret_count = 0;
	for (int i = group->first; i < group->first + group->count; i++) {
		if (report->records[i].verdict != verdict)
			continue;
		(*ret_count)++;
		if (!first)
			first = &report->records[i];
	}
	return first;
}

/* A point is ok when all that could be compared matches; one that proved nothing says so. */
static void print_tap_point(const struct report *report, const struct record_group *group)
{
	int matching, mismatching, open, skipped;
	const struct record *first_open, *first_skipped;

	first_with(report, group, VERDICT_MATCH, &matching);
	first_with(report, group, VERDICT_MISMATCH, &mismatching);
	first_open = first_with(report, group, VERDICT_OPEN, &open);
	first_skipped = first_with(report, group, VERDICT_SKIPPED, &skipped);
	printf("%sok %d - %s", mismatching || open ? "not " : "", report->group_count, group->name);
	if (skipped < group->count)
		printf(": %d of %d match", matching, group->count);
	if (!mismatching && open)
		printf(" # TODO open: %s", first_open->reason);
	else if (skipped == group->count && first_skipped)
		printf(" # SKIP %s", first_skipped->reason);
	printf("\n");
}

void report_end_group(struct report *report)
{
	const struct record_group *group = &report->groups[report->group_count - 1];

	if (report->tap) {
		print_tap_point(report, group);
	} else {
		int matching, skipped;

		first_with(report, group, VERDICT_MATCH, &matching);
		first_with(report, group, VERDICT_SKIPPED, &skipped);
		if (skipped < group->count)
			printf("  %d of %d match\n", matching, group->count);
	}
	for (int i = group->first; i < group->first + group->count; i++)
		if (report->records[i].verdict == VERDICT_MISMATCH)
			print_mismatch(report, &report->records[i]);
	print_reasons(report, group, VERDICT_OPEN, "open");
	print_reasons(report, group, VERDICT_SKIPPED, "skipped");
	fflush(stdout);
}

void report_line(const struct report *report, bool always, const char *format, ...)
{
	va_list arguments;

	if (report->tap && !always)
		return;
	if (report->tap)
		printf("# ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
}

void report_end(const struct report *report)
{
	if (report->tap)
		printf("1..%d\n", report->group_count);
	else
		printf("\n");
	report_line(report, true, "%d experiments: %d match, %d mismatch, %d open, %d skipped",
		    report->record_count, report->totals[VERDICT_MATCH],
		    report->totals[VERDICT_MISMATCH], report->totals[VERDICT_OPEN],
		    report->totals[VERDICT_SKIPPED]);
}
