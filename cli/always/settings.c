// SPDX-License-Identifier: MIT
#include "settings.h"

#include "merge.h"

#include "../../common/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static struct setting *add(struct settings *settings, const char *who, enum setting_state state)
{
	struct setting *setting = &settings->list[settings->nr++];

	setting->who = who;
	setting->state = state;
	return setting;
}

static void none(struct settings *settings, const char *who, const char *why)
{
	struct setting *setting = add(settings, who, SETTING_NONE);

	snprintf(setting->text, sizeof(setting->text), "%s", why);
}

/* Sets a variable, or leaves it as it is where that is what it holds. */
static int set(struct settings *settings, const char *who, const char *variable, const char *value)
{
	const char *have = getenv(variable);
	bool there = have && strcmp(have, value) == 0;
	struct setting *setting = add(settings, who, there ? SETTING_THERE : SETTING_MADE);

	snprintf(setting->text, sizeof(setting->text), "%s=%s", variable, value);
	return there || setenv(variable, value, 1) == 0 ? 0 : -ENOMEM;
}

static void kept(struct settings *settings, const char *who, const char *variable)
{
	struct setting *setting = add(settings, who, SETTING_KEPT);
	const char *value = getenv(variable);

	snprintf(setting->text, sizeof(setting->text), "%s=%s", variable, value ? value : "");
}

/* A variable that holds a list: pairs[0] is what matters, the others only with it. */
static int set_list(struct settings *settings, const char *who, const char *variable,
		    const struct merge_style *style, const struct merge_pair *pairs, size_t nr)
{
	const char *have = getenv(variable);
	char value[MERGE_VALUE_MAX], *merged;
	int r;

	if (have && merge_value(style, have, pairs[0].name, value) &&
	    strcmp(value, pairs[0].value) != 0) {
		kept(settings, who, variable);
		return 0;
	}
	merged = merge_add(style, have, pairs, nr);
	if (!merged)
		return -ENOMEM;
	r = set(settings, who, variable, merged);
	free(merged);
	return r;
}

/* A variable that is one switch. */
static int set_switch(struct settings *settings, const char *who, const char *variable)
{
	const char *have = getenv(variable);

	if (have && strcmp(have, "1") != 0) {
		kept(settings, who, variable);
		return 0;
	}
	return set(settings, who, variable, "1");
}

static long read_number(const char *path, long otherwise)
{
	char *text = NULL;
	long number = file_read(path, &text) > 0 ? strtol(text, NULL, 10) : otherwise;

	free(text);
	return number;
}

/* ---- glibc -------------------------------------------------------------------------------------
 */

/*
 * Where address space or promised memory is counted, what malloc takes in advance would be missing
 * elsewhere.
 */
static bool space_is_short(void)
{
	static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
	struct rlimit limit;

	for (size_t i = 0; i < NR(limits); i++) {
		if (getrlimit(limits[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
			return true;
	}
	return read_number("/proc/sys/vm/overcommit_memory", 0) == 2;
}

/*
 * hugetlb=1 is "advise" (glibc 2.35). It does little by itself: the heaps of threads grow in steps
 * of some pages, which are too small for a huge page at the first touch; top_pad makes each as
 * large as it can become. That ends the adaptation of the other two thresholds, so they get what
 * they would have become: blocks that are freed and taken again come from the heap, not each time
 * from new pages, and a heap is cut when it has twice as much to spare as it keeps, not at each
 * free(3).
 */
static int set_glibc(const struct program *program, struct settings *settings)
{
	static const char who[] = "glibc's malloc", variable[] = "GLIBC_TUNABLES";
	static const struct merge_style style = {':', '='};
	static const struct {
		struct merge_pair pair;
		const char *old_variable; /* that says the same in an older way */
	} wanted[] = {
		{{"glibc.malloc.hugetlb", "1"}, NULL},
		{{"glibc.malloc.top_pad", "67108864"}, "MALLOC_TOP_PAD_"},
		{{"glibc.malloc.mmap_threshold", "33554432"}, "MALLOC_MMAP_THRESHOLD_"},
		{{"glibc.malloc.trim_threshold", "134217728"}, "MALLOC_TRIM_THRESHOLD_"},
	};
	struct image *libc = program->loader ? program->loader : program->main;
	struct merge_pair pairs[NR(wanted)];
	size_t nr = 0, most;

	if (!image_holds(libc, wanted[0].pair.name)) {
		none(settings, who, "it cannot advise its memory before glibc 2.35");
		return 0;
	}
	most = space_is_short() || !image_is_64bit(program->main) ? 1 : NR(wanted);
	for (size_t i = 0; i < most; i++) {
		if (!wanted[i].old_variable || !getenv(wanted[i].old_variable))
			pairs[nr++] = wanted[i].pair;
	}
	return set_list(settings, who, variable, &style, pairs, nr);
}

static bool is_glibc(const struct program *program)
{
	if (program->loader)
		return image_holds(program->loader, "GLIBC_TUNABLES");
	return image_holds(program->main, "GLIBC_TUNABLES");
}

static bool is_musl(const struct program *program)
{
	return program->loader && strstr(image_path(program->loader), "musl");
}

/* ---- other allocators --------------------------------------------------------------------------
 */

/*
 * Calls take(image) for the program, where an allocator may be built in, and for its library, until
 * one takes it.
 */
struct search {
	const struct program *program;
	const char *library; /* how the name of its file begins */
	struct image *opened;
	unsigned next;
};

static struct image *search_next(struct search *search)
{
	const char *path;

	image_close(search->opened);
	search->opened = NULL;
	switch (search->next++) {
	case 0:
		return search->program->main;
	case 1:
		path = program_library(search->program, search->library);
		if (path && image_open(path, &search->opened) == 0)
			return search->opened;
		return NULL;
	default:
		return NULL;
	}
}

/*
 * jemalloc 5.1 and later have "thp:always", and with it the word metadata_thp. The name of the
 * variable begins as its functions do: Rust's is _RJEM_MALLOC_CONF. Returns 1 if it serves
 * malloc(3) itself, 0, or -ENOMEM.
 */
static int set_jemalloc(const struct program *program, struct settings *settings)
{
	static const char who[] = "jemalloc";
	static const struct merge_style style = {',', ':'};
	static const struct merge_pair pair = {"thp", "always"};
	struct search search = {.program = program, .library = "libjemalloc"};
	struct image *image;
	char variable[64];
	int r = 0;

	while ((image = search_next(&search)) != NULL) {
		if (!image_variable(image, "MALLOC_CONF", variable, sizeof(variable)) ||
		    !image_holds(image, "opt.metadata_thp"))
			continue;
		r = set_list(settings, who, variable, &style, &pair, 1);
		if (r == 0)
			r = strcmp(variable, "MALLOC_CONF") == 0;
		break;
	}
	image_close(search.opened);
	return r;
}

/*
 * mimalloc advises where it may use large pages; but first it takes those that were set aside for
 * hugetlbfs, which are somebody else's. Returns as above.
 */
static int set_mimalloc(const struct program *program, struct settings *settings)
{
	static const char who[] = "mimalloc";
	struct search search = {.program = program, .library = "libmimalloc"};
	struct image *image;
	int r = 0;

	while ((image = search_next(&search)) != NULL) {
		bool now = image_holds(image, "allow_large_os_pages"); /* mimalloc 2.1 */

		if (!image_holds(image, "mimalloc_") ||
		    (!now && !image_holds(image, "large_os_pages")))
			continue;
		r = 1;
		if (read_number("/proc/sys/vm/nr_hugepages", 1) > 0 ||
		    read_number("/proc/sys/vm/nr_overcommit_hugepages", 1) > 0)
			none(settings, who, "it would take the pages set aside for hugetlbfs");
		else if (set_switch(settings, who,
				    now ? "MIMALLOC_ALLOW_LARGE_OS_PAGES"
					: "MIMALLOC_LARGE_OS_PAGES") < 0)
			r = -ENOMEM;
		break;
	}
	image_close(search.opened);
	return r;
}

static int set_php(const struct program *program, struct settings *settings)
{
	static const char variable[] = "USE_ZEND_ALLOC_HUGE_PAGES";
	struct search search = {.program = program, .library = "libphp"};
	struct image *image;
	int r = 0;

	while ((image = search_next(&search)) != NULL) {
		if (image_holds(image, variable)) {
			r = set_switch(settings, "PHP", variable);
			break;
		}
	}
	image_close(search.opened);
	return r;
}

/* ---- Java --------------------------------------------------------------------------------------
 */

/* Whether an option or one of the variables that a JVM reads speaks of huge pages. */
static const char *java_says(char **argv)
{
	static const char *const variables[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
						"_JAVA_OPTIONS"};
	static const char *const words[] = {"UseTransparentHugePages", "UseLargePages"};

	for (size_t w = 0; w < NR(words); w++) {
		for (size_t i = 1; argv[i]; i++) {
			if (strncmp(argv[i], "-XX:", 4) == 0 && strstr(argv[i], words[w]))
				return argv[i];
		}
		for (size_t i = 0; i < NR(variables); i++) {
			const char *value = getenv(variables[i]);

			if (value && strstr(value, words[w]))
				return value;
		}
	}
	return NULL;
}

/*
 * An option of the command, not a variable: the JVM writes a line on standard error for each
 * variable that it takes options from, and so would those that the program starts.
 */
static int set_java(const struct program *program, char **argv, struct settings *settings)
{
	static const char who[] = "Java";
	static char option[] = "-XX:+UseTransparentHugePages";
	struct setting *setting;
	size_t nr = 0;
	const char *says;

	if (program->script || !program_library(program, "libjli.so") ||
	    strcmp(strrchr(image_path(program->main), '/'), "/java") != 0)
		return 0;
	says = java_says(argv);
	if (says) {
		setting = add(settings, who,
			      strstr(says, "+UseTransparentHugePages") ? SETTING_THERE
								       : SETTING_KEPT);
		snprintf(setting->text, sizeof(setting->text), "%s", says);
		return 0;
	}
	while (argv[nr])
		nr++;
	settings->argv = calloc(nr + 2, sizeof(*argv));
	if (!settings->argv)
		return -ENOMEM;
	settings->argv[0] = argv[0];
	settings->argv[1] = option;
	memcpy(settings->argv + 2, argv + 1, (nr - 1) * sizeof(*argv));
	snprintf(add(settings, who, SETTING_MADE)->text, SETTING_TEXT_MAX, "%s", option);
	return 0;
}

/* ---- all ---------------------------------------------------------------------------------------
 */

/* What serves malloc(3), if it is not glibc's own. */
static int set_allocator(const struct program *program, struct settings *settings)
{
	int jemalloc = set_jemalloc(program, settings), mimalloc = 0;

	if (jemalloc == 0)
		mimalloc = set_mimalloc(program, settings);
	if (jemalloc < 0 || mimalloc < 0)
		return -ENOMEM;
	if (jemalloc || mimalloc)
		return 0;
	if (program_library(program, "libtcmalloc")) {
		none(settings, "tcmalloc", "it has no setting for it");
		return 0;
	}
	if (is_musl(program)) {
		none(settings, "musl's malloc", "it has no setting for it");
		return 0;
	}
	return is_glibc(program) ? set_glibc(program, settings) : 0;
}

/* Why nothing can be told to anybody. NULL: it can. */
static const char *hindrance(const struct program *program, const struct thp_system *system)
{
	enum thp_setting says = thp_system_anon(system, system->pmd_bytes);

	if (says != THP_SETTING_MADVISE && says != THP_SETTING_ALWAYS)
		return "the system heeds no advice";
	if (says == THP_SETTING_MADVISE && system->enabled != THP_SETTING_MADVISE)
		return "allocators look at the system's first setting, which is not madvise";
	if (program->other_rights)
		return "with other rights than yours it trusts no environment";
	return NULL;
}

int settings_make(const struct program *program, const struct thp_system *system, char **argv,
		  struct settings *ret_settings)
{
	struct settings settings = {.argv = argv};
	const char *why = hindrance(program, system);
	int r = 0;

	if (!why) {
		r = set_allocator(program, &settings);
		if (r == 0)
			r = set_php(program, &settings);
		if (r == 0)
			r = set_java(program, argv, &settings);
	}
	if (settings.nr == 0)
		none(&settings, "the program", why ? why : "nothing in it is known to take one");
	*ret_settings = settings;
	return r;
}

void settings_free(struct settings *settings, char **argv)
{
	if (settings->argv != argv)
		free(settings->argv);
}

bool settings_count(const struct settings *settings)
{
	for (size_t i = 0; i < settings->nr; i++) {
		if (settings->list[i].state == SETTING_MADE ||
		    settings->list[i].state == SETTING_THERE)
			return true;
	}
	return false;
}
