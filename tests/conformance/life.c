/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.h"
#include "kernel.h"
#include "measure.h"
#include "memory.h"
#include "settings.h"
#include "suite.h"

#define NOBODY 65534

/* Huge kB of a fresh anonymous block, touched under whatever flag is set now. */
static long fresh_huge_kb(const struct place *place, enum advice advice, struct block *ret_block)
{
	int error = memory_map(KIND_ANON, (size_t)place->pmd_kb * 1024, place->file_dir, ret_block);

	if (error < 0)
		return error;
	memory_advise(ret_block, advice);
	memory_touch(ret_block);
	return measure_huge_kb(ret_block);
}

/* One process from clear to never to (madvise and) clear again, under system "always". */
struct course {
	long before;             /* touched while clear */
	long before_once_set;    /* the same page after the flag was set */
	long while_set;          /* touched under the complete flag */
	long advised_set_before; /* advised before the flag was set, touched after */
	long madvise_unadvised, madvise_advised;
	long cleared;
	long set_before_cleared; /* the small pages from under the flag, after it was cleared */
};

static void run_course(const void *argument, int answer_fd)
{
	const struct place *place = argument;
	struct course course;
	struct block first, advised, second, scratch;

	course.before = fresh_huge_kb(place, ADVICE_NONE, &first);
	memory_map(KIND_ANON, (size_t)place->pmd_kb * 1024, place->file_dir, &advised);
	memory_advise(&advised, ADVICE_HUGE);
	kernel_thp_set(1, 0);
	memory_touch(&first);
	course.before_once_set = measure_huge_kb(&first);
	course.while_set = fresh_huge_kb(place, ADVICE_NONE, &second);
	memory_touch(&advised);
	course.advised_set_before = measure_huge_kb(&advised);
	kernel_thp_set(1, EXCEPT_ADVISED);
	course.madvise_unadvised = fresh_huge_kb(place, ADVICE_NONE, &scratch);
	course.madvise_advised = fresh_huge_kb(place, ADVICE_HUGE, &scratch);
	kernel_thp_set(0, 0);
	course.cleared = fresh_huge_kb(place, ADVICE_NONE, &scratch);
	memory_touch(&second);
	course.set_before_cleared = measure_huge_kb(&second);
	child_answer(answer_fd, &course, sizeof(course));
}

static void check_course(struct suite *suite)
{
	static const struct system always = {WORD_ALWAYS, WORD_INHERIT, WORD_NEVER, WORD_INHERIT};
	struct report *report = &suite->report;
	struct system system = always;
	/* Under never, which stays in force where EXCEPT_ADVISED is refused, nothing is huge. */
	long advised = suite->caps.except_advised ? suite->caps.pmd_kb : 0;
	long huge = suite->caps.pmd_kb;
	struct course course;
	int error;

	report_begin_group(report, "life: setting splits nothing, clearing restores");
	if (!suite->caps.thp || !suite->may_write) {
		report_skip(report, "all", suite->caps.thp ? NEEDS_ROOT : "no THP in this kernel");
		report_end_group(report);
		return;
	}
	if (suite->found.size_enabled == WORD_ABSENT)
		system.size_enabled = WORD_ABSENT;
	if (suite->found.shmem == WORD_ABSENT)
		system.shmem = WORD_ABSENT;
	if (suite->found.size_shmem == WORD_ABSENT)
		system.size_shmem = WORD_ABSENT;
	report_check(report, "system always", 0, settings_write_system(suite->caps.pmd_kb, &system),
		     "transhuge.rst");
	error = child_run(run_course, &suite->place, &course, sizeof(course));
	report_check(report, "the process answers", 0, error, "it must not crash");
	if (error == 0) {
		report_check(report, "huge kB while clear", huge, course.before, "enabled=always");
		report_check(report, "the same page after the flag was set", huge,
			     course.before_once_set,
			     "the flag is asked at fault and collapse only");
		report_check(report, "huge kB touched under never", 0, course.while_set,
			     "1860033237d4 (4.13)");
		report_check(report, "advised before never was set, touched after", 0,
			     course.advised_set_before, "1860033237d4 (4.13)");
		report_check(report, "from never to madvise, unadvised", 0,
			     course.madvise_unadvised, "9dc21bbd62ed (6.18)");
		report_check(report, "from never to madvise, advised", advised,
			     course.madvise_advised, "9dc21bbd62ed (6.18)");
		report_check(report, "huge kB touched after clearing", huge, course.cleared,
			     "PR_SET_THP_DISABLE(2const)");
		report_check(report, "small pages from under the flag stay small", 0,
			     course.set_before_cleared, "only khugepaged would collapse them");
	}
	report_end_group(report);
}

/* SET and GET without any privilege: 0, 1, 0, 3 (or EINVAL), 0, 0. */
struct unprivileged {
	long set_never, get_never, set_madvise, get_madvise, clear, get_clear, huge_kb;
};

static void run_unprivileged(const void *argument, int answer_fd)
{
	const struct place *place = argument;
	struct unprivileged answer;
	struct block block;

	if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
			       setresuid(NOBODY, NOBODY, NOBODY) < 0))
		_exit(1);
	answer.set_never = kernel_thp_set(1, 0);
	answer.get_never = kernel_thp_get();
	answer.huge_kb = fresh_huge_kb(place, ADVICE_HUGE, &block);
	answer.set_madvise = kernel_thp_set(1, EXCEPT_ADVISED);
	answer.get_madvise = kernel_thp_get();
	answer.clear = kernel_thp_set(0, 0);
	answer.get_clear = kernel_thp_get();
	child_answer(answer_fd, &answer, sizeof(answer));
}

static void check_unprivileged(struct suite *suite)
{
	struct report *report = &suite->report;
	struct unprivileged seen;
	const char *rule = "PR_SET_THP_DISABLE(2const): no privilege needed";
	long set_madvise = model_set(&suite->caps, FLAG_MADVISE);
	int error = child_run(run_unprivileged, &suite->place, &seen, sizeof(seen));

	report_begin_group(report, "life: an unprivileged user sets and clears");
	report_check(report, "the process answers", 0, error, "setuid to 65534 must work");
	if (error == 0) {
		report_check(report, "SET never", 0, seen.set_never, rule);
		report_check(report, "GET after never", 1, seen.get_never, rule);
		report_check(report, "huge kB of advised memory under never", 0, seen.huge_kb,
			     rule);
		report_check(report, "SET madvise", set_madvise, seen.set_madvise, rule);
		report_check(report, "GET after madvise", set_madvise == 0 ? 3 : 1,
			     seen.get_madvise, rule);
		report_check(report, "clear", 0, seen.clear, rule);
		report_check(report, "GET after clearing", 0, seen.get_clear, rule);
	}
	report_end_group(report);
}

/* What a forked child does to its own memory's flag is not the parent's business. */
struct isolation {
	long parent_after_child_cleared, child_inherited, child_cleared;
	long parent_after_child_set;
};

static long get_after_child(unsigned long disable, long *ret_child_before, long *ret_child_after)
{
	int ends[2];
	long seen[2] = {-ECHILD, -ECHILD};
	pid_t child;

	if (pipe(ends) < 0)
		return -errno;
	child = fork();
	if (child == 0) {
		guard_child();
		seen[0] = kernel_thp_get();
		kernel_thp_set(disable, 0);
		seen[1] = kernel_thp_get();
		child_answer(ends[1], seen, sizeof(seen));
		_exit(0);
	}
	close(ends[1]);
	if (read(ends[0], seen, sizeof(seen)) != sizeof(seen))
		seen[0] = -ECHILD;
	close(ends[0]);
	waitpid(child, NULL, 0);
	*ret_child_before = seen[0];
	*ret_child_after = seen[1];
	return kernel_thp_get();
}

static void run_isolation(const void *argument, int answer_fd)
{
	struct isolation answer;
	long before, after;

	(void)argument;
	answer.parent_after_child_set = get_after_child(1, &before, &after);
	kernel_thp_set(1, 0);
	answer.parent_after_child_cleared =
		get_after_child(0, &answer.child_inherited, &answer.child_cleared);
	child_answer(answer_fd, &answer, sizeof(answer));
}

static void check_isolation(struct suite *suite)
{
	struct report *report = &suite->report;
	const char *rule = "the flag belongs to the mm, and fork copies it";
	struct isolation seen;
	int error = child_run(run_isolation, NULL, &seen, sizeof(seen));

	report_begin_group(report, "life: a forked child's flag is its own");
	report_check(report, "the process answers", 0, error, "it must not crash");
	if (error == 0) {
		report_check(report, "GET in the parent after the child set it", 0,
			     seen.parent_after_child_set, rule);
		report_check(report, "GET in a child of a flagged parent", 1, seen.child_inherited,
			     rule);
		report_check(report, "GET in the child after it cleared", 0, seen.child_cleared,
			     rule);
		report_check(report, "GET in the parent after the child cleared", 1,
			     seen.parent_after_child_cleared, rule);
	}
	report_end_group(report);
}

void run_life(struct suite *suite)
{
	check_isolation(suite);
	check_unprivileged(suite);
	check_course(suite);
}
