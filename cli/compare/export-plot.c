// SPDX-License-Identifier: MIT
/*
 * Two pictures in one: the ratio of each program with its interval, which is the mail's table, and
 * all runs over time, in which drift and outliers are seen.
 */
#include "export.h"

#include "../../common/say.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In gnuplot's double quotes; control characters and what it would expand are left out. */
static void put_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		if ((unsigned char)*text >= ' ')
			fputc(*text, out);
	}
	fputc('"', out);
}

/* The y range of a picture: gnuplot finds none where all values are equal, or there is none. */
struct range {
	double low;
	double high;
};

static void widen(struct range *range, double low, double high)
{
	range->low = fmin(range->low, low);
	range->high = fmax(range->high, high);
}

static void put_range(const struct range *range, FILE *out)
{
	double margin = fmax(0.01, 0.05 * (range->high - range->low));

	fprintf(out, "set yrange [%.6f:%.6f]\n", range->low - margin, range->high + margin);
}

/* One block of data for each comparison: program, ratio, its ends. */
static void put_ratios(const struct report *report, FILE *out, struct range *range)
{
	for (size_t c = 0; c < report->result->nr_comparisons; c++) {
		fprintf(out, "$ratio%zu << THPCTL_END\n", c);
		for (size_t p = 0; p < report->result->nr_programs; p++) {
			const struct interval *ratio =
				&report->result->programs[p].comparisons[c].ratio;

			if (!isfinite(ratio->low)) {
				fprintf(out, "%zu NaN NaN NaN\n", p);
				continue;
			}
			widen(range, exp(ratio->low), exp(ratio->high));
			fprintf(out, "%zu %.6f %.6f %.6f\n", p, exp(ratio->value), exp(ratio->low),
				exp(ratio->high));
		}
		fprintf(out, "THPCTL_END\n");
	}
}

/* Programs of a suite share a scale: each run relative to the median of its program's base. */
static double relative(const struct report *report, const struct run *run)
{
	bool less;
	enum measure m = result_measure(&report->compare->programs[run->program], &less);
	const struct program_result *result = &report->result->programs[run->program];

	return run->values[m] / result->arms[report->compare->settings->base].values[m].value;
}

/* One block of data for each arm: when a run started, how long it took. */
static void put_runs(const struct report *report, FILE *out, struct range *range)
{
	for (size_t a = 0; a < report->compare->settings->nr_arms; a++) {
		bool some = false;

		fprintf(out, "$runs%zu << THPCTL_END\n", a);
		for (size_t i = 0; i < report->compare->nr_runs; i++) {
			const struct run *run = &report->compare->runs[i];
			double value = relative(report, run);

			if (run->arm != a || run->warmup || run->outcome != OUTCOME_OK ||
			    isnan(value))
				continue;
			fprintf(out, "%.6f %.6g\n", run->start, value);
			widen(range, value, value);
			some = true;
		}
		/* gnuplot refuses a block without a point. */
		fprintf(out, "%sTHPCTL_END\n", some ? "" : "NaN NaN\n");
	}
}

static void put_ratio_plot(const struct report *report, FILE *out)
{
	const struct settings *settings = report->compare->settings;
	size_t nr = report->result->nr_programs, comparisons = report->result->nr_comparisons;
	char text[REPORT_TEXT_MAX];

	fprintf(out, "set title ");
	if (comparisons == 1)
		report_direction(text, report, &report->result->programs[0].comparisons[0]);
	else
		snprintf(text, sizeof(text),
			 settings->invert ? "performance %s / each mode; above 1.0 %s is faster"
					  : "performance each mode / %s; below 1.0 %s is faster",
			 settings->arms[settings->base].label,
			 settings->arms[settings->base].label);
	put_string(out, text);
	fprintf(out, "\nset ylabel 'ratio'\nset xrange [-0.6:%zu.6]\nset xtics rotate by -35 (",
		nr - 1);
	for (size_t p = 0; p < nr; p++) {
		fprintf(out, "%s", p ? ", " : "");
		put_string(out, report->compare->programs[p].name);
		fprintf(out, " %zu", p);
	}
	fprintf(out, ")\nset arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "
		     "'#444444' dt 2\nplot ");
	for (size_t c = 0; c < comparisons; c++) {
		const struct comparison *comparison = &report->result->programs[0].comparisons[c];
		double width = 0.6 / (double)comparisons;
		double shift = ((double)c + 0.5) * width - 0.3;

		/* Bars from 1.0, up or down: the length is the effect. */
		fprintf(out,
			"%s$ratio%zu using ($1+%.3f):(1):(($1+%.3f)-%.3f):(($1+%.3f)+%.3f):(1):2 "
			"with boxxyerror lc %zu fs solid 0.5 border title ",
			c ? ", " : "", c, shift, shift, width * 0.45, shift, width * 0.45, c + 1);
		put_string(out, report->compare->settings->arms[comparison->arm].label);
		fprintf(out,
			", $ratio%zu using ($1+%.3f):2:3:4 with yerrorbars pt 7 ps 0.5 lw 1.5 lc "
			"rgb '#000000' notitle",
			c, shift);
	}
	fprintf(out, "\nunset arrow 1\n");
}

static void put_run_plot(const struct report *report, FILE *out)
{
	const struct settings *settings = report->compare->settings;
	bool less;
	enum measure m = result_measure(&report->compare->programs[0], &less);

	fprintf(out, "set title 'all runs over time'\nset xtics "
		     "norotate auto\n"
		     "set autoscale x\nset xlabel 'seconds since the start'\nset ylabel ");
	put_string(out, m == MEASURE_METRIC ? "metric / median of the last mode"
					    : "wall time / median of the last mode");
	fprintf(out, "\nplot ");
	for (size_t a = 0; a < settings->nr_arms; a++) {
		fprintf(out, "%s$runs%zu using 1:2 with points pt %d ps 0.7 lc %zu title ",
			a ? ", " : "", a, a % 2 ? 6 : 7, a + 1);
		put_string(out, settings->arms[a].label);
	}
	fputc('\n', out);
}

static void put_script(const struct report *report, const char *terminal, FILE *out)
{
	size_t nr = report->result->nr_programs;
	size_t width = nr < 8 ? 900 : 900 + 40 * (nr - 8);
	struct range ratios = {1, 1}, runs = {1, 1};

	fprintf(out,
		"set terminal %s noenhanced size %zu,760 font 'sans,11' background rgb 'white'\n",
		terminal, width);
	put_ratios(report, out, &ratios);
	put_runs(report, out, &runs);
	fprintf(out, "set multiplot layout 2,1\nset grid ytics lc rgb '#dddddd'\n"
		     "set key outside right top\n");
	put_range(&ratios, out);
	put_ratio_plot(report, out);
	put_range(&runs, out);
	put_run_plot(report, out);
	fprintf(out, "unset multiplot\n");
}

/* Runs gnuplot with a script, its picture into a file. */
static int draw(FILE *script, FILE *out)
{
	static char name[] = "gnuplot";
	char *argv[] = {name, NULL};
	posix_spawn_file_actions_t actions;
	int status, r;
	pid_t pid;

	if (fflush(script) != 0 || fflush(out) != 0 || lseek(fileno(script), 0, SEEK_SET) < 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	r = -posix_spawnp(&pid, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (r == -ENOENT)
		say("compare: pictures are drawn by gnuplot, which is not installed");
	if (r < 0)
		return r;
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return status == 0 ? 0 : -EIO;
}

int export_plot(const struct report *report, const char *terminal, FILE *out)
{
	FILE *script = tmpfile();
	int r;

	if (!script)
		return -errno;
	put_script(report, terminal, script);
	r = draw(script, out);
	fclose(script);
	return r;
}
