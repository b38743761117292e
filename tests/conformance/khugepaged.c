/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guard.h"
#include "kernel.h"
#include "measure.h"
#include "memory.h"
#include "settings.h"
#include "suite.h"

/*
 * khugepaged collapses small pages of processes it knows. Each actor gets known while the flag is
 * clear, fills a block with small pages while the system says never, sets its flag, and then the
 * system says always. Those that may be collapsed tell when khugepaged has been round; the others
 * must still be small then.
 */
struct actor {
	enum flag flag;
	enum advice advice;
	bool cleared; /* set the flag and clear it again */
	pid_t pid;
	int socket;
	long huge_kb;
};

/* The parent's orders; each is answered with a long: huge kB, or -errno. */
enum order { ORDER_BECOME_KNOWN, ORDER_FILL_AND_FLAG, ORDER_MEASURE };

#define SCANS_TO_SEE 2   /* the first may have begun before the stage was set */
#define WAIT_SECONDS 120 /* khugepaged is nice: a busy machine makes it slow */

static long become_known(const struct place *place)
{
	struct block block;
	int error = memory_map(KIND_ANON, (size_t)place->pmd_kb * 1024, place->file_dir, &block);

	/* A huge page fault puts the process on khugepaged's list, where it stays. */
	if (error == 0)
		memory_touch(&block);
	return error;
}

static long fill_and_flag(const struct actor *actor, const struct place *place,
			  struct block *ret_block)
{
	int error = memory_map(KIND_ANON, (size_t)place->pmd_kb * 1024, place->file_dir, ret_block);
	long huge_kb;

	if (error < 0)
		return error;
	memory_advise(ret_block, actor->advice);
	memory_touch_all(ret_block);
	huge_kb = measure_huge_kb(ret_block);
	kernel_thp_set(actor->flag != FLAG_CLEAR, actor->flag == FLAG_MADVISE ? EXCEPT_ADVISED : 0);
	if (actor->cleared)
		kernel_thp_set(0, 0);
	return huge_kb;
}

static _Noreturn void act(const struct actor *actor, const struct place *place)
{
	struct block block = {0};
	enum order order;

	while (read(actor->socket, &order, sizeof(order)) == sizeof(order)) {
		long answer = -EINVAL;

		if (order == ORDER_BECOME_KNOWN)
			answer = become_known(place);
		else if (order == ORDER_FILL_AND_FLAG)
			answer = fill_and_flag(actor, place, &block);
		else if (order == ORDER_MEASURE && block.start) {
			/* khugepaged passes over what nobody uses. */
			memory_touch(&block);
			answer = measure_huge_kb(&block);
		}
		child_answer(actor->socket, &answer, sizeof(answer));
	}
	_exit(0);
}

static int start_actor(struct actor *actor, const struct place *place)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	actor->pid = fork();
	if (actor->pid < 0)
		return -errno;
	if (actor->pid == 0) {
		guard_child();
		close(ends[0]);
		actor->socket = ends[1];
		act(actor, place);
	}
	close(ends[1]);
	actor->socket = ends[0];
	return 0;
}

static void stop_actor(const struct actor *actor)
{
	if (actor->pid <= 0)
		return;
	kill(actor->pid, SIGKILL);
	waitpid(actor->pid, NULL, 0);
	close(actor->socket);
}

static long ask(const struct actor *actor, enum order order)
{
	long answer;

	if (send(actor->socket, &order, sizeof(order), MSG_NOSIGNAL) != sizeof(order) ||
	    read(actor->socket, &answer, sizeof(answer)) != sizeof(answer))
		return -ECHILD;
	return answer;
}

static bool may_collapse(const struct suite *suite, const struct actor *actor)
{
	enum flag in_force =
		actor->cleared ? FLAG_CLEAR : model_flag_in_force(&suite->caps, actor->flag);

	return model_anon_allowed(WORD_ALWAYS, WORD_INHERIT, in_force, actor->advice);
}

static int set_system(const struct suite *suite, enum word word)
{
	return settings_write("enabled", model_word_name(word))
		       ?: suite->found.size_enabled == WORD_ABSENT
			  ? 0
			  : settings_write_system(suite->caps.pmd_kb,
						  &(struct system){word, WORD_INHERIT,
								   suite->found.shmem,
								   suite->found.size_shmem});
}

static int hurry_khugepaged(void)
{
	static const struct {
		const char *name;
		long value;
	} hurry[] = {
		{"khugepaged/scan_sleep_millisecs", 10},
		{"khugepaged/alloc_sleep_millisecs", 10},
		{"khugepaged/pages_to_scan", 65536},
		{"khugepaged/max_ptes_none", 511},
	};
	int error = 0;

	for (size_t i = 0; error == 0 && i < sizeof(hurry) / sizeof(hurry[0]); i++)
		error = settings_write_number(hurry[i].name, hurry[i].value);
	return error;
}

/* Returns how many full scans khugepaged made while we waited. */
static long wait_for_khugepaged(const struct suite *suite, struct actor *actors, int count)
{
	long first_scan = settings_read_number("khugepaged/full_scans"), scans = 0;
	time_t deadline = time(NULL) + WAIT_SECONDS;
	bool pending = true;

	while ((pending || scans < SCANS_TO_SEE) && time(NULL) < deadline) {
		usleep(20000);
		pending = false;
		for (int i = 0; i < count; i++) {
			actors[i].huge_kb = ask(&actors[i], ORDER_MEASURE);
			if (may_collapse(suite, &actors[i]) && actors[i].huge_kb == 0)
				pending = true;
		}
		scans = settings_read_number("khugepaged/full_scans") - first_scan;
	}
	return scans;
}

static int prepare(const struct suite *suite, struct actor *actors, int count)
{
	int error = set_system(suite, WORD_ALWAYS);

	for (int i = 0; error == 0 && i < count; i++)
		error = start_actor(&actors[i], &suite->place);
	for (int i = 0; error == 0 && i < count; i++)
		error = (int)ask(&actors[i], ORDER_BECOME_KNOWN);
	if (error == 0)
		error = set_system(suite, WORD_NEVER);
	for (int i = 0; error == 0 && i < count; i++)
		error = (int)ask(&actors[i], ORDER_FILL_AND_FLAG);
	if (error == 0)
		error = hurry_khugepaged();
	if (error == 0)
		error = set_system(suite, WORD_ALWAYS);
	return error;
}

static void judge_actor(struct suite *suite, const struct actor *actor, long scans)
{
	bool may = may_collapse(suite, actor);
	struct record *record = report_new_record(
		&suite->report, "flag %s%s, advice %s", model_flag_name(actor->flag),
		actor->cleared ? " and cleared" : "", model_advice_name(actor->advice));

	record->rule = "khugepaged asks flag and advice as a fault does (4.13; 6.18 9dc21bbd62ed)";
	record_field(record, "huge_kB", may ? suite->caps.pmd_kb : 0, actor->huge_kb);
	/* Staying small proves something only if khugepaged came by. */
	if (scans < SCANS_TO_SEE && actor->huge_kb == 0) {
		record->verdict = VERDICT_OPEN;
		snprintf(record->reason, sizeof(record->reason),
			 "khugepaged made %ld of %d full scans in %d s", scans, SCANS_TO_SEE,
			 WAIT_SECONDS);
	}
	record_judge(&suite->report, record);
	report_line(&suite->report, false,
		    "  flag %-7s %-11s advice %-6s: %ld kB huge after %ld full scans",
		    model_flag_name(actor->flag), actor->cleared ? "and cleared" : "",
		    model_advice_name(actor->advice), actor->huge_kb, scans);
}

void run_khugepaged(struct suite *suite)
{
	struct actor actors[] = {
		{FLAG_CLEAR, ADVICE_NONE, .huge_kb = 0},
		{FLAG_CLEAR, ADVICE_HUGE, .huge_kb = 0},
		{FLAG_CLEAR, ADVICE_NOHUGE, .huge_kb = 0},
		{FLAG_NEVER, ADVICE_NONE, .huge_kb = 0},
		{FLAG_NEVER, ADVICE_HUGE, .huge_kb = 0},
		{FLAG_MADVISE, ADVICE_NONE, .huge_kb = 0},
		{FLAG_MADVISE, ADVICE_HUGE, .huge_kb = 0},
		{FLAG_NEVER, ADVICE_NONE, .cleared = true},
	};
	const int count = sizeof(actors) / sizeof(actors[0]);
	const char *missing = !suite->caps.thp    ? "no THP in this kernel"
			      : !suite->may_write ? NEEDS_ROOT
						  : NULL;
	long scans;
	int error;

	report_begin_group(&suite->report, "khugepaged honours flag and advice");
	if (missing) {
		report_skip(&suite->report, "all", missing);
		report_end_group(&suite->report);
		return;
	}
	error = prepare(suite, actors, count);
	report_check(&suite->report, "the stage can be set", 0, error,
		     "small pages under never, then always");
	if (error == 0) {
		scans = wait_for_khugepaged(suite, actors, count);
		for (int i = 0; i < count; i++)
			judge_actor(suite, &actors[i], scans);
	}
	for (int i = 0; i < count; i++)
		stop_actor(&actors[i]);
	report_end_group(&suite->report);
}
