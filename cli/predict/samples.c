// SPDX-License-Identifier: MIT
/* Sampled accesses of a real machine: what "perf script -F period,data_src" prints. */
#include "counts.h"

#include "../../common/escape.h"
#include "../../common/say.h"
#include "../cli.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sum of samples' periods, and of their squares: its error. */
struct sum {
	double sum, squares;
};

struct samples {
	size_t nr;
	struct sum accesses, walks, local;
	struct sum remote[HOPS_MAX]; /* by distance, where the processor tells it */
	struct sum far;              /* remote, and more is not known */
};

static void add(struct sum *sum, double period)
{
	sum->sum += period;
	sum->squares += period * period;
}

/* Twice the standard deviation on either side: about 95 %. */
static struct range range_of(const struct sum *sum, double share)
{
	double error = 2 * sqrt(sum->squares);

	return (struct range){share * fmax(sum->sum - error, 0), share * (sum->sum + error)};
}

static struct range both(struct range a, struct range b)
{
	return (struct range){a.low + b.low, a.high + b.high};
}

/* 1, 2...: so many hops away; 0: not from another node; -1: from another, which is not told. */
static int hops_away(union perf_mem_data_src source)
{
	if (source.mem_lvl & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_CCE1))
		return 1;
	if (source.mem_lvl & (PERF_MEM_LVL_REM_RAM2 | PERF_MEM_LVL_REM_CCE2))
		return 2;
	if (!source.mem_remote || source.mem_hops == PERF_MEM_HOPS_0)
		return 0;
	return source.mem_hops > PERF_MEM_HOPS_0 ? source.mem_hops - PERF_MEM_HOPS_0 : -1;
}

static bool from_memory(union perf_mem_data_src source)
{
	return source.mem_lvl & PERF_MEM_LVL_LOC_RAM || source.mem_lvl_num == PERF_MEM_LVLNUM_RAM ||
	       source.mem_lvl_num == PERF_MEM_LVLNUM_PMEM;
}

static void count(struct samples *samples, union perf_mem_data_src source, double period,
		  size_t nr_hops)
{
	int hops = hops_away(source);

	samples->nr++;
	add(&samples->accesses, period);
	if (source.mem_dtlb & PERF_MEM_TLB_MISS)
		add(&samples->walks, period);
	/* A line from another node's cache costs about the way there. */
	if (hops < 0 || (hops > 0 && nr_hops == 1))
		add(&samples->far, period);
	else if (hops > 0)
		add(&samples->remote[(size_t)hops < nr_hops ? (size_t)hops : nr_hops - 1], period);
	else if (from_memory(source))
		add(&samples->local, period);
}

/* "  2003   68100142 |OP LOAD|LVL L1 hit|..."; without a period each sample is one access. */
static bool parse_line(const char *line, union perf_mem_data_src *ret_source, double *ret_period)
{
	const char *mark = strstr(line, "|OP ");
	unsigned long long source, period = 1;
	char word[2][32];
	int words;
	char *end;

	if (!mark)
		return false;
	words = sscanf(line, "%31s %31s", word[0], word[1]);
	if (words < 1 || word[0][0] == '|')
		return false;
	if (words == 2 && word[1][0] != '|') {
		period = strtoull(word[0], &end, 10);
		if (*end || period == 0)
			return false;
		source = strtoull(word[1], &end, 16);
	} else {
		source = strtoull(word[0], &end, 16);
	}
	if (*end)
		return false;
	ret_source->val = source;
	*ret_period = (double)period;
	return true;
}

static int read_samples(const char *path, size_t nr_hops, struct samples *ret_samples)
{
	FILE *file = fopen(path, "re");
	char shown[CLI_SHOWN_MAX], *line = NULL;
	size_t size = 0, others = 0;

	memset(ret_samples, 0, sizeof(*ret_samples));
	escape_text(shown, sizeof(shown), path);
	if (!file) {
		int r = -errno;

		say("predict: cannot open samples '%s': %s", shown, strerror(-r));
		return r;
	}
	while (getline(&line, &size, file) > 0) {
		union perf_mem_data_src source;
		double period;

		/* Stores and loads alike; page faults and the like have no source. */
		if (!parse_line(line, &source, &period))
			others += line[strspn(line, " \t\n")] != '\0';
		else if (!(source.mem_op & PERF_MEM_OP_NA))
			count(ret_samples, source, period, nr_hops);
	}
	free(line);
	fclose(file);
	if (others) {
		say("predict: %s: %zu lines are no samples as 'perf script -F period,data_src' "
		    "prints them",
		    shown, others);
		return -EINVAL;
	}
	if (ret_samples->nr == 0) {
		say("predict: %s: no sample tells where its data came from: 'perf mem record' "
		    "needs hardware that does",
		    shown);
		return -EINVAL;
	}
	return 0;
}

static void fill(const struct samples *samples, const struct host *host, bool on,
		 struct counts *ret_counts)
{
	double neighbours[HOPS_MAX], others = host->nodes - 1.0;
	struct range walks = range_of(&samples->walks, 1);

	memset(ret_counts, 0, sizeof(*ret_counts));
	host_neighbours(host, neighbours);
	ret_counts->accesses = range_of(&samples->accesses, 1);
	ret_counts->lines[0] = range_of(&samples->local, 1);
	for (size_t hop = 1; hop < host->nr_hops; hop++)
		ret_counts->lines[hop] =
			both(range_of(&samples->remote[hop], 1),
			     range_of(&samples->far, others > 0 ? neighbours[hop] / others : 0));
	if (on)
		ret_counts->walks_any = walks;
	else
		ret_counts->walks_small = walks;
}

int samples_read(const char *off_path, const char *on_path, const struct host *host,
		 struct counted *ret_counted)
{
	struct samples off = {0}, on = {0};
	struct counted counted = {
		.nodes = host->nodes,
		.threads_per_node = host->threads_per_node,
		.nr_programs = 1,
	};
	int r = read_samples(off_path, host->nr_hops, &off);

	if (r == 0)
		r = read_samples(on_path, host->nr_hops, &on);
	if (r < 0)
		return r;
	counted.programs = calloc(1, sizeof(*counted.programs));
	if (!counted.programs ||
	    asprintf(&counted.origin, "%zu and %zu samples of a real machine", off.nr, on.nr) < 0 ||
	    !(counted.programs[0].name = strdup("sampled"))) {
		counts_free(&counted);
		return -ENOMEM;
	}
	fill(&off, host, false, &counted.programs[0].off);
	fill(&on, host, true, &counted.programs[0].on);
	*ret_counted = counted;
	return 0;
}
