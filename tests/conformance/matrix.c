/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"
#include "suite.h"

/* One experiment against the model. Returns its symbol in the table. */
static char run_cell(struct suite *suite, const struct system *system, enum context context,
		     const struct cell *cell)
{
	struct expectation want = model_expect(&suite->caps, system, cell);
	struct seen seen;
	bool starved = false;
	int error = cell_run_patiently(&suite->place, context, cell, want.huge_kb, &seen, &starved);
	struct record *record =
		report_new_record(&suite->report, "flag %s, %s, %s, advice %s",
				  model_flag_name(cell->flag), context_name(context),
				  model_kind_name(cell->kind), model_advice_name(cell->advice));
	enum verdict verdict;

	record->rule = want.rule;
	if (error == -ENOENT) {
		record->verdict = VERDICT_SKIPPED;
		snprintf(record->reason, sizeof(record->reason), "no %s program of this suite here",
			 context == CONTEXT_EXEC_STATIC ? "static" : "dynamic");
	} else if (error < 0) {
		record_field(record, "answer", 0, error);
	} else {
		record_field(record, "set", want.set, seen.set);
		record_field(record, "get", want.get, seen.get);
		record_field(record, "THP_enabled", want.thp_enabled, seen.thp_enabled);
		/* The flag's part must match even where the memory's is left open. */
		for (int i = 0; i < record->field_count; i++)
			if (record->fields[i].want != record->fields[i].got)
				record->verdict = VERDICT_MISMATCH;
		record_field(record, "advice", want.advice, seen.advice);
		record_field(record, "huge_kB", want.huge_kb, seen.huge_kb);
		/* Two readers of the same page tables; before 6.7 there is only one. */
		if (seen.scan_kb >= 0)
			record_field(record, "scan_huge_kB", want.huge_kb, seen.scan_kb);
		if (record->verdict == VERDICT_MATCH && (want.open || starved)) {
			record->verdict = VERDICT_OPEN;
			snprintf(record->reason, sizeof(record->reason), "%s",
				 want.open ? want.open
					   : "the kernel counted that it found no free huge page");
		}
	}
	verdict = record_judge(&suite->report, record);
	switch (verdict) {
	case VERDICT_MISMATCH:
		return '!';
	case VERDICT_OPEN:
		return '?';
	case VERDICT_SKIPPED:
		return '-';
	default:
		if (seen.advice < 0)
			return seen.huge_kb > 0 ? 'e' : 'E';
		return seen.huge_kb > 0 ? 'H' : '.';
	}
}

static void print_columns(const struct suite *suite, const enum kind *kinds, int kind_count)
{
	char columns[64];
	size_t used = 0;

	for (int k = 0; k < kind_count; k++)
		used += (size_t)snprintf(columns + used, sizeof(columns) - used, "  %-8s",
					 model_kind_name(kinds[k]));
	report_line(&suite->report, false, "  flag     context       SET     GET  enabled %s",
		    columns);
	used = 0;
	for (int k = 0; k < kind_count; k++)
		used += (size_t)snprintf(columns + used, sizeof(columns) - used, "  - n h c ");
	report_line(&suite->report, false, "%43s%s", "", columns);
}

/* A row of the table: one flag in one context, all advice for each of the kinds. */
static void run_row(struct suite *suite, const struct system *system, enum context context,
		    enum flag flag, const enum kind *kinds, int kind_count)
{
	int first = suite->report.record_count;
	char symbols[64], value[3][32];
	const struct record *record;
	size_t used = 0;

	for (int k = 0; k < kind_count; k++) {
		symbols[used++] = ' ';
		symbols[used++] = ' ';
		for (int advice = 0; advice < ADVICE_COUNT; advice++) {
			struct cell cell = {flag, (enum advice)advice, kinds[k]};

			symbols[used++] = run_cell(suite, system, context, &cell);
			symbols[used++] = ' ';
		}
	}
	symbols[used] = '\0';
	record = &suite->report.records[first];
	for (int i = 0; i < 3; i++)
		report_value(i < record->field_count ? record->fields[i].got : -ENODATA, value[i],
			     sizeof(value[i]));
	report_line(&suite->report, false, "  %-8s %-13s %-7s %-4s %-7s %s", model_flag_name(flag),
		    context_name(context), strcmp(value[0], "0") == 0 ? "ok" : value[0], value[1],
		    strcmp(value[2], "ENODATA") == 0 ? "-" : value[2], symbols);
}

static const enum kind all_kinds[] = {KIND_ANON, KIND_HEAP, KIND_SHMEM, KIND_FILE};

static void run_system(struct suite *suite, const struct system *system, const char *name)
{
	for (int flag = 0; flag < FLAG_COUNT; flag++) {
		report_begin_group(&suite->report, "system %s, flag %s", name,
				   model_flag_name((enum flag)flag));
		print_columns(suite, all_kinds, KIND_COUNT);
		for (int context = 0; context < CONTEXT_COUNT; context++)
			run_row(suite, system, (enum context)context, (enum flag)flag, all_kinds,
				KIND_COUNT);
		report_end_group(&suite->report);
	}
}

/*
 * "System" is both top-level words together: `enabled` for anonymous memory and `shmem_enabled` for
 * shared. The per-size files of PMD size inherit, which is their default.
 */
static struct system system_of(const struct suite *suite, enum word word)
{
	struct system system = {word, WORD_INHERIT, word, WORD_INHERIT};

	if (suite->found.size_enabled == WORD_ABSENT)
		system.size_enabled = WORD_ABSENT;
	if (suite->found.shmem == WORD_ABSENT)
		system.shmem = WORD_ABSENT;
	if (suite->found.size_shmem == WORD_ABSENT)
		system.size_shmem = WORD_ABSENT;
	return system;
}

/* Whether the kernel took the words: the experiments below would compare with the wrong ones. */
static void check_written(struct suite *suite, const struct system *system, int error)
{
	struct system now;

	settings_read_system(suite->caps.pmd_kb, &now);
	report_check(&suite->report, "the settings can be written", 0, error, "transhuge.rst");
	report_check(&suite->report, "and read back as written", 0,
		     memcmp(&now, system, sizeof(now)), "transhuge.rst");
}

void run_matrix(struct suite *suite)
{
	static const enum word words[] = {WORD_NEVER, WORD_MADVISE, WORD_ALWAYS};

	report_line(
		&suite->report, false,
		"\nAdvice: - none, n MADV_NOHUGEPAGE, h MADV_HUGEPAGE, c MADV_COLLAPSE. "
		"Seen: H huge, . not, E refused with EINVAL (e: refused, but huge since the first "
		"touch); ! mismatch, ? open, - skipped.");
	if (!suite->may_write) {
		run_system(suite, &suite->found, "as found");
		report_begin_group(&suite->report, "system never, madvise, always");
		report_skip(&suite->report, "the other settings", NEEDS_ROOT);
		report_end_group(&suite->report);
		return;
	}
	for (int i = 0; i < 3; i++) {
		struct system system = system_of(suite, words[i]);
		int error = settings_write_system(suite->caps.pmd_kb, &system);

		report_begin_group(&suite->report, "system %s: settings",
				   model_word_name(words[i]));
		check_written(suite, &system, error);
		report_end_group(&suite->report);
		run_system(suite, &system, model_word_name(words[i]));
	}
}

/* Settings where a per-size file and the top level differ, or that only shmem has. */
static const struct system special_systems[] = {
	{WORD_ALWAYS, WORD_NEVER, WORD_ALWAYS, WORD_NEVER},
	{WORD_NEVER, WORD_ALWAYS, WORD_NEVER, WORD_ALWAYS},
	{WORD_NEVER, WORD_MADVISE, WORD_NEVER, WORD_MADVISE},
	{WORD_MADVISE, WORD_ALWAYS, WORD_MADVISE, WORD_ALWAYS},
	{WORD_ALWAYS, WORD_MADVISE, WORD_ALWAYS, WORD_MADVISE},
	{WORD_ALWAYS, WORD_INHERIT, WORD_NEVER, WORD_INHERIT},
	{WORD_NEVER, WORD_INHERIT, WORD_ALWAYS, WORD_INHERIT},
	{WORD_NEVER, WORD_INHERIT, WORD_WITHIN_SIZE, WORD_INHERIT},
	{WORD_NEVER, WORD_INHERIT, WORD_NEVER, WORD_WITHIN_SIZE},
	{WORD_NEVER, WORD_INHERIT, WORD_FORCE, WORD_INHERIT},
	{WORD_ALWAYS, WORD_INHERIT, WORD_DENY, WORD_INHERIT},
};

/* Says in words what a system needs that this kernel has no file for, or returns NULL. */
static const char *missing_file(const struct suite *suite, const struct system *system)
{
	if (suite->found.enabled == WORD_ABSENT)
		return "no " SETTINGS_DIR "/enabled";
	if (suite->found.size_enabled == WORD_ABSENT && system->size_enabled != WORD_INHERIT)
		return "per-size settings came with 6.8";
	if (suite->found.shmem == WORD_ABSENT)
		return "no shmem_enabled";
	if (suite->found.size_shmem == WORD_ABSENT && system->size_shmem != WORD_INHERIT)
		return "per-size shmem settings came with 6.11";
	return NULL;
}

static void run_special(struct suite *suite, const struct system *special)
{
	static const enum kind kinds[] = {KIND_ANON, KIND_SHMEM};
	struct system system = *special;
	const char *missing = missing_file(suite, special);
	int error;

	report_begin_group(&suite->report, "settings enabled=%s/%s shmem_enabled=%s/%s",
			   model_word_name(system.enabled), model_word_name(system.size_enabled),
			   model_word_name(system.shmem), model_word_name(system.size_shmem));
	if (missing || !suite->may_write) {
		report_skip(&suite->report, "all", missing ? missing : NEEDS_ROOT);
		report_end_group(&suite->report);
		return;
	}
	if (suite->found.size_enabled == WORD_ABSENT)
		system.size_enabled = WORD_ABSENT;
	if (suite->found.size_shmem == WORD_ABSENT)
		system.size_shmem = WORD_ABSENT;
	error = settings_write_system(suite->caps.pmd_kb, &system);
	check_written(suite, &system, error);
	print_columns(suite, kinds, 2);
	for (int flag = 0; flag < FLAG_COUNT; flag++)
		run_row(suite, &system, CONTEXT_SELF, (enum flag)flag, kinds, 2);
	report_end_group(&suite->report);
}

void run_settings(struct suite *suite)
{
	report_line(&suite->report, false,
		    "\nTop level and per-size file of %ld kB (top/size); columns as above.",
		    suite->caps.pmd_kb);
	for (size_t i = 0; i < sizeof(special_systems) / sizeof(special_systems[0]); i++)
		run_special(suite, &special_systems[i]);
}
