/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "kernel.h"
#include "suite.h"

#define MAN_SET "PR_SET_THP_DISABLE(2const)"
#define MAN_GET "PR_GET_THP_DISABLE(2const)"

/* A refused call must also leave what is set: `get` is what GET returned after it. */
struct refusal {
	const char *name;
	int operation;
	unsigned long arg2, arg3, arg4, arg5;
};

struct answer {
	long returned, get;
};

static const struct refusal refusals[] = {
	{"SET: unused arg4 non-zero", SET_THP_DISABLE, 1, 0, 1, 0},
	{"SET: unused arg5 non-zero", SET_THP_DISABLE, 1, 0, 0, 1},
	{"SET: unused arg4 non-zero while clearing", SET_THP_DISABLE, 0, 0, 1, 0},
	{"SET: unused arg5 non-zero while clearing", SET_THP_DISABLE, 0, 0, 0, 1},
	{"SET: EXCEPT_ADVISED and arg4", SET_THP_DISABLE, 1, EXCEPT_ADVISED, 1, 0},
	{"SET: EXCEPT_ADVISED and arg5", SET_THP_DISABLE, 1, EXCEPT_ADVISED, 0, 1},
	{"SET: EXCEPT_ADVISED while clearing", SET_THP_DISABLE, 0, EXCEPT_ADVISED, 0, 0},
	{"SET: unknown flag 1", SET_THP_DISABLE, 1, 1, 0, 0},
	{"SET: unknown flag 4", SET_THP_DISABLE, 1, 4, 0, 0},
	{"SET: unknown flag 1 beside EXCEPT_ADVISED", SET_THP_DISABLE, 1, EXCEPT_ADVISED | 1, 0, 0},
	{"SET: all flags", SET_THP_DISABLE, 1, ~0UL, 0, 0},
	{"SET: unknown flag while clearing", SET_THP_DISABLE, 0, 4, 0, 0},
	{"GET: unused arg2 non-zero", GET_THP_DISABLE, 1, 0, 0, 0},
	{"GET: unused arg3 non-zero", GET_THP_DISABLE, 0, 1, 0, 0},
	{"GET: unused arg4 non-zero", GET_THP_DISABLE, 0, 0, 1, 0},
	{"GET: unused arg5 non-zero", GET_THP_DISABLE, 0, 0, 0, 1},
};

struct refusal_request {
	const struct refusal *refusal;
	unsigned long disable; /* the state that must survive: 0 or 1 */
};

static void try_refusal(const void *argument, int answer_fd)
{
	const struct refusal_request *request = argument;
	const struct refusal *refusal = request->refusal;
	struct answer answer;

	kernel_thp_set(request->disable, 0);
	answer.returned = kernel_prctl(refusal->operation, refusal->arg2, refusal->arg3,
				       refusal->arg4, refusal->arg5);
	answer.get = kernel_thp_get();
	child_answer(answer_fd, &answer, sizeof(answer));
}

static void check_refusal(struct suite *suite, const struct refusal *refusal)
{
	for (unsigned long disable = 0; disable < 2; disable++) {
		struct refusal_request request = {refusal, disable};
		struct answer answer = {0, 0};
		struct record *record = report_new_record(&suite->report, "%s (flag %s)",
							  refusal->name, disable ? "set" : "clear");
		int error = child_run(try_refusal, &request, &answer, sizeof(answer));

		record->rule = refusal->operation == SET_THP_DISABLE ? MAN_SET : MAN_GET;
		record_field(record, "answer", 0, error);
		record_field(record, "returned", -EINVAL, answer.returned);
		record_field(record, "get", (long)disable, answer.get);
		record_judge(&suite->report, record);
	}
}

/* From each state to each: the later call wins, and setting twice is setting once. */
struct transition {
	enum flag from, to;
};

static void try_transition(const void *argument, int answer_fd)
{
	const struct transition *transition = argument;
	struct answer answer;

	kernel_thp_set(transition->from != FLAG_CLEAR,
		       transition->from == FLAG_MADVISE ? EXCEPT_ADVISED : 0);
	answer.returned = kernel_thp_set(transition->to != FLAG_CLEAR,
					 transition->to == FLAG_MADVISE ? EXCEPT_ADVISED : 0);
	answer.get = kernel_thp_get();
	child_answer(answer_fd, &answer, sizeof(answer));
}

static void check_transition(struct suite *suite, enum flag from, enum flag to)
{
	struct transition transition = {from, to};
	struct answer answer = {0, 0};
	long set = model_set(&suite->caps, to);
	enum flag before = model_flag_in_force(&suite->caps, from);
	struct record *record = report_new_record(&suite->report, "from %s to %s",
						  model_flag_name(from), model_flag_name(to));

	record->rule = MAN_SET;
	record_field(record, "answer", 0,
		     child_run(try_transition, &transition, &answer, sizeof(answer)));
	record_field(record, "returned", set, answer.returned);
	record_field(record, "get", model_get(set == 0 ? to : before), answer.get);
	record_judge(&suite->report, record);
}

/* Any non-zero second argument disables: it is a truth value, not a number. */
static void try_large_value(const void *argument, int answer_fd)
{
	struct answer answer;

	answer.returned = kernel_thp_set(*(const unsigned long *)argument, 0);
	answer.get = kernel_thp_get();
	child_answer(answer_fd, &answer, sizeof(answer));
}

static void check_large_value(struct suite *suite, unsigned long value)
{
	struct answer answer = {0, 0};
	struct record *record =
		report_new_record(&suite->report, "SET: %#lx disables as 1 does", value);

	record->rule = "kernel/sys.c since 3.15: a truth value";
	record_field(record, "answer", 0,
		     child_run(try_large_value, &value, &answer, sizeof(answer)));
	record_field(record, "returned", 0, answer.returned);
	record_field(record, "get", 1, answer.get);
	record_judge(&suite->report, record);
}

void run_arguments(struct suite *suite)
{
	report_begin_group(&suite->report, "arguments: bad ones give EINVAL and change nothing");
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		check_refusal(suite, &refusals[i]);
	report_end_group(&suite->report);

	report_begin_group(&suite->report, "arguments: from every state to every state");
	for (int from = 0; from < FLAG_COUNT; from++)
		for (int to = 0; to < FLAG_COUNT; to++)
			check_transition(suite, (enum flag)from, (enum flag)to);
	check_large_value(suite, 2);
	check_large_value(suite, 1UL << 32);
	report_end_group(&suite->report);
}
