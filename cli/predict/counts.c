// SPDX-License-Identifier: MIT
/* The lab's counts: one JSON file. */
#include "counts.h"

#include "../../common/escape.h"
#include "../../common/say.h"
#include "../cli.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT  "thpctl-counts"
#define VERSION 1

/* Where in the file something was wrong. */
struct place {
	const char *path, *program, *mode;
};

static int wrong(const struct place *place, const char *key, const char *what)
{
	say("predict: %s: program '%s', %s: '%s' %s", place->path, place->program, place->mode, key,
	    what);
	return -EINVAL;
}

static bool is_count(const json_t *value)
{
	return json_is_number(value) && json_number_value(value) >= 0;
}

/* A count; *ret_known tells whether it is there, NULL: it must be. */
static int take_count(const struct place *place, const json_t *object, const char *key,
		      struct range *ret_count, bool *ret_known)
{
	const json_t *value = json_object_get(object, key);
	double count = json_number_value(value);

	if (!value && !ret_known)
		return wrong(place, key, "is missing");
	if (value && !is_count(value))
		return wrong(place, key, "is no count");
	if (ret_known)
		*ret_known = value != NULL;
	*ret_count = (struct range){count, count};
	return 0;
}

/* Element i: lines from nodes in one aligned group of 2^i, and of no smaller one. */
static int take_lines(const struct place *place, const json_t *object, const struct host *host,
		      struct counts *counts)
{
	const json_t *groups = json_object_get(object, "lines_by_group"), *element;
	struct range unknown = {0};
	bool known;
	size_t i, hop = 0;

	if (!json_is_array(groups))
		return wrong(place, "lines_by_group", groups ? "is no list" : "is missing");
	json_array_foreach(groups, i, element)
	{
		if (!is_count(element))
			return wrong(place, "lines_by_group", "holds what is no count");
		while (hop < host->nr_hops && i < 32 && host->groups[hop] < 1U << i)
			hop++;
		if (hop == host->nr_hops || i >= 32)
			return wrong(place, "lines_by_group", "has more groups than the machine");
		counts->lines[hop].low += json_number_value(element);
	}
	if (take_count(place, object, "lines_unknown", &unknown, &known) < 0)
		return -EINVAL;
	for (hop = 0; hop < host->nr_hops; hop++)
		counts->lines[hop].high = counts->lines[hop].low + unknown.high;
	return 0;
}

static int take_faults(const struct place *place, const json_t *object, bool on,
		       struct counts *counts)
{
	struct range all, huge;
	bool split;

	if (take_count(place, object, "faults", &all, &counts->faults_known) < 0 ||
	    take_count(place, object, "huge_faults", &huge, &split) < 0)
		return -EINVAL;
	if (!counts->faults_known)
		return 0;
	if (on && !split) {
		counts->faults_any = all;
		return 0;
	}
	if (huge.low > all.low)
		return wrong(place, "huge_faults", "is more than 'faults'");
	counts->faults_huge = huge;
	counts->faults_small = (struct range){all.low - huge.low, all.low - huge.low};
	return 0;
}

static int take_mode(const struct place *place, const json_t *object, const struct host *host,
		     struct counts *ret_counts)
{
	bool on = strcmp(place->mode, "always") == 0;

	if (!json_is_object(object))
		return wrong(place, place->mode, "is missing, or no object");
	memset(ret_counts, 0, sizeof(*ret_counts));
	if (take_count(place, object, "accesses", &ret_counts->accesses, NULL) < 0 ||
	    take_lines(place, object, host, ret_counts) < 0 ||
	    take_count(place, object, "lines_hottest_node", &ret_counts->busiest,
		       &ret_counts->busiest_known) < 0 ||
	    take_count(place, object, "walks_small", &ret_counts->walks_small, NULL) < 0 ||
	    take_count(place, object, "walks_huge", &ret_counts->walks_huge, NULL) < 0)
		return -EINVAL;
	return take_faults(place, object, on, ret_counts);
}

static int take_program(struct place *place, const json_t *object, const struct host *host,
			struct program *ret_program)
{
	char shown[CLI_SHOWN_MAX];
	const char *name = json_string_value(json_object_get(object, "name"));
	int r;

	if (!name || !*name) {
		say("predict: %s: a program has no name", place->path);
		return -EINVAL;
	}
	place->program = escape_text(shown, sizeof(shown), name);
	place->mode = "never";
	r = take_mode(place, json_object_get(object, place->mode), host, &ret_program->off);
	place->mode = "always";
	if (r == 0)
		r = take_mode(place, json_object_get(object, place->mode), host, &ret_program->on);
	if (r == 0) {
		ret_program->name = strdup(name);
		r = ret_program->name ? 0 : -ENOMEM;
	}
	return r;
}

static unsigned whole(const json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));

	return value > 0 && value <= 1 << 20 ? (unsigned)value : 0;
}

static int take_head(const char *path, const json_t *root, const struct host *host,
		     struct counted *counted)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	const char *origin = json_string_value(json_object_get(root, "origin"));
	const json_t *simulated = json_object_get(root, "simulated");

	if (!format || strcmp(format, FORMAT) != 0 ||
	    json_integer_value(json_object_get(root, "version")) != VERSION) {
		say("predict: %s: not " FORMAT " of version %d, as lab/numa --json writes it", path,
		    VERSION);
		return -EINVAL;
	}
	counted->nodes = whole(root, "nodes");
	counted->threads_per_node = whole(root, "threads_per_node");
	if (!counted->nodes || !counted->threads_per_node) {
		say("predict: %s: 'nodes' and 'threads_per_node' must be there", path);
		return -EINVAL;
	}
	if (counted->nodes != host->nodes) {
		say("predict: %s was counted on %u nodes, %s has %u: where pages lie depends on "
		    "that; lab/workloads --nodes %u counts it",
		    path, counted->nodes, host->name, host->nodes, host->nodes);
		return -EINVAL;
	}
	counted->tlb_4k = whole(simulated, "tlb_4k_entries");
	counted->tlb_2m = whole(simulated, "tlb_2m_entries");
	counted->origin = strdup(origin ? origin : "of unknown origin");
	return counted->origin ? 0 : -ENOMEM;
}

static int take_all(const char *path, const json_t *root, const struct host *host,
		    struct counted *counted)
{
	const json_t *programs = json_object_get(root, "programs"), *element;
	struct place place = {.path = path};
	int r = take_head(path, root, host, counted);
	size_t i;

	if (r < 0)
		return r;
	if (json_array_size(programs) == 0) {
		say("predict: %s: no programs in it", path);
		return -EINVAL;
	}
	counted->programs = calloc(json_array_size(programs), sizeof(*counted->programs));
	if (!counted->programs)
		return -ENOMEM;
	json_array_foreach(programs, i, element)
	{
		r = take_program(&place, element, host, &counted->programs[i]);
		if (r < 0)
			return r;
		counted->nr_programs++;
	}
	return 0;
}

int counts_read(const char *path, const struct host *host, struct counted *ret_counted)
{
	struct counted counted = {0};
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	char shown[CLI_SHOWN_MAX];
	int r;

	if (!root && error.line < 0) {
		say("predict: %s", escape_text(shown, sizeof(shown), error.text));
		return -EINVAL;
	}
	if (!root) {
		say("predict: %s: line %d: %s", path, error.line,
		    escape_text(shown, sizeof(shown), error.text));
		return -EINVAL;
	}
	r = take_all(path, root, host, &counted);
	json_decref(root);
	if (r == 0)
		*ret_counted = counted;
	else
		counts_free(&counted);
	return r;
}

void counts_free(struct counted *counted)
{
	for (size_t i = 0; i < counted->nr_programs; i++)
		free(counted->programs[i].name);
	free(counted->programs);
	free(counted->origin);
	memset(counted, 0, sizeof(*counted));
}

double counts_remote_percent(const struct counts *counts)
{
	double all = 0;

	for (size_t hop = 0; hop < HOPS_MAX; hop++)
		all += counts->lines[hop].low;
	return all > 0 ? 100 * (all - counts->lines[0].low) / all : NAN;
}
