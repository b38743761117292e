// SPDX-License-Identifier: MIT
#include "model.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define LINE_BYTES 64

/* Behind those of the machine: where it is not known which pages were walked or faulted for. */
enum {
	WALK_ANY = PARAMETERS_MAX,
	FAULT_ANY,
	NR_PARAMETERS,
};

/* The three sums of which the longest is the time. */
enum bound {
	THREADS,
	MEMORY,
	LINKS,
	NR_BOUNDS,
};

/* One value for each count. */
struct sizes {
	double accesses, lines[HOPS_MAX], busiest, far;
	double walks_small, walks_huge, walks_any, faults_small, faults_huge, faults_any;
};

struct model {
	const struct host *host;
	double threads, scale;
	struct range parameters[NR_PARAMETERS];
};

const char model_formula[] =
	"ratio   = time on / time off = performance off / on; above 1 huge pages lose\n"
	"time    = the longest of threads, memory, links\n"
	"threads = (accesses x access + lines from each distance x hop / overlap\n"
	"           + walks x walk + faults x fault) / threads counted\n"
	"memory  = lines from the busiest node x 64 B x k / node\n"
	"links   = lines from other nodes x 64 B x k / nodes / link\n"
	"k       = threads of the machine for each that was counted\n";

const char *model_term(enum term term)
{
	static const char *const words[NR_TERMS] = {
		[TERM_ACCESS] = "processor",   [TERM_LOCAL] = "own node",
		[TERM_REMOTE] = "other nodes", [TERM_WALKS] = "TLB misses",
		[TERM_FAULTS] = "faults",      [TERM_MEMORY] = "busiest node",
		[TERM_LINKS] = "links",
	};

	return words[term];
}

static double pick(struct range range, bool high)
{
	return high ? range.high : range.low;
}

static void choose(const struct model *model, const struct counts *counts, bool high,
		   struct sizes *ret_sizes)
{
	double even = 0;

	*ret_sizes = (struct sizes){
		.accesses = pick(counts->accesses, high),
		.walks_small = pick(counts->walks_small, high),
		.walks_huge = pick(counts->walks_huge, high),
		.walks_any = pick(counts->walks_any, high),
		.faults_small = pick(counts->faults_small, high),
		.faults_huge = pick(counts->faults_huge, high),
		.faults_any = pick(counts->faults_any, high),
	};
	for (size_t hop = 0; hop < model->host->nr_hops; hop++) {
		ret_sizes->lines[hop] = pick(counts->lines[hop], high);
		even += ret_sizes->lines[hop] / model->host->nodes;
		ret_sizes->far += hop > 0 ? ret_sizes->lines[hop] : 0;
	}
	/* The busiest node has at least its even share. */
	ret_sizes->busiest = counts->busiest_known ? pick(counts->busiest, high) : even;
}

/* Nanoseconds of each term; value: one of each parameter. GB/s are bytes in a nanosecond. */
static void terms_of(const struct model *model, const struct sizes *sizes, const double *value,
		     double ret_terms[NR_TERMS])
{
	double each = 1 / model->threads, far = 0;

	for (size_t hop = 1; hop < model->host->nr_hops; hop++)
		far += sizes->lines[hop] * value[HOP + hop];
	ret_terms[TERM_ACCESS] = each * sizes->accesses * value[ACCESS];
	ret_terms[TERM_LOCAL] = each * sizes->lines[0] * value[HOP] / value[OVERLAP];
	ret_terms[TERM_REMOTE] = each * far / value[OVERLAP];
	ret_terms[TERM_WALKS] =
		each * (sizes->walks_small * value[WALK_SMALL] +
			sizes->walks_huge * value[WALK_HUGE] + sizes->walks_any * value[WALK_ANY]);
	ret_terms[TERM_FAULTS] = each * (sizes->faults_small * value[FAULT_SMALL] +
					 sizes->faults_huge * value[FAULT_HUGE] +
					 sizes->faults_any * value[FAULT_ANY]);
	ret_terms[TERM_MEMORY] = sizes->busiest * LINE_BYTES * model->scale / value[NODE];
	ret_terms[TERM_LINKS] =
		sizes->far * LINE_BYTES * model->scale / model->host->nodes / value[LINK];
}

static void bounds_of(const struct model *model, const struct sizes *sizes, const double *value,
		      double ret_bounds[NR_BOUNDS])
{
	double terms[NR_TERMS];

	terms_of(model, sizes, value, terms);
	ret_bounds[THREADS] = 0;
	for (enum term term = 0; term <= TERM_FAULTS; term++)
		ret_bounds[THREADS] += terms[term];
	ret_bounds[MEMORY] = terms[TERM_MEMORY];
	ret_bounds[LINKS] = terms[TERM_LINKS];
}

/* What takes most in the middle of all ranges. */
static enum term most_of(const struct model *model, const struct counts *counts)
{
	double value[NR_PARAMETERS], terms[NR_TERMS], threads = 0;
	enum term most = TERM_ACCESS;
	struct sizes sizes;

	for (size_t i = 0; i < NR_PARAMETERS; i++)
		value[i] = sqrt(model->parameters[i].low * model->parameters[i].high);
	choose(model, counts, false, &sizes);
	terms_of(model, &sizes, value, terms);
	for (enum term term = 0; term <= TERM_FAULTS; term++) {
		threads += terms[term];
		most = terms[term] > terms[most] ? term : most;
	}
	if (terms[TERM_MEMORY] > threads || terms[TERM_LINKS] > threads)
		most = terms[TERM_MEMORY] > terms[TERM_LINKS] ? TERM_MEMORY : TERM_LINKS;
	return most;
}

static struct range hull(struct range a, struct range b)
{
	return (struct range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* Extremes of the quotient of each pair of bounds, over the corners. */
struct pairs {
	double low[NR_BOUNDS][NR_BOUNDS], high[NR_BOUNDS][NR_BOUNDS];
};

/* A bound of 0 is never the longest, on top as little as below. */
static double quotient(double top, double below)
{
	return top == 0 ? 0 : top / below;
}

static void add_corner(const struct model *model, const struct sizes off[2],
		       const struct sizes on[2], const double *value, struct pairs *pairs)
{
	double low_off[NR_BOUNDS], high_off[NR_BOUNDS], low_on[NR_BOUNDS], high_on[NR_BOUNDS];

	bounds_of(model, &off[0], value, low_off);
	bounds_of(model, &off[1], value, high_off);
	bounds_of(model, &on[0], value, low_on);
	bounds_of(model, &on[1], value, high_on);
	for (enum bound i = 0; i < NR_BOUNDS; i++) {
		for (enum bound j = 0; j < NR_BOUNDS; j++) {
			pairs->low[i][j] = fmin(pairs->low[i][j], quotient(low_on[i], high_off[j]));
			pairs->high[i][j] =
				fmax(pairs->high[i][j], quotient(high_on[i], low_off[j]));
		}
	}
}

/* max(on) / max(off) = the largest, over i, of the smallest, over j, of on_i / off_j. */
static double longest(double quotients[NR_BOUNDS][NR_BOUNDS])
{
	double largest = 0;

	for (enum bound i = 0; i < NR_BOUNDS; i++) {
		double smallest = INFINITY;

		for (enum bound j = 0; j < NR_BOUNDS; j++)
			smallest = fmin(smallest, quotients[i][j]);
		largest = fmax(largest, smallest);
	}
	return largest;
}

/* Does the parameter have any part in this? Each that has not saves half of the corners. */
static bool matters(const struct model *model, size_t parameter, const struct sizes *a,
		    const struct sizes *b)
{
	size_t hop = parameter - HOP;

	if (model->parameters[parameter].low == model->parameters[parameter].high)
		return false;
	switch (parameter) {
	case WALK_SMALL:
		return a->walks_small + b->walks_small > 0;
	case WALK_HUGE:
		return a->walks_huge + b->walks_huge > 0;
	case WALK_ANY:
		return a->walks_any + b->walks_any > 0;
	case FAULT_SMALL:
		return a->faults_small + b->faults_small > 0;
	case FAULT_HUGE:
		return a->faults_huge + b->faults_huge > 0;
	case FAULT_ANY:
		return a->faults_any + b->faults_any > 0;
	case LINK:
		return a->far + b->far > 0;
	case ACCESS:
	case OVERLAP:
	case NODE:
		return true;
	default:
		return hop < model->host->nr_hops && a->lines[hop] + b->lines[hop] > 0;
	}
}

static void try_corners(const struct model *model, const struct sizes off[2],
			const struct sizes on[2], struct pairs *pairs)
{
	size_t varied[NR_PARAMETERS], nr = 0;
	double value[NR_PARAMETERS];

	for (size_t i = 0; i < NR_PARAMETERS; i++) {
		value[i] = model->parameters[i].low;
		if (matters(model, i, &off[1], &on[1]))
			varied[nr++] = i;
	}
	for (size_t corner = 0; corner < (size_t)1 << nr; corner++) {
		for (size_t i = 0; i < nr; i++)
			value[varied[i]] = pick(model->parameters[varied[i]], corner >> i & 1);
		add_corner(model, off, on, value, pairs);
	}
}

int predict(const struct host *host, const struct counted *counted, const struct program *program,
	    struct prediction *ret_prediction)
{
	struct model model = {
		.host = host,
		.threads = (double)counted->nodes * counted->threads_per_node,
		.scale = (double)host->threads_per_node / counted->threads_per_node,
	};
	struct sizes off[2], on[2];
	struct pairs pairs;
	struct range ratio;

	memcpy(model.parameters, host->parameters, sizeof(host->parameters));
	model.parameters[WALK_ANY] =
		hull(host->parameters[WALK_SMALL], host->parameters[WALK_HUGE]);
	model.parameters[FAULT_ANY] =
		hull(host->parameters[FAULT_SMALL], host->parameters[FAULT_HUGE]);
	for (enum bound i = 0; i < NR_BOUNDS; i++) {
		for (enum bound j = 0; j < NR_BOUNDS; j++) {
			pairs.low[i][j] = INFINITY;
			pairs.high[i][j] = 0;
		}
	}
	for (int high = 0; high < 2; high++) {
		choose(&model, &program->off, high, &off[high]);
		choose(&model, &program->on, high, &on[high]);
	}
	try_corners(&model, off, on, &pairs);
	ratio = (struct range){longest(pairs.low), longest(pairs.high)};
	if (!isfinite(ratio.low) || !isfinite(ratio.high) || ratio.high == 0)
		return -ENODATA;
	*ret_prediction = (struct prediction){
		.ratio = ratio,
		.most_off = most_of(&model, &program->off),
		.most_on = most_of(&model, &program->on),
	};
	return 0;
}
