// SPDX-License-Identifier: MIT
/* thpctl rules test: which rule a process is under. */
#include "cli.h"
#include "output.h"
#include "rules.h"

#include "../common/escape.h"
#include "../common/json.h"
#include "../common/number.h"
#include "../common/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SCHEMA 1

/* Processes whose numbers are given anew while we read could be each other's parents. */
#define DEPTH_MAX 64

/* ---- parents -----------------------------------------------------------------------------------
 */

struct parents {
	const struct rules *rules;
	const char *root;
	unsigned depth;
	int rule; /* that was found last; below RULES_NONE: cannot be told */
};

static const char *parent_rule(void *arg, pid_t pid);

/* The rule that a process is under, also by what it was forked or executed from. */
static int rule_of(struct parents *parents, pid_t pid)
{
	const struct rules *rules = parents->rules;
	struct subject *subject;
	int rule;

	if (pid <= 0 || parents->depth == DEPTH_MAX)
		return RULES_NONE;
	subject = calloc(1, sizeof(*subject));
	if (!subject)
		return RULES_NONE - 1;
	parents->depth++;
	subject->root = parents->root;
	subject->rule_of = parent_rule;
	subject->arg = parents;
	subject_start(subject, pid);
	rule = rules_decide(rules, subject);
	if (rule < RULES_NONE && subject->err == -ESRCH)
		rule = RULES_NONE;
	if ((rule == RULES_NONE || (rule >= 0 && rules->rules[rule].leave)) &&
	    subject_know(subject, SUBJECT_USER) == 0) {
		rule = rule_of(parents, subject->ppid);
		if (rule >= 0 && !rules->rules[rule].inherit)
			rule = RULES_NONE;
	}
	parents->depth--;
	free(subject);
	return rule;
}

static const char *parent_rule(void *arg, pid_t pid)
{
	struct parents *parents = arg;
	int rule = rule_of(parents, pid);

	if (rule < RULES_NONE)
		return NULL;
	return rule == RULES_NONE ? "" : parents->rules->rules[rule].name;
}

/* ---- one process -------------------------------------------------------------------------------
 */

static void find_inherited(const struct rules *rules, struct rules_case *test)
{
	struct parents parents = {.rules = rules, .root = test->root};

	test->inherited = RULES_NONE;
	if (test->only_thought || test->winner != RULES_NONE ||
	    subject_know(&test->subject, SUBJECT_USER) < 0)
		return;
	test->parent = test->subject.ppid;
	test->inherited = rule_of(&parents, test->parent);
	if (test->inherited >= 0 && !rules->rules[test->inherited].inherit)
		test->inherited = RULES_NONE;
}

/* What all rules say. The first that matches wins, if no earlier one might. */
static void try_rules(const struct rules *rules, struct rules_case *test)
{
	struct parents parents = {.rules = rules, .root = test->root};

	test->subject.rule_of = parent_rule;
	test->subject.arg = &parents;
	test->winner = RULES_NONE;
	for (size_t i = 0; i < rules->nr; i++) {
		test->results[i] = rules_match(&rules->rules[i], &test->subject, &test->keys[i]);
		if (test->winner == RULES_NONE && test->results[i] != 0)
			test->winner = test->results[i] > 0 ? (int)i : RULES_NONE - 1;
	}
	find_inherited(rules, test);
}

/* Whether it is there, and runs a program. Says so if not. */
static bool is_there(const struct rules_case *test, struct subject *subject)
{
	char path[PATH_MAX];
	struct stat st;

	if (subject_know(subject, SUBJECT_EXE) != -ESRCH)
		return true;
	snprintf(path, sizeof(path), "%s/proc/%d", test->root ? test->root : "", (int)subject->pid);
	if (stat(path, &st) < 0)
		say("rules: PID %d: %s", (int)subject->pid, strerror(ESRCH));
	else
		say("rules: PID %d: runs no program: a kernel thread, or it has ended; no rule is "
		    "for it",
		    (int)subject->pid);
	return false;
}

static int test_one(const struct rules_request *request, const struct rules *rules,
		    struct rules_case *test, json_t *array)
{
	if (!test->only_thought && !is_there(test, &test->subject))
		return CLI_FAILURE;
	try_rules(rules, test);
	if (request->json)
		json_array_append_new(array, rules_test_json(rules, test));
	else
		rules_test_text(rules, test);
	return test->winner < RULES_NONE ? CLI_FAILURE : CLI_OK;
}

static int test_all(const struct rules_request *request, const struct rules *rules,
		    struct rules_case *test, json_t *array)
{
	int status = CLI_OK, one;

	test->root = test->subject.root = request->sysroot;
	if (request->nr_pids == 0) {
		test->only_thought = true;
		one = rules_imagine(request, &test->subject);
		return one ? one : test_one(request, rules, test, array);
	}
	for (int i = 0; i < request->nr_pids; i++) {
		char shown[CLI_SHOWN_MAX];
		pid_t pid;

		if (number_pid(request->pids[i], &pid) < 0) {
			say("rules: '%s' is not a process id: a whole number from 1",
			    escape_text(shown, sizeof(shown), request->pids[i]));
			return CLI_USAGE;
		}
		subject_start(&test->subject, pid);
		one = test_one(request, rules, test, array);
		status = one ? one : status;
	}
	return status;
}

static int print_json(const struct rules *rules, json_t *array)
{
	json_t *value = json_object();

	json_object_set_new(value, "schema", json_integer(SCHEMA));
	json_object_set_new(value, "default",
			    rules->others == THP_MODE_UNKNOWN
				    ? json_null()
				    : json_string(thp_mode_name(rules->others)));
	json_object_set_new(value, "processes", array);
	return json_print(value);
}

int rules_test(const struct rules_request *request)
{
	struct rules_case *test = calloc(1, sizeof(*test));
	json_t *array = json_array();
	struct rules *rules = NULL;
	int status = CLI_FAILURE;

	if (!test || !array) {
		say("rules: %s", strerror(ENOMEM));
	} else if (rules_read(request, &rules) == 0) {
		test->results = calloc(rules->nr + 1, sizeof(*test->results));
		test->keys = calloc(rules->nr + 1, sizeof(*test->keys));
		if (test->results && test->keys)
			status = test_all(request, rules, test, array);
		else
			say("rules: %s", strerror(ENOMEM));
		if (request->json && status != CLI_USAGE)
			print_json(rules, json_incref(array));
		status = output_end("rules", status);
	}
	if (test) {
		free(test->results);
		free(test->keys);
	}
	free(test);
	json_decref(array);
	rules_free(rules);
	return status;
}
