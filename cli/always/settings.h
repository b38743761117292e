/* SPDX-License-Identifier: MIT */
/* The first way to always: allocators and runtimes are told by what they document for it. */
#ifndef CLI_ALWAYS_SETTINGS_H
#define CLI_ALWAYS_SETTINGS_H

#include "program.h"

#include "thp.h"

#include <stdbool.h>
#include <stddef.h>

enum setting_state {
	SETTING_MADE,  /* told */
	SETTING_THERE, /* the user told it so already */
	SETTING_KEPT,  /* the user told it otherwise, which stays */
	SETTING_NONE,  /* nothing can be told to it here */
};

#define SETTING_TEXT_MAX 512
#define SETTINGS_MAX     8

struct setting {
	const char *who; /* "glibc's malloc" */
	enum setting_state state;
	char text[SETTING_TEXT_MAX]; /* what it is told: "NAME=value"; NONE: why not */
};

struct settings {
	struct setting list[SETTINGS_MAX];
	size_t nr;
	char **argv; /* of the command, an option more than it was where a runtime takes one */
};

/*
 * Changes the environment of this process, which is to become the program, for the allocators and
 * runtimes that are found in it. What the user set is neither changed nor overruled. 0 or -ENOMEM.
 */
int settings_make(const struct program *program, const struct thp_system *system, char **argv,
		  struct settings *ret_settings);

void settings_free(struct settings *settings, char **argv);

/* Whether anything asks for huge pages now. */
bool settings_count(const struct settings *settings);

#endif /* CLI_ALWAYS_SETTINGS_H */
