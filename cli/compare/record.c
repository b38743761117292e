// SPDX-License-Identifier: MIT
#include "record.h"

#include "../../common/json.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const outcomes[] = {
	[OUTCOME_OK] = "ok",
	[OUTCOME_STATUS] = "status",
	[OUTCOME_SIGNAL] = "signal",
	[OUTCOME_NO_METRIC] = "no_metric",
	[OUTCOME_NO_MATCH] = "no_match",
	[OUTCOME_DIFFERS] = "differs",
	[OUTCOME_MODE] = "mode",
	[OUTCOME_PREPARE] = "prepare",
};
#define NR_OUTCOMES (sizeof(outcomes) / sizeof(outcomes[0]))

char *outcome_text(char *buf, size_t size, const struct run *run)
{
	switch (run->outcome) {
	case OUTCOME_OK:
		snprintf(buf, size, "ok");
		break;
	case OUTCOME_STATUS:
		snprintf(buf, size, "ended with status %d", run->detail);
		break;
	case OUTCOME_SIGNAL:
		snprintf(buf, size, "was killed by signal %d (%s)", run->detail,
			 strsignal(run->detail));
		break;
	case OUTCOME_NO_METRIC:
		snprintf(buf, size, "did not print the metric, a number above 0");
		break;
	case OUTCOME_NO_MATCH:
		snprintf(buf, size, "did not print what was expected");
		break;
	case OUTCOME_DIFFERS:
		snprintf(buf, size, "printed another result than the first run");
		break;
	case OUTCOME_MODE:
		snprintf(buf, size, "could not be started in its mode");
		break;
	case OUTCOME_PREPARE:
		snprintf(buf, size, "was not started: the prepare command failed with %d",
			 run->detail);
		break;
	}
	return buf;
}

json_t *record_number(double value)
{
	if (!isfinite(value))
		return json_null();
	/* Counts stay whole numbers, which every reader takes without rounding. */
	if (value == floor(value) && fabs(value) < 9e15)
		return json_integer((json_int_t)value);
	return json_real(value);
}

json_t *record_machine(const struct machine *machine)
{
	const struct thp_system *thp = &machine->thp;
	json_t *sizes = json_array();

	for (unsigned i = 0; i < thp->nr_sizes; i++)
		json_array_append_new(sizes, json_pack("{s:o, s:s}", "bytes",
						       json_bytes(thp->sizes[i].bytes), "enabled",
						       thp_setting_name(thp->sizes[i].enabled)));
	return json_pack("{s:o, s:o, s:s, s:o, s:I, s:I, s:o, s:{s:s, s:s, s:s, s:o, s:o}}", "host",
			 json_text(machine->host), "kernel", json_text(machine->kernel), "arch",
			 machine->arch, "cpu", json_text(machine->cpu), "cpus",
			 (json_int_t)machine->cpus, "nodes", (json_int_t)machine->nodes,
			 "memory_bytes", json_bytes(machine->memory), "thp", "enabled",
			 thp_setting_name(thp->enabled), "defrag", thp_setting_name(thp->defrag),
			 "shmem_enabled", thp_setting_name(thp->shmem_enabled), "pmd_bytes",
			 json_bytes(thp->pmd_bytes), "sizes", sizes);
}

json_t *record_run(const struct compare *compare, const struct run *run)
{
	json_t *value =
		json_pack("{s:o, s:s, s:I, s:I, s:o, s:s, s:i, s:i}", "program",
			  json_text(compare->programs[run->program].name), "arm",
			  compare->settings->arms[run->arm].label, "round", (json_int_t)run->round,
			  "position", (json_int_t)run->position, "start_s",
			  record_number(run->start), "outcome", outcomes[run->outcome], "detail",
			  run->detail, "samples", (int)run->samples);

	if (!value)
		return NULL;
	json_object_set_new(value, "warmup", json_boolean(run->warmup));
	json_object_set_new(value, "settings_changed", json_boolean(run->changed));
	for (enum measure m = 0; m < NR_MEASURES; m++)
		json_object_set_new(value, measures[m].key, record_number(run->values[m]));
	json_object_set_new(value, "matched", run->matched ? json_text(run->matched) : json_null());
	json_object_set_new(value, "said", run->said ? json_text(run->said) : json_null());
	return value;
}

static int find_program(const struct compare *compare, const char *name, size_t *ret_program)
{
	for (size_t i = 0; name && i < compare->nr_programs; i++) {
		if (strcmp(compare->programs[i].name, name) == 0) {
			*ret_program = i;
			return 0;
		}
	}
	return -EBADMSG;
}

static int find_arm(const struct compare *compare, const char *label, size_t *ret_arm)
{
	for (size_t i = 0; label && i < compare->settings->nr_arms; i++) {
		if (strcmp(compare->settings->arms[i].label, label) == 0) {
			*ret_arm = i;
			return 0;
		}
	}
	return -EBADMSG;
}

static int find_outcome(const char *name, enum outcome *ret_outcome)
{
	for (size_t i = 0; name && i < NR_OUTCOMES; i++) {
		if (strcmp(outcomes[i], name) == 0) {
			*ret_outcome = (enum outcome)i;
			return 0;
		}
	}
	return -EBADMSG;
}

static const char *text_of(const json_t *value, const char *key)
{
	return json_string_value(json_object_get(value, key));
}

static char *copy_of(const json_t *value, const char *key)
{
	const char *text = text_of(value, key);

	return text ? strdup(text) : NULL;
}

int record_read_run(const struct compare *compare, const json_t *value, struct run *ret_run)
{
	struct run run = {0};

	if (find_program(compare, text_of(value, "program"), &run.program) < 0 ||
	    find_arm(compare, text_of(value, "arm"), &run.arm) < 0 ||
	    find_outcome(text_of(value, "outcome"), &run.outcome) < 0 ||
	    !json_is_integer(json_object_get(value, "round")))
		return -EBADMSG;
	run.round = (size_t)json_integer_value(json_object_get(value, "round"));
	run.position = (size_t)json_integer_value(json_object_get(value, "position"));
	run.warmup = json_is_true(json_object_get(value, "warmup"));
	run.changed = json_is_true(json_object_get(value, "settings_changed"));
	run.start = json_number_value(json_object_get(value, "start_s"));
	run.detail = (int)json_integer_value(json_object_get(value, "detail"));
	run.samples = (unsigned)json_integer_value(json_object_get(value, "samples"));
	for (enum measure m = 0; m < NR_MEASURES; m++) {
		const json_t *number = json_object_get(value, measures[m].key);

		run.values[m] = json_is_number(number) ? json_number_value(number) : NAN;
	}
	run.matched = copy_of(value, "matched");
	run.said = copy_of(value, "said");
	*ret_run = run;
	return 0;
}

void run_free(struct run *run)
{
	free(run->matched);
	free(run->said);
}
