// SPDX-License-Identifier: MIT
/* The model of thpctl predict: cases computed by hand, and ranges that must hold what they promise.
 */
#include "unit.h"

#include "../../cli/predict/model.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>

static struct range exactly(double value)
{
	return (struct range){value, value};
}

/* Two nodes, no doubt about anything. 64 bytes take 1 ns from a node and 2 ns over a link. */
static struct host exact_host(void)
{
	struct host host = {.nodes = 2, .threads_per_node = 1, .groups = {1, 2}, .nr_hops = 2};

	host.parameters[ACCESS] = exactly(1);
	host.parameters[OVERLAP] = exactly(2);
	host.parameters[WALK_SMALL] = exactly(10);
	host.parameters[WALK_HUGE] = exactly(5);
	host.parameters[FAULT_SMALL] = exactly(1000);
	host.parameters[FAULT_HUGE] = exactly(100000);
	host.parameters[NODE] = exactly(64);
	host.parameters[LINK] = exactly(32);
	host.parameters[HOP] = exactly(100);
	host.parameters[HOP + 1] = exactly(300);
	return host;
}

static struct counts counts(double accesses, double near, double far, double busiest)
{
	return (struct counts){
		.accesses = exactly(accesses),
		.lines = {exactly(near), exactly(far)},
		.busiest = exactly(busiest),
		.busiest_known = true,
		.faults_known = true,
	};
}

static struct prediction predicted(const struct host *host, unsigned threads_per_node,
				   const struct program *program)
{
	struct counted counted = {.nodes = host->nodes, .threads_per_node = threads_per_node};
	struct prediction prediction;

	ck_assert_int_eq(predict(host, &counted, program, &prediction), 0);
	return prediction;
}

static void expect(struct prediction got, double low, double high)
{
	ck_assert_double_eq_tol(got.ratio.low, low, 1e-9 * low);
	ck_assert_double_eq_tol(got.ratio.high, high, 1e-9 * high);
}

START_TEST(each_term)
{
	struct host host = exact_host();
	struct program program = {
		.off = counts(1000, 100, 0, 50),
		.on = counts(1000, 100, 0, 50),
	};

	/* (1000 + 100 x 100 / 2) / 2 threads = 3000 both times */
	expect(predicted(&host, 1, &program), 1, 1);
	/* 60 of the lines from the other node: 1000 + (40 x 100 + 60 x 300) / 2 = 12000 */
	program.on.lines[0] = exactly(40);
	program.on.lines[1] = exactly(60);
	expect(predicted(&host, 1, &program), 2, 2);
	ck_assert_int_eq(predicted(&host, 1, &program).most_on, TERM_REMOTE);
	ck_assert_int_eq(predicted(&host, 1, &program).most_off, TERM_LOCAL);
	/* 600 walks of 10 ns off: 6000 + 6000; 200 of 5 ns on: 12000 + 1000 */
	program.off.walks_small = exactly(600);
	program.on.walks_huge = exactly(200);
	expect(predicted(&host, 1, &program), 13.0 / 12, 13.0 / 12);
	/* 8 faults off: 12000 + 8000; 1 huge one and 7 small ones on: 13000 + 107000 */
	program.off.faults_small = exactly(8);
	program.on.faults_small = exactly(7);
	program.on.faults_huge = exactly(1);
	expect(predicted(&host, 1, &program), 6, 6);
	ck_assert_int_eq(predicted(&host, 1, &program).most_on, TERM_FAULTS);
}
END_TEST

START_TEST(busiest_node_and_links)
{
	struct host host = exact_host();
	struct program program = {
		.off = counts(1000, 100, 0, 50), /* threads: 3000 ns */
		.on = counts(1000, 40, 60, 100), /* threads: 6000 ns; memory: 100 ns */
	};

	/* 200 threads of the machine for each counted: 100 lines x 64 B x 200 / 64 GB/s = 20000 ns
	 */
	host.threads_per_node = 200;
	/* off: 50 lines, 10000 ns. links: 60 x 64 x 200 / 2 nodes / 32 GB/s = 12000 ns */
	expect(predicted(&host, 1, &program), 2, 2);
	ck_assert_int_eq(predicted(&host, 1, &program).most_on, TERM_MEMORY);
	/* Slower links: 60 x 64 x 200 / 2 / 4 = 96000 ns */
	host.parameters[LINK] = exactly(4);
	expect(predicted(&host, 1, &program), 9.6, 9.6);
	ck_assert_int_eq(predicted(&host, 1, &program).most_on, TERM_LINKS);
	/* As many were counted as the machine has: k is 1, the threads' own 1500 and 3000 ns are
	 * more */
	host.threads_per_node = 2;
	expect(predicted(&host, 2, &program), 2, 2);
	ck_assert_int_eq(predicted(&host, 2, &program).most_on, TERM_REMOTE);
	host.threads_per_node = 200;
	/* Which node is the busiest is not known: half of the lines at least. 50 lines: 10000 ns */
	host.parameters[LINK] = exactly(32);
	program.on.busiest_known = false;
	expect(predicted(&host, 1, &program), 1.2, 1.2);
}
END_TEST

START_TEST(what_is_not_known)
{
	struct host host = exact_host();
	struct program program = {
		.off = counts(1000, 100, 0, 50),
		.on = counts(1000, 100, 0, 50),
	};

	/* 600 walks of 5 to 10 ns, by no name: 6000 + 3000 to 6000 */
	program.on.walks_any = exactly(600);
	expect(predicted(&host, 1, &program), 1.5, 2);
	program.on.walks_any = exactly(0);
	/* 60 faults of 1000 to 100000 ns */
	program.on.faults_any = exactly(60);
	expect(predicted(&host, 1, &program), 11, 1001);
	program.on.faults_any = exactly(0);
	/* Counts of which each has an error: 1000 to 3000 accesses on, 800 to 1200 off */
	program.on.accesses = (struct range){1000, 3000};
	program.off.accesses = (struct range){800, 1200};
	expect(predicted(&host, 1, &program), 6000.0 / 6200, 8000.0 / 5800);
}
END_TEST

/* What is not known of the machine is the same in both times. */
START_TEST(shared_parameter)
{
	struct host host = exact_host();
	struct program program = {
		.off = counts(1000, 100, 0, 50),
		.on = counts(1000, 100, 0, 50),
	};

	for (size_t i = 0; i < HOP + host.nr_hops; i++)
		host.parameters[i].high *= 8;
	expect(predicted(&host, 1, &program), 1, 1);
	/* overlap 1: (1000 + 4000 + 18000) / (1000 + 10000), 10: 3200 / 2000 */
	host = exact_host();
	host.parameters[OVERLAP] = (struct range){1, 10};
	program.on.lines[0] = exactly(40);
	program.on.lines[1] = exactly(60);
	expect(predicted(&host, 1, &program), 1.6, 23.0 / 11);
}
END_TEST

START_TEST(nothing_counted)
{
	struct host host = exact_host();
	struct counted counted = {.nodes = 2, .threads_per_node = 1};
	struct program program = {.on = counts(1, 0, 0, 0)};
	struct prediction prediction = {.ratio = {7, 7}};

	ck_assert_int_eq(predict(&host, &counted, &program, &prediction), -ENODATA);
	ck_assert_double_eq(prediction.ratio.low, 7);
	program = (struct program){.off = counts(1, 0, 0, 0)};
	ck_assert_int_eq(predict(&host, &counted, &program, &prediction), -ENODATA);
}
END_TEST

static uint64_t state = 88172645463325252U;

static double uniform(double low, double high)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

static double any_of(struct range range)
{
	/* Ends as often as what is between them: extremes are mostly there. */
	double where = uniform(0, 3);

	return where < 1 ? range.low : where < 2 ? range.high : uniform(range.low, range.high);
}

/* The time once more, as the header tells it, with one value for each parameter. */
static double time_of(const struct host *host, const double *value, const struct counts *counts)
{
	double far = counts->lines[1].low, k = host->threads_per_node;
	double threads =
		(counts->accesses.low * value[ACCESS] +
		 (counts->lines[0].low * value[HOP] + far * value[HOP + 1]) / value[OVERLAP] +
		 counts->walks_small.low * value[WALK_SMALL] +
		 counts->walks_huge.low * value[WALK_HUGE] +
		 counts->faults_small.low * value[FAULT_SMALL] +
		 counts->faults_huge.low * value[FAULT_HUGE]) /
		2;
	double memory = counts->busiest.low * 64 * k / value[NODE];
	double links = far * 64 * k / 2 / value[LINK];

	return fmax(threads, fmax(memory, links));
}

static struct counts random_counts(void)
{
	double near = uniform(0, 1e5), far = uniform(0, 1e5);
	struct counts all = counts(uniform(1e4, 1e6), near, far, uniform(0.5, 1) * (near + far));

	all.walks_small = exactly(uniform(0, 1e5));
	all.walks_huge = exactly(uniform(0, 1e4));
	all.faults_small = exactly(uniform(0, 1e3));
	all.faults_huge = exactly(uniform(0, 3));
	return all;
}

/* Whatever values the parameters really have, the ratio is within the range. */
START_TEST(range_holds)
{
	double nearest = INFINITY;

	for (int n = 0; n < 200; n++) {
		struct program program = {.off = random_counts(), .on = random_counts()};
		double value[PARAMETERS_MAX], least = INFINITY, most = 0;
		struct host host = exact_host();
		struct range ratio;

		/* From bound by the threads to bound by memory or links. */
		host.threads_per_node = (unsigned)uniform(1, 300);
		for (size_t i = 0; i < HOP + host.nr_hops; i++)
			host.parameters[i].high *= uniform(1, 6);
		ratio = predicted(&host, 1, &program).ratio;
		for (int m = 0; m < 2000; m++) {
			double got;

			for (size_t i = 0; i < HOP + host.nr_hops; i++)
				value[i] = any_of(host.parameters[i]);
			got = time_of(&host, value, &program.on) /
			      time_of(&host, value, &program.off);
			least = fmin(least, got);
			most = fmax(most, got);
		}
		ck_assert_double_ge(least, ratio.low * (1 - 1e-12));
		ck_assert_double_le(most, ratio.high * (1 + 1e-12));
		nearest = fmin(nearest, ratio.high / ratio.low / (most / least));
	}
	/* And it is no wider than it must be, at least where one sum is the longest throughout. */
	ck_assert_double_lt(nearest, 1.05);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("predict-model");

	unit_add(suite, each_term);
	unit_add(suite, busiest_node_and_links);
	unit_add(suite, what_is_not_known);
	unit_add(suite, shared_parameter);
	unit_add(suite, nothing_counted);
	unit_add(suite, range_holds);
	return suite;
}
