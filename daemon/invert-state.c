// SPDX-License-Identifier: MIT
#include "invert-state.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOOT_MAX 64

/* Tells this boot from others: after the next one there is nothing to put back. */
static void read_boot(char boot[BOOT_MAX])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	snprintf(boot, BOOT_MAX, "unknown");
	if (!file)
		return;
	if (fgets(boot, BOOT_MAX, file))
		boot[strcspn(boot, "\n")] = '\0';
	fclose(file);
}

static int add(struct invert_state *state, pid_t pid, uint64_t id)
{
	struct invert_keep *keep = reallocarray(state->keep, state->nr + 1, sizeof(*keep));

	if (!keep)
		return -ENOMEM;
	state->keep = keep;
	keep[state->nr++] = (struct invert_keep){pid, id};
	return 0;
}

static enum thp_setting setting_of(const char *name)
{
	static const enum thp_setting known[] = {THP_SETTING_NEVER, THP_SETTING_MADVISE,
						 THP_SETTING_ALWAYS};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(thp_setting_name(known[i]), name) == 0)
			return known[i];
	}
	return THP_SETTING_UNKNOWN;
}

/* One line "NAME VALUE...". 0 or -errno. */
static int take(struct invert_state *state, const char *line, bool *ret_same_boot)
{
	char boot[BOOT_MAX], word[BOOT_MAX];
	uint64_t id;
	int pid;

	if (sscanf(line, "boot %63s", word) == 1) {
		read_boot(boot);
		*ret_same_boot = strcmp(boot, word) == 0;
		return 0;
	}
	if (sscanf(line, "enabled %63s", word) == 1) {
		state->found = setting_of(word);
		return 0;
	}
	if (sscanf(line, "keep %d %" SCNu64, &pid, &id) == 2)
		return add(state, pid, id);
	return strcmp(line, "end\n") == 0 ? 0 : -EBADMSG;
}

int invert_state_read(const char *path, struct invert_state *ret_state)
{
	struct invert_state state = {0};
	FILE *file = fopen(path, "re");
	bool same_boot = false;
	char line[256] = "";
	int r = 0;

	if (!file)
		return -errno;
	while (r == 0 && fgets(line, sizeof(line), file))
		r = take(&state, line, &same_boot);
	fclose(file);
	if (r == 0 && strcmp(line, "end\n") != 0)
		r = -EBADMSG;
	if (r == 0 && !same_boot)
		r = -ENOENT;
	if (r < 0) {
		invert_state_free(&state);
		return r;
	}
	*ret_state = state;
	return 0;
}

static void put(FILE *file, const struct invert_state *state)
{
	char boot[BOOT_MAX];

	read_boot(boot);
	fprintf(file, "boot %s\n", boot);
	if (state->found != THP_SETTING_UNKNOWN)
		fprintf(file, "enabled %s\n", thp_setting_name(state->found));
	for (size_t i = 0; i < state->nr; i++)
		fprintf(file, "keep %d %" PRIu64 "\n", (int)state->keep[i].pid, state->keep[i].id);
	fputs("end\n", file);
}

int invert_state_write(const char *path, const struct invert_state *state)
{
	char temporary[PATH_MAX];
	FILE *file;
	int err = 0;

	if (snprintf(temporary, sizeof(temporary), "%s.new", path) >= (int)sizeof(temporary))
		return -ENAMETOOLONG;
	file = fopen(temporary, "we");
	if (!file)
		return -errno;
	put(file, state);
	if (fflush(file) != 0 || fsync(fileno(file)) < 0)
		err = errno;
	if (fclose(file) != 0 && !err)
		err = errno;
	if (!err && rename(temporary, path) < 0)
		err = errno;
	return -err;
}

void invert_state_free(struct invert_state *state)
{
	free(state->keep);
	*state = (struct invert_state){0};
}
