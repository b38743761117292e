/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"
#include "measure.h"
#include "memory.h"
#include "settings.h"
#include "suite.h"

/* Hints only: MADV_COLLAPSE makes PMD pages and nothing smaller. */
static const enum advice hints[] = {ADVICE_NONE, ADVICE_NOHUGE, ADVICE_HUGE};
#define HINT_COUNT (sizeof(hints) / sizeof(hints[0]))

struct touch_request {
	const struct place *place;
	enum flag flag;
	enum advice advice;
	long size_kb;
};

/*
 * smaps counts nothing below PMD size. But one touch of an mTHP makes all its pages present, and
 * pagemap shows that to everyone.
 */
static void touch_one_byte(const void *argument, int answer_fd)
{
	const struct touch_request *request = argument;
	struct block block;
	long present_kb;

	kernel_thp_set(request->flag != FLAG_CLEAR,
		       request->flag == FLAG_MADVISE ? EXCEPT_ADVISED : 0);
	if (memory_map(KIND_ANON, (size_t)request->place->pmd_kb * 1024, request->place->file_dir,
		       &block) < 0)
		_exit(1);
	memory_advise(&block, request->advice);
	*(volatile char *)(block.start + request->size_kb * 1024) = 1;
	present_kb = measure_present_kb(block.start, block.length);
	child_answer(answer_fd, &present_kb, sizeof(present_kb));
}

static long present_after_touch(const struct touch_request *request, long want_kb)
{
	long present_kb = -1;

	/* A moment without a free folio of this order falls back to a small page: try again. */
	for (int attempt = 0; attempt < 3 && present_kb != want_kb; attempt++)
		if (child_run(touch_one_byte, request, &present_kb, sizeof(present_kb)) < 0)
			present_kb = -1;
	return present_kb;
}

/* Pages of this size that were ever given out at a fault; not before 6.10. */
static long read_fault_count(long size_kb)
{
	char name[96];

	snprintf(name, sizeof(name), "hugepages-%ldkB/stats/anon_fault_alloc", size_kb);
	return settings_read_number(name);
}

/* One size under one setting: all flags and hints, and the kernel's own count of them. */
static void run_size(struct suite *suite, long size_kb, enum word top, enum word size)
{
	long page_kb = sysconf(_SC_PAGESIZE) / 1024, allowed = 0;
	long count_before = read_fault_count(size_kb);
	char row[160] = "";
	size_t used = 0;

	for (int flag = 0; flag < FLAG_COUNT; flag++) {
		used += (size_t)snprintf(row + used, sizeof(row) - used, "  %s",
					 model_flag_name((enum flag)flag));
		for (size_t h = 0; h < HINT_COUNT; h++) {
			enum flag in_force = model_flag_in_force(&suite->caps, (enum flag)flag);
			bool huge = model_anon_allowed(top, size, in_force, hints[h]);
			long want = huge ? size_kb : page_kb;
			struct touch_request request = {&suite->place, (enum flag)flag, hints[h],
							size_kb};
			long got = present_after_touch(&request, want);
			struct record *record = report_new_record(
				&suite->report, "%ld kB=%s, enabled=%s, flag %s, advice %s",
				size_kb, model_word_name(size), model_word_name(top),
				model_flag_name((enum flag)flag), model_advice_name(hints[h]));

			record->rule = "transhuge.rst: the flag and the advice gate every order";
			record_field(record, "present_kB", want, got);
			record_judge(&suite->report, record);
			allowed += huge;
			used += (size_t)snprintf(row + used, sizeof(row) - used, " %4ld", got);
		}
	}
	if (count_before >= 0) {
		struct record *record =
			report_new_record(&suite->report, "%ld kB=%s, enabled=%s, anon_fault_alloc",
					  size_kb, model_word_name(size), model_word_name(top));

		/* Others on the machine may get such pages too: at least ours. */
		record->rule = "stats/anon_fault_alloc counts them";
		record_field(record, "counted", 1,
			     read_fault_count(size_kb) - count_before >= allowed);
		record_judge(&suite->report, record);
	}
	report_line(&suite->report, false, "  %5ld kB=%-7s enabled=%-7s%s", size_kb,
		    model_word_name(size), model_word_name(top), row);
}

static int write_size(long size_kb, enum word word)
{
	char name[96];

	snprintf(name, sizeof(name), "hugepages-%ldkB/enabled", size_kb);
	return settings_write(name, model_word_name(word));
}

static void set_and_run_size(struct suite *suite, long size_kb, enum word top, enum word size)
{
	/* No PMD pages meanwhile: they would win. */
	struct system system = {top, WORD_NEVER, suite->found.shmem, suite->found.size_shmem};
	int error = settings_write_system(suite->caps.pmd_kb, &system);

	if (error == 0)
		error = write_size(size_kb, size);
	if (error < 0)
		report_check(&suite->report, "the settings can be written", 0, error,
			     "transhuge.rst");
	else
		run_size(suite, size_kb, top, size);
	write_size(size_kb, WORD_NEVER);
}

void run_sizes(struct suite *suite)
{
	static const enum word pairs[][2] = {
		{WORD_MADVISE, WORD_INHERIT}, {WORD_ALWAYS, WORD_INHERIT},
		{WORD_NEVER, WORD_INHERIT},   {WORD_NEVER, WORD_MADVISE},
		{WORD_ALWAYS, WORD_NEVER},
	};
	long sizes[32], settings_kb = 0;
	int count = settings_anon_sizes(sizes, 32);
	const char *missing = !suite->caps.thp                      ? "no THP in this kernel"
			      : suite->found.enabled == WORD_ABSENT ? "no " SETTINGS_DIR "/enabled"
			      : count == 0        ? "sizes below PMD came with 6.8"
			      : !suite->may_write ? NEEDS_ROOT
						  : NULL;

	report_begin_group(&suite->report, "sizes: kB present after one touch (advice none, "
					   "nohuge, huge)");
	if (missing) {
		report_skip(&suite->report, "all", missing);
		report_end_group(&suite->report);
		return;
	}
	for (int i = 0; i < count; i++) {
		if (sizes[i] >= suite->caps.pmd_kb)
			continue;
		set_and_run_size(suite, sizes[i], WORD_NEVER, WORD_ALWAYS);
		/* 64 kB where there is one; else the largest. */
		if (settings_kb != 64)
			settings_kb = sizes[i];
	}
	report_end_group(&suite->report);

	report_begin_group(&suite->report, "sizes: every setting of one of them");
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		set_and_run_size(suite, settings_kb, pairs[i][0], pairs[i][1]);
	report_end_group(&suite->report);
}
