// SPDX-License-Identifier: MIT
/* thpctl: the table of verbs. */
#include "cli.h"
#include "front.h"
#include "output.h"

#include "../common/escape.h"
#include "../common/nearest.h"
#include "../common/say.h"

#include "thp.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct verb {
	const char *name;
	int (*main)(int argc, char **argv); /* NULL: an executable of its own */
	const char *what;
};

static const struct verb verbs[] = {
	{"run", cmd_run, "start a command with a THP mode for it and its children"},
	{"show", NULL, "show the system's settings, or the mode and memory of processes"},
	{"map", cmd_map, "show which memory of a process is huge, where, and why not more"},
	{"top", NULL, "show huge memory of all processes, live"},
	{"compare", NULL, "THP modes side by side: which is faster, with statistics"},
	{"set", NULL, "change the mode of processes that run"},
	{"collapse", NULL, "make huge pages of the memory that a process has, now"},
	{"split", NULL, "split the huge pages that a process has, now"},
	{"rules", NULL, "which rule of thpd a process is under, and why"},
};
#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int help(void)
{
	printf("usage: thpctl VERB [ARG...]\n"
	       "Control transparent huge pages (THP) for one process tree, not for the "
	       "machine.\n\n");
	for (size_t i = 0; i < NR_VERBS; i++)
		printf("  %-9s %s\n", verbs[i].name, verbs[i].what);
	printf("  %-9s %s\n", "help", "show this text, or the usage of one verb");
	printf("\n"
	       "Modes: never    no huge pages, not even where the program advises them\n"
	       "       madvise  only where the program advises them\n"
	       "       always   wherever memory allows\n"
	       "       default  as the system says; clears an inherited mode\n"
	       "\n"
	       "  thpctl run never -- ./program    # huge pages off for this program alone\n"
	       "  thpctl show --tree $$            # who set the mode that this shell has?\n"
	       "\n"
	       "thpctl help VERB tells its options; man thpctl tells everything.\n");
	return output_end("help", CLI_OK);
}

static int version(void)
{
	printf("thpctl " THP_VERSION "\n");
	return output_end("version", CLI_OK);
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < NR_VERBS; i++) {
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	}
	return NULL;
}

static int unknown_verb(const char *name)
{
	const char *words[NR_VERBS + 1] = {"help"};
	char shown[CLI_SHOWN_MAX];
	enum thp_mode mode;
	const char *near;

	escape_text(shown, sizeof(shown), name);
	if (thp_mode_parse(name, &mode) == 0) {
		say("'%s' is a mode, not a verb: did you mean 'thpctl run %s'?", shown, shown);
		return CLI_USAGE;
	}
	for (size_t i = 0; i < NR_VERBS; i++)
		words[i + 1] = verbs[i].name;
	near = nearest(name, words, NR_VERBS + 1);
	if (near)
		say("unknown verb '%s': did you mean '%s'?", shown, near);
	else
		say("unknown verb '%s': 'thpctl help' lists them", shown);
	return CLI_USAGE;
}

/*
 * Where standard descriptors are closed, what a verb opens next would take their numbers and its
 * output. A file that cannot be written stands in for them, so that this is an error as before.
 */
static void fill_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static int dispatch(const struct verb *verb, int argc, char **argv)
{
	/* A command gets the descriptors that its caller gave. */
	if (verb->main != cmd_run)
		fill_descriptors();
	return verb->main ? verb->main(argc, argv) : exec_verb(verb->name, argv);
}

static int help_verb(const char *name)
{
	const struct verb *verb = find_verb(name);
	char option[] = "--help";
	char *argv[] = {(char *)name, option, NULL};

	if (strcmp(name, "help") == 0)
		return help();
	return verb ? dispatch(verb, 2, argv) : unknown_verb(name);
}

int main(int argc, char **argv)
{
	const struct verb *verb;

	if (argc < 2) {
		say("no verb given: 'thpctl help' lists them");
		return CLI_USAGE;
	}
	verb = find_verb(argv[1]);
	if (verb)
		return dispatch(verb, argc - 1, argv + 1);
	if (strcmp(argv[1], "help") == 0 && argc > 2)
		return help_verb(argv[2]);
	if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
	    strcmp(argv[1], "-h") == 0)
		return help();
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return version();
	return unknown_verb(argv[1]);
}
