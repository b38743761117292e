// SPDX-License-Identifier: MIT
#include "ways.h"

#include "../../common/escape.h"
#include "../../common/nearest.h"
#include "../../common/say.h"
#include "../cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define USUAL WAY_SETTINGS

static const struct {
	const char *name;
	unsigned way;
} names[] = {
	{"settings", WAY_SETTINGS},
};
#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static int unknown_way(const char *word)
{
	const char *words[NR_NAMES], *near;
	char shown[CLI_SHOWN_MAX], list[64] = "";

	for (size_t i = 0; i < NR_NAMES; i++) {
		words[i] = names[i].name;
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
			 words[i]);
	}
	near = nearest(word, words, NR_NAMES);
	say("run: --how: '%s' is no way to always: %s%s%s%s",
	    escape_text(shown, sizeof(shown), word), list, near ? "; did you mean '" : "",
	    near ? near : "", near ? "'?" : "");
	return -EINVAL;
}

int ways_parse(const char *how, unsigned *ret_ways)
{
	unsigned ways = 0;

	while (how) {
		char word[CLI_SHOWN_MAX];
		size_t len = strcspn(how, ","), i = 0;

		snprintf(word, sizeof(word), "%.*s", (int)len, how);
		while (i < NR_NAMES && strcmp(word, names[i].name) != 0)
			i++;
		if (i == NR_NAMES)
			return unknown_way(word);
		ways |= names[i].way;
		how = how[len] ? how + len + 1 : NULL;
	}
	*ret_ways = ways ? ways : USUAL;
	return 0;
}

/* Adds a reason to those why something is not in force. */
__attribute__((format(printf, 2, 3))) static void hindered(struct ways *ways, const char *fmt, ...)
{
	size_t len = strlen(ways->why);
	va_list args;

	if (len > 0 && len < sizeof(ways->why))
		len += (size_t)snprintf(ways->why + len, sizeof(ways->why) - len, "; ");
	if (len >= sizeof(ways->why))
		return;
	va_start(args, fmt);
	vsnprintf(ways->why + len, sizeof(ways->why) - len, fmt, args);
	va_end(args);
}

/* ---- settings ----------------------------------------------------------------------------------
 */

static void tell_setting(const struct setting *setting, bool verbose)
{
	char shown[SETTING_TEXT_MAX];

	escape_text(shown, sizeof(shown), setting->text);
	switch (setting->state) {
	case SETTING_MADE:
		if (verbose)
			say("always by settings: %s is told %s", setting->who, shown);
		break;
	case SETTING_THERE:
		if (verbose)
			say("always by settings: %s has %s already", setting->who, shown);
		break;
	case SETTING_KEPT:
		say("always not by settings: %s has %s from you, which stays", setting->who, shown);
		break;
	default:
		if (verbose)
			say("always not by settings: %s: %s", setting->who, shown);
	}
}

static int try_settings(const struct run_request *request, const struct program *program,
			const struct thp_system *system, struct ways *ways)
{
	int r = settings_make(program, system, request->command, &ways->settings);

	for (size_t i = 0; i < ways->settings.nr; i++) {
		const struct setting *setting = &ways->settings.list[i];

		tell_setting(setting, request->verbose);
		if (setting->state == SETTING_KEPT)
			hindered(ways, "settings: %s has others from you", setting->who);
		else if (setting->state == SETTING_NONE)
			hindered(ways, "settings: %s: %s", setting->who, setting->text);
	}
	ways->argv = ways->settings.argv;
	if (settings_count(&ways->settings))
		ways->in_force |= WAY_SETTINGS;
	return r;
}

/* ---- all ---------------------------------------------------------------------------------------
 */

/* The flag clear, and whether that is enough here. */
static int try_system(struct thp_ctx *ctx, const struct run_request *request, struct ways *ways)
{
	int r = thp_self_set(ctx, THP_MODE_ALWAYS, NULL);

	if (r == 0) {
		ways->system = true;
		if (request->verbose)
			say("always by the system's setting, until an administrator changes that");
		return 0;
	}
	hindered(ways, "%s", thp_reason(ctx));
	if (r == -EOPNOTSUPP)
		r = thp_self_set(ctx, THP_MODE_DEFAULT, NULL);
	return r;
}

/* Who starts what is not there, or no program, says so better. */
static int look_at_program(const char *command, struct program *program, struct ways *ways)
{
	int r = program_open(command, program);

	if (r == -ENOENT) {
		ways->absent = true;
		return 0;
	}
	if (r == -EACCES || r == -ENOEXEC) {
		hindered(ways, "settings: the program %s",
			 r == -EACCES ? "may be run and not read" : "is of an unknown kind");
		return 0;
	}
	return r;
}

int ways_try(struct thp_ctx *ctx, const struct run_request *request, unsigned asked,
	     struct ways *ret_ways)
{
	struct thp_system system = {.size = sizeof(system)};
	struct ways *ways = ret_ways;
	struct program program = {0};
	int r;

	*ways = (struct ways){.asked = asked, .argv = request->command};
	r = try_system(ctx, request, ways);
	if (r == 0)
		r = thp_system_read(ctx, &system);
	if (r == 0)
		r = look_at_program(request->command[0], &program, ways);
	if (r == 0 && program.main && (asked & WAY_SETTINGS))
		r = try_settings(request, &program, &system, ways);
	program_close(&program);
	if (r < 0 && !ways->why[0])
		hindered(ways, "%s", strerror(-r));
	return r;
}

void ways_end(struct ways *ways, const struct run_request *request)
{
	settings_free(&ways->settings, request->command);
}
