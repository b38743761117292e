/* SPDX-License-Identifier: MIT */
/*
 * Everything that was seen, beside what was expected. A group is one TAP test point; a record is
 * one experiment in it, with one or more values to compare.
 */
#ifndef CONFORMANCE_REPORT_H
#define CONFORMANCE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>

#include "model.h"

enum verdict {
	VERDICT_MATCH,
	VERDICT_MISMATCH,
	VERDICT_OPEN,    /* ran, but the kernel leaves the outcome open: counts as not proven */
	VERDICT_SKIPPED, /* could not run here */
};

struct field {
	const char *key;
	long want, got;
};

#define RECORD_FIELDS 6

struct record {
	int group;
	char name[96];
	struct field fields[RECORD_FIELDS];
	int field_count;
	enum verdict verdict;
	const char *rule; /* static text, or NULL */
	char reason[160]; /* why open or skipped */
};

struct record_group {
	char name[96];
	int first, count; /* its records */
};

struct report {
	bool tap;
	struct record *records;
	int record_count, record_room;
	struct record_group *groups;
	int group_count, group_room;
	int totals[4]; /* by verdict */
};

void report_begin_group(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A new record in the current group; the caller fills it before it adds the next one. */
struct record *report_new_record(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void record_field(struct record *record, const char *key, long want, long got);

/* MATCH or MISMATCH from the fields, unless it is already open or skipped. Closes the record. */
enum verdict record_judge(struct report *report, struct record *record);

/* All of it for one value, and for something that could not run here. */
void report_check(struct report *report, const char *name, long want, long got, const char *rule);
void report_skip(struct report *report, const char *name, const char *reason);

/* Print the group: a TAP point, or the lines of the table that need an explanation. */
void report_end_group(struct report *report);

/* A line of the human table; a comment in TAP if `always`, else left out there. */
void report_line(const struct report *report, bool always, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void report_end(const struct report *report);

/* The names of the fields' values: "EINVAL" for -EINVAL. */
const char *report_value(long value, char *buffer, size_t size);

struct header {
	const struct utsname *kernel;
	const struct caps *caps;
	const struct system *system; /* as found */
	const char *file_dir;
};

/* Write everything as JSON ("-": standard output). Returns 0 or -errno. */
int report_write_json(const struct report *report, const struct header *header, const char *path);

#endif
