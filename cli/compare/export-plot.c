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
#include <stdlib.h>
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

/* The range of an axis: gnuplot finds none where all values are equal, or there is none. */
struct range {
	double low;
	double high;
};

static void widen(struct range *range, double low, double high)
{
	range->low = fmin(range->low, low);
	range->high = fmax(range->high, high);
}

static void put_range(const char *axis, const struct range *range, FILE *out)
{
	double margin = fmax(0.01, 0.05 * (range->high - range->low));

	/* One wild run shall not press all others into a line. */
	if (range->high / range->low > 3) {
		fprintf(out, "set logscale %s 2\nset %srange [%.6f:%.6f]\n", axis, axis,
			range->low / 1.1, range->high * 1.1);
		return;
	}
	fprintf(out, "set %srange [%.6f:%.6f]\n", axis, range->low - margin, range->high + margin);
}

/* A line of the table: a ratio of a program, or their mean. */
struct row {
	const char *name;
	const char *arm; /* NULL: there is one comparison alone */
	const struct interval *ratio;
	enum verdict verdict;
	const char *published;
};

static size_t count_rows(const struct report *report)
{
	size_t programs = report->result->nr_programs;

	return (programs > 1 ? programs + 1 : 1) * report->result->nr_comparisons;
}

/* Row i from the top; all ratios of a program, then the next program. */
static struct row get_row(const struct report *report, size_t i)
{
	const struct result *result = report->result;
	const struct settings *settings = report->compare->settings;
	size_t p = i / result->nr_comparisons, c = i % result->nr_comparisons;
	struct row row = {.verdict = VERDICT_UNRESOLVED};

	if (result->nr_comparisons > 1)
		row.arm = settings->arms[result->programs[0].comparisons[c].arm].label;
	if (p == result->nr_programs) {
		row.name = "geometric mean";
		row.ratio = &result->means[c];
		if (result->nr_means[c] > 0 && row.ratio->low > 0)
			row.verdict = VERDICT_FASTER;
		else if (result->nr_means[c] > 0 && row.ratio->high < 0)
			row.verdict = VERDICT_SLOWER;
		return row;
	}
	row.name = report->compare->programs[p].name;
	row.ratio = &result->programs[p].comparisons[c].ratio;
	row.verdict = result->programs[p].comparisons[c].verdict;
	row.published = report->compare->programs[p].published;
	return row;
}

/* The next number behind "=" in "SUITE:PROGRAM=RATIO ...". Returns where to go on; NULL: no more.
 */
static const char *next_published(const char *text, double *ret_value)
{
	char *end;

	text = text ? strchr(text, '=') : NULL;
	if (!text)
		return NULL;
	*ret_value = strtod(text + 1, &end);
	return end > text + 1 ? end : NULL;
}

/* Bars above 1, below 1, and those that say nothing; told apart by all eyes and in grey. */
static const char *colour(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_FASTER:
		return "0x2b6cb0";
	case VERDICT_SLOWER:
		return "0xdd8a2b";
	default:
		return "0xb8b8b8";
	}
}

/* Data blocks: the rows, from the top; what others published of them. */
static void put_ratios(const struct report *report, FILE *out, struct range *range)
{
	size_t rows = count_rows(report);
	double value = NAN;

	fprintf(out, "$ratios << THPCTL_END\n");
	for (size_t i = 0; i < rows; i++) {
		struct row row = get_row(report, i);

		if (!isfinite(row.ratio->low) || isnan(row.ratio->value)) {
			fprintf(out, "%zu NaN NaN NaN 0\n", i);
			continue;
		}
		widen(range, exp(row.ratio->low), exp(row.ratio->high));
		fprintf(out, "%zu %.6f %.6f %.6f %s\n", i, exp(row.ratio->value),
			exp(row.ratio->low), exp(row.ratio->high), colour(row.verdict));
	}
	fprintf(out, "THPCTL_END\n$published << THPCTL_END\n");
	for (size_t i = 0; i < rows; i++) {
		const char *at = get_row(report, i).published;

		while ((at = next_published(at, &value)) != NULL)
			fprintf(out, "%zu %.6f\n", i, value);
	}
	/* gnuplot refuses a block without a point. */
	fprintf(out, "%sTHPCTL_END\n", isnan(value) ? "NaN NaN\n" : "");
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

/* What stands right of a row: the numbers, and those that others published. */
static void put_numbers(const struct row *row, FILE *out)
{
	char text[REPORT_TEXT_MAX + 128], ratio[REPORT_TEXT_MAX];
	const char *at = row->published, *comma = "; published ";
	size_t len = (size_t)snprintf(text, sizeof(text), "%s", report_ratio(ratio, row->ratio));
	double value;

	while ((at = next_published(at, &value)) != NULL && len < sizeof(text) - 64) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%g", comma, value);
		comma = ", ";
	}
	put_string(out, text);
}

static void put_ratio_plot(const struct report *report, FILE *out)
{
	const struct settings *settings = report->compare->settings;
	size_t rows = count_rows(report);
	char text[REPORT_TEXT_MAX];

	fprintf(out, "set title ");
	if (report->result->nr_comparisons == 1)
		report_direction(text, report, &report->result->programs[0].comparisons[0]);
	else
		snprintf(text, sizeof(text),
			 settings->invert ? "performance %s / each mode; above 1.0 %s is faster"
					  : "performance each mode / %s; below 1.0 %s is faster",
			 settings->arms[settings->base].label,
			 settings->arms[settings->base].label);
	put_string(out, text);
	fprintf(out, "\nset yrange [%zu.5:-0.5]\nset ytics nomirror (", rows - 1);
	for (size_t i = 0; i < rows; i++) {
		struct row row = get_row(report, i);

		snprintf(text, sizeof(text), row.arm ? "%s, %s" : "%s", row.name, row.arm);
		fprintf(out, "%s", i ? ", " : "");
		put_string(out, text);
		fprintf(out, " %zu", i);
	}
	fprintf(out, ")\nset y2range [%zu.5:-0.5]\nset y2tics nomirror (", rows - 1);
	for (size_t i = 0; i < rows; i++) {
		struct row row = get_row(report, i);

		fprintf(out, "%s", i ? ", " : "");
		put_numbers(&row, out);
		fprintf(out, " %zu", i);
	}
	/* Bars from 1.0, to the right or to the left: the length is the effect. */
	fprintf(out, ")\nset arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb '#444444'\n"
		     "plot $ratios using 2:1:(1):2:($1-0.33):($1+0.33):5 with boxxyerror lc rgb "
		     "variable fs solid 0.8 noborder notitle, "
		     "$ratios using 2:1:3:4 with xerrorbars pt 7 ps 0.4 lw 1.5 lc rgb '#000000' "
		     "notitle, "
		     "$published using 2:1 with points pt 4 ps 1 lc rgb '#a3170f' notitle\n"
		     "unset arrow 1\nunset logscale x\nunset y2tics\nset yrange [*:*]\nset ytics "
		     "auto\n");
}

static void put_run_plot(const struct report *report, FILE *out)
{
	const struct settings *settings = report->compare->settings;
	bool less, mixed = false;
	enum measure m = result_measure(&report->compare->programs[0], &less);

	for (size_t p = 1; p < report->result->nr_programs; p++)
		mixed = mixed || result_measure(&report->compare->programs[p], &less) != m;
	fprintf(out,
		"set title 'all runs over time, in parts of the median in mode %s'\n"
		"set xtics auto\nset autoscale x\nset xlabel 'seconds since the start'\n"
		"set ylabel '%s'\nset key at graph 1.02, graph 1 left top Left reverse\nplot ",
		settings->arms[settings->base].label,
		mixed ? "metric or wall time" : measures[m].title);
	for (size_t a = 0; a < settings->nr_arms; a++) {
		fprintf(out, "%s$runs%zu using 1:2 with points pt %d ps 0.7 lc %zu title ",
			a ? ", " : "", a, a % 2 ? 6 : 7, a + 1);
		put_string(out, settings->arms[a].label);
	}
	fputc('\n', out);
}

#define WIDTH    1100
#define LETTER   7.5 /* pixels, of the font below */
#define ROW      21
#define MARGIN   70 /* title above, numbers of the axis below */
#define RUNS     380
#define NUMBERS  28 /* letters right of a row, */
#define QUOTED   20 /* and so many more for what others published */
#define NAME_MAX 40

/* Each panel has its place in pixels: however many rows, and however long their names. */
static void put_panel(double left, double right, double top, double bottom, double height,
		      FILE *out)
{
	fprintf(out,
		"set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
		"set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
		left / WIDTH, 1 - right / WIDTH, 1 - top / height, 1 - bottom / height);
}

static void put_script(const struct report *report, const char *terminal, FILE *out)
{
	struct range ratios = {1, 1}, runs = {1, 1};
	size_t rows = count_rows(report), longest = 8, numbers = NUMBERS;
	double table = (double)rows * ROW + MARGIN, height = table + RUNS, left, right;

	for (size_t i = 0; i < rows; i++) {
		struct row row = get_row(report, i);
		size_t len = strlen(row.name) + (row.arm ? strlen(row.arm) + 2 : 0);

		longest = len > longest ? len : longest;
		numbers = row.published ? NUMBERS + QUOTED : numbers;
	}
	left = 20 + LETTER * (double)(longest < NAME_MAX ? longest : NAME_MAX);
	right = LETTER * (double)numbers;
	fprintf(out,
		"set terminal %s noenhanced size %d,%.0f font 'sans,10' background rgb 'white'\n",
		terminal, WIDTH, height);
	put_ratios(report, out, &ratios);
	put_runs(report, out, &runs);
	fprintf(out, "set multiplot\nset grid xtics ytics lc rgb '#dddddd'\nset tics scale 0.5\n");
	put_panel(left, right, 40, table - 30, height, out);
	put_range("x", &ratios, out);
	put_ratio_plot(report, out);
	put_panel(left > 80 ? left : 80, right, table + 40, height - 50, height, out);
	put_range("y", &runs, out);
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

/* The text of a file that another program wrote to; the caller frees it. */
static int text_of(FILE *file, char **ret_text)
{
	long len;
	char *text;

	/* It was written past our stream: its end is found anew. */
	if (fseek(file, 0, SEEK_END) != 0 || (len = ftell(file)) <= 0)
		return -EIO;
	text = malloc((size_t)len + 1);
	if (!text)
		return -ENOMEM;
	rewind(file);
	text[fread(text, 1, (size_t)len, file)] = '\0';
	*ret_text = text;
	return 0;
}

int export_drawing(const struct report *report, char **ret_svg)
{
	FILE *file = tmpfile();
	int r = file ? export_plot(report, "svg", file) : -errno;

	if (r == 0)
		r = text_of(file, ret_svg);
	if (file)
		fclose(file);
	return r;
}

/* The picture with all that it was drawn from. ">" cannot stand there: it might end the section. */
int export_svg(const struct report *report, FILE *out)
{
	char *svg = NULL, *end, *text = NULL;
	int r = export_drawing(report, &svg);

	if (r == 0)
		r = export_json_text(report, &text);
	end = r == 0 ? strstr(svg, "</svg>") : NULL;
	if (end) {
		fprintf(out, "%.*s<metadata id=\"data\"><![CDATA[", (int)(end - svg), svg);
		for (const char *at = text; *at; at++)
			*at == '>' ? fputs("\\u003e", out) : fputc(*at, out);
		fprintf(out, "]]></metadata>\n%s", end);
	} else if (r == 0) {
		r = -EIO;
	}
	free(svg);
	free(text);
	return r;
}
