// SPDX-License-Identifier: MIT
/* Descriptions of machines: the syntax is inih's, the meaning of the keys is here. */
#include "host.h"

#include "../../common/escape.h"
#include "../../common/nearest.h"
#include "../../common/say.h"
#include "../cli.h"
#include "../ini-line.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *path;
	struct host *host;
	int error;
};

struct key {
	const char *section, *name, *unit;
};

/* Keys whose values are ranges. Distances are numbers in [hops]. */
static const struct key ranges[HOP] = {
	[ACCESS] = {"thread", "access", "ns"},      [OVERLAP] = {"thread", "overlap", "lines"},
	[WALK_SMALL] = {"tlb", "walk_small", "ns"}, [WALK_HUGE] = {"tlb", "walk_huge", "ns"},
	[FAULT_SMALL] = {"faults", "small", "ns"},  [FAULT_HUGE] = {"faults", "huge", "ns"},
	[NODE] = {"memory", "node", "GB/s"},        [LINK] = {"memory", "link", "GB/s"},
};

static const char *const sections[] = {"machine", "hops",   "memory",  "thread",
				       "tlb",     "faults", "measured"};
#define NR_SECTIONS (sizeof(sections) / sizeof(sections[0]))

char *host_parameter(const struct host *host, size_t parameter, char buf[16])
{
	if (parameter < HOP)
		snprintf(buf, 16, "%s", ranges[parameter].name);
	else
		snprintf(buf, 16, "hop %u", host->groups[parameter - HOP]);
	/* "small" and "huge" alone say nothing outside their section. */
	if (parameter == FAULT_SMALL || parameter == FAULT_HUGE)
		snprintf(buf, 16, "fault_%s", ranges[parameter].name);
	return buf;
}

const char *host_unit(size_t parameter)
{
	return parameter < HOP ? ranges[parameter].unit : "ns";
}

static int set(char **place, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*place);
	*place = copy;
	return 0;
}

/* Long texts go on in indented lines: inih then calls with the same key again. */
static int append(char **place, const char *value)
{
	char *longer;

	if (!*place)
		return set(place, value);
	if (asprintf(&longer, "%s %s", *place, value) < 0)
		return -ENOMEM;
	free(*place);
	*place = longer;
	return 0;
}

/* A positive number at *text, which then stands behind it. */
static bool take_number(const char **text, double *ret_value)
{
	char *end;
	double value = strtod(*text, &end);

	if (end == *text || !isfinite(value) || value <= 0)
		return false;
	*text = end;
	*ret_value = value;
	return true;
}

/* "80..130", or "80" where it is known exactly. */
static int set_range(struct range *range, const char *text)
{
	struct range value;

	/* strtod(3) would take the first dot for its own. */
	char first[32], *dots = strstr(text, "..");
	const char *at = text;

	if (dots && (size_t)(dots - text) < sizeof(first)) {
		snprintf(first, sizeof(first), "%.*s", (int)(dots - text), text);
		at = first;
	}
	if (!take_number(&at, &value.low) || at[strspn(at, " ")])
		return -EINVAL;
	value.high = value.low;
	at = dots ? dots + 2 : "";
	if (dots && (!take_number(&at, &value.high) || *at))
		return -EINVAL;
	if (value.high < value.low)
		return -EINVAL;
	*range = value;
	return 0;
}

static int set_whole(unsigned *place, const char *text, unsigned most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || value == 0 || value > most)
		return -EINVAL;
	*place = (unsigned)value;
	return 0;
}

static int set_hop(struct host *host, const char *name, const char *value)
{
	unsigned group, last = host->nr_hops ? host->groups[host->nr_hops - 1] : 0;

	if (host->nr_hops == HOPS_MAX || set_whole(&group, name, NODES_MAX) < 0 ||
	    (group & (group - 1)) || group <= last || (last == 0 && group != 1))
		return -EINVAL;
	host->groups[host->nr_hops] = group;
	return set_range(&host->parameters[HOP + host->nr_hops++], value);
}

/* "1.4 stencil2d" */
static int add_measured(struct host *host, const char *row, const char *value)
{
	struct measured *grown, one = {0};

	if (!take_number(&value, &one.ratio) || *value != ' ')
		return -EINVAL;
	value += strspn(value, " ");
	grown = realloc(host->measured, (host->nr_measured + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	host->measured = grown;
	if (set(&one.row, row) < 0 || set(&one.stand_in, value) < 0) {
		free(one.row);
		return -ENOMEM;
	}
	grown[host->nr_measured++] = one;
	return 0;
}

/* Where a section's numbers are from is kept with each of them. */
static int set_source(struct host *host, const char *section, const char *value)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < PARAMETERS_MAX; i++) {
		if (strcmp(i < HOP ? ranges[i].section : "hops", section) == 0)
			r = append(&host->sources[i], value);
	}
	return r;
}

/* -ENOENT: no such key. */
static int set_key(struct host *host, const char *section, const char *name, const char *value)
{
	if (strcmp(section, "machine") == 0) {
		if (strcmp(name, "name") == 0)
			return set(&host->name, value);
		if (strcmp(name, "nodes") == 0)
			return set_whole(&host->nodes, value, NODES_MAX);
		if (strcmp(name, "threads_per_node") == 0)
			return set_whole(&host->threads_per_node, value, 100000);
		return -ENOENT;
	}
	if (strcmp(section, "measured") == 0)
		return strcmp(name, "title") == 0 ? append(&host->measured_title, value)
						  : add_measured(host, name, value);
	if (strcmp(name, "source") == 0)
		return set_source(host, section, value);
	if (strcmp(section, "hops") == 0)
		return set_hop(host, name, value);
	if (strcmp(section, "tlb") == 0 && strcmp(name, "entries_4k") == 0)
		return set_whole(&host->tlb_4k, value, 1 << 20);
	if (strcmp(section, "tlb") == 0 && strcmp(name, "entries_2m") == 0)
		return set_whole(&host->tlb_2m, value, 1 << 20);
	for (size_t i = 0; i < HOP; i++) {
		if (strcmp(ranges[i].section, section) == 0 && strcmp(ranges[i].name, name) == 0)
			return set_range(&host->parameters[i], value);
	}
	return -ENOENT;
}

static bool known_section(const char *section)
{
	for (size_t i = 0; i < NR_SECTIONS; i++) {
		if (strcmp(sections[i], section) == 0)
			return true;
	}
	return false;
}

/* inih's handler: 1 go on, 0 this line is wrong. */
static int take(void *user, const char *section, const char *name, const char *value)
{
	struct reader *reader = user;
	char shown[CLI_SHOWN_MAX], key[CLI_SHOWN_MAX];
	const char *near;

	if (reader->error)
		return 0;
	escape_text(key, sizeof(key), name);
	if (section[0] == '\0') {
		reader->error = -EINVAL;
		say("predict: %s: '%s' stands before the first [section]", reader->path, key);
		return 0;
	}
	if (!known_section(section)) {
		reader->error = -EINVAL;
		near = nearest(section, sections, NR_SECTIONS);
		say("predict: %s: unknown section [%s]%s%s%s", reader->path,
		    escape_text(shown, sizeof(shown), section), near ? "; did you mean [" : "",
		    near ? near : "", near ? "]?" : "");
		return 0;
	}
	reader->error = set_key(reader->host, section, name, value);
	if (reader->error == -ENOENT) {
		reader->error = -EINVAL;
		say("predict: %s: [%s] has no key '%s'", reader->path, section, key);
	} else if (reader->error == -EINVAL) {
		say("predict: %s: [%s]: '%s' cannot be '%s': man thpctl-predict tells what it is",
		    reader->path, section, key, escape_text(shown, sizeof(shown), value));
	}
	return reader->error == 0;
}

static int lacks(const struct reader *reader, const char *section, const char *key)
{
	say("predict: %s: [%s] lacks '%s'", reader->path, section, key);
	return -EINVAL;
}

/* What no single line can be blamed for. */
static int check(const struct reader *reader)
{
	const struct host *host = reader->host;
	const struct range *hop = &host->parameters[HOP];

	if (!host->name)
		return lacks(reader, "machine", "name");
	if (!host->nodes)
		return lacks(reader, "machine", "nodes");
	if (!host->threads_per_node)
		return lacks(reader, "machine", "threads_per_node");
	for (size_t i = 0; i < HOP; i++) {
		if (host->parameters[i].low <= 0)
			return lacks(reader, ranges[i].section, ranges[i].name);
	}
	if (host->nr_hops == 0 || host->groups[host->nr_hops - 1] < host->nodes) {
		say("predict: %s: [hops] must begin with 1 and reach all %u nodes", reader->path,
		    host->nodes);
		return -EINVAL;
	}
	for (size_t i = 1; i < host->nr_hops; i++) {
		if (hop[i].low < hop[i - 1].low || hop[i].high < hop[i - 1].high) {
			say("predict: %s: [hops]: %u is nearer than %u", reader->path,
			    host->groups[i], host->groups[i - 1]);
			return -EINVAL;
		}
	}
	return 0;
}

static int parse(struct reader *reader)
{
	FILE *file = fopen(reader->path, "re");
	char shown[CLI_SHOWN_MAX];
	int line;

	if (!file) {
		int r = -errno;

		say("predict: cannot open machine description '%s': %s",
		    escape_text(shown, sizeof(shown), reader->path), strerror(-r));
		return r;
	}
	line = ini_parse_stream(ini_line, file, take, reader);
	fclose(file);
	if (line == 0)
		return check(reader);
	if (reader->error)
		say("predict: %s: line %d: see above", reader->path, line);
	else
		say("predict: %s: line %d: not a [section], not 'key = value', or longer than %d "
		    "bytes",
		    reader->path, line, INI_MAX_LINE - 2);
	return reader->error ? reader->error : -EINVAL;
}

int host_read(const char *path, struct host *ret_host)
{
	struct host host = {0};
	struct reader reader = {.path = path, .host = &host};
	int r = parse(&reader);

	if (r == 0)
		*ret_host = host;
	else
		host_free(&host);
	return r;
}

void host_free(struct host *host)
{
	for (size_t i = 0; i < host->nr_measured; i++) {
		free(host->measured[i].row);
		free(host->measured[i].stand_in);
	}
	for (size_t i = 0; i < PARAMETERS_MAX; i++)
		free(host->sources[i]);
	free(host->measured);
	free(host->measured_title);
	free(host->name);
	memset(host, 0, sizeof(*host));
}

void host_neighbours(const struct host *host, double ret_nodes[HOPS_MAX])
{
	unsigned nodes = host->nodes;
	double within[HOPS_MAX + 1] = {0};

	/* Sum over the nodes of how many are in their group of this size; the last may be cut. */
	for (size_t i = 0; i < host->nr_hops; i++) {
		unsigned group = host->groups[i], whole = nodes / group, rest = nodes % group;

		within[i + 1] = ((double)whole * group * group + (double)rest * rest) / nodes;
		ret_nodes[i] = within[i + 1] - within[i];
	}
}
