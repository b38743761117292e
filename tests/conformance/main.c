/* SPDX-License-Identifier: MIT */
/*
 * What this kernel does with transparent huge pages, beside what it should do.
 *
 * The only part of the project that writes below /sys/kernel/mm/transparent_hugepage: guard.h says
 * how the old values come back. Order of reading: model.c (what is expected and why), cell.c (one
 * experiment), matrix.c (all of them).
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard.h"
#include "init.h"
#include "kernel.h"
#include "programs.h"
#include "settings.h"
#include "suite.h"

enum status { STATUS_MATCH, STATUS_MISMATCH, STATUS_BROKEN, STATUS_OPEN };

static const char usage[] =
	"usage: conformance [--tap] [--json FILE] [--lock FILE] [--file-dir DIR]\n"
	"  --tap       results as TAP, for prove\n"
	"  --json FILE everything seen, as JSON (\"-\": after the table)\n"
	"  --lock FILE held while settings are changed (" GUARD_LOCK_PATH ")\n"
	"  --file-dir DIR  for the private file; not on tmpfs\n"
	"As PID 1 (/init of a guest): mounts what it needs and powers off at the end; options "
	"come\n"
	"after \"--\" on the kernel's command line.\n"
	"Exit status: 0 all match, 1 a mismatch, 2 could not run or could not restore the "
	"settings,\n"
	"3 no mismatch, but an outcome that the kernel leaves open.\n";

struct options {
	bool tap;
	const char *json, *lock, *file_dir;
};

/* Returns 0, or the exit status + 1. */
static int parse_options(int argc, char **argv, struct options *ret_options)
{
	static const struct option known[] = {
		{"tap", no_argument, NULL, 't'},        {"json", required_argument, NULL, 'j'},
		{"lock", required_argument, NULL, 'l'}, {"file-dir", required_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
	};
	struct options options = {.lock = GUARD_LOCK_PATH};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 't':
			options.tap = true;
			break;
		case 'j':
			options.json = optarg;
			break;
		case 'l':
			options.lock = optarg;
			break;
		case 'f':
			options.file_dir = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return STATUS_MATCH + 1;
		default:
			fputs(usage, stderr);
			return STATUS_BROKEN + 1;
		}
	}
	if (optind != argc) {
		fputs(usage, stderr);
		return STATUS_BROKEN + 1;
	}
	*ret_options = options;
	return 0;
}

/* A flag that we inherited would be part of every experiment. */
static int clear_own_flag(void)
{
	long inherited = kernel_thp_get();

	if (inherited > 0)
		printf("# this process inherited the flag (GET %ld): cleared\n", inherited);
	return kernel_thp_set(0, 0) == 0 && kernel_thp_get() == 0 ? 0 : -1;
}

static const char *yes(bool value)
{
	return value ? "yes" : "no";
}

static void print_header(const struct suite *suite, const struct utsname *kernel)
{
	const struct report *report = &suite->report;
	const struct caps *caps = &suite->caps;

	report_line(report, true, "kernel %s %s, PMD size %ld kB, page %ld kB", kernel->release,
		    kernel->machine, caps->pmd_kb, sysconf(_SC_PAGESIZE) / 1024);
	report_line(
		report, true, "settings found: enabled=%s/%s shmem_enabled=%s/%s (top/PMD size)",
		model_word_name(suite->found.enabled), model_word_name(suite->found.size_enabled),
		model_word_name(suite->found.shmem), model_word_name(suite->found.size_shmem));
	report_line(report, true,
		    "has THP: %s, EXCEPT_ADVISED: %s, MADV_COLLAPSE: %s, THP_enabled: %s",
		    yes(caps->thp), yes(caps->except_advised), yes(caps->collapse),
		    yes(caps->status_field));
	report_line(report, true,
		    "files in %s (probed): huge by collapse: %s, huge at advised first touch: %s",
		    suite->place.file_dir, yes(caps->file_collapse), yes(caps->file_fault));
	if (suite->may_write && suite->found.size_shmem != WORD_ABSENT)
		report_line(report, true,
			    "MADV_COLLAPSE of shmem (probed): obeys the per-size file: %s",
			    yes(caps->shmem_size_binds));
	if (!suite->may_write)
		report_line(report, true, "settings stay as they are: changing them " NEEDS_ROOT);
}

static void run_experiments(struct suite *suite)
{
	run_arguments(suite);
	run_life(suite);
	run_matrix(suite);
	run_settings(suite);
	run_sizes(suite);
	run_khugepaged(suite);
}

static int finish(struct suite *suite, const struct utsname *kernel, const struct options *options)
{
	struct header header = {kernel, &suite->caps, &suite->found, suite->place.file_dir};
	int different = guard_end(), error = 0;

	report_end(&suite->report);
	if (options->json)
		error = report_write_json(&suite->report, &header, options->json);
	if (error < 0)
		fprintf(stderr, "conformance: %s: %s\n", options->json, strerror(-error));
	if (different)
		fprintf(stderr, "conformance: %d settings below " SETTINGS_DIR " not restored\n",
			different);
	if (error < 0 || different)
		return STATUS_BROKEN;
	if (suite->report.totals[VERDICT_MISMATCH])
		return STATUS_MISMATCH;
	return suite->report.totals[VERDICT_OPEN] ? STATUS_OPEN : STATUS_MATCH;
}

static int run_suite(int argc, char **argv)
{
	struct options options;
	struct suite suite = {0};
	struct utsname kernel;
	int error = parse_options(argc, argv, &options);

	if (error)
		return error - 1;
	if (!options.file_dir && getppid() == 1 && access(INIT_FILE_DIR, W_OK) == 0)
		options.file_dir = INIT_FILE_DIR;
	suite.report.tap = options.tap;
	suite.place.file_dir = programs_file_dir(options.file_dir);
	if (!suite.place.file_dir) {
		fprintf(stderr, "conformance: no writable directory off tmpfs; see --file-dir\n");
		return STATUS_BROKEN;
	}
	programs_find(&suite.place.dynamic_program, &suite.place.static_program);
	if (clear_own_flag() < 0) {
		fprintf(stderr, "conformance: prctl(PR_SET_THP_DISABLE, 0) does not work here\n");
		return STATUS_BROKEN;
	}
	uname(&kernel);
	suite.may_write = geteuid() == 0 && settings_writable();
	error = guard_begin(options.lock, suite.may_write);
	if (error < 0) {
		fprintf(stderr, "conformance: cannot guard the settings: %s\n", strerror(-error));
		return STATUS_BROKEN;
	}
	caps_detect(&suite.place, kernel.release, &suite.caps);
	suite.place.pmd_kb = suite.caps.pmd_kb;
	settings_read_system(suite.caps.pmd_kb, &suite.found);
	if (suite.may_write && settings_write_baseline(suite.caps.pmd_kb) < 0) {
		fprintf(stderr, "conformance: cannot write below " SETTINGS_DIR "\n");
		guard_end();
		return STATUS_BROKEN;
	}
	caps_detect_shmem_collapse(&suite);
	print_header(&suite, &kernel);
	run_experiments(&suite);
	return finish(&suite, &kernel, &options);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], CELL_OPTION) == 0)
		cell_main_after_exec(argc, argv);
	/* A container may run any program as its PID 1; the kernel runs only /init so. */
	if (getpid() == 1 && strcmp(argv[0], "/init") == 0)
		init_main(run_suite, argc, argv);
	return run_suite(argc, argv);
}
