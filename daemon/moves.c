// SPDX-License-Identifier: MIT
#include "moves.h"

#include "../common/escape.h"
#include "../common/number.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define MASK (IN_MODIFY | IN_CREATE | IN_ONLYDIR | IN_EXCL_UNLINK | IN_DONT_FOLLOW)

/* A group that is written to again and again is looked at no oftener than this. */
#define QUIET_NS 20000000u

struct moves_group {
	int wd;
	bool is_dirty;
	uint64_t looked; /* when its members were judged last */
	struct moves_group *next_dirty;
	char path[];
};

static int compare(const void *one, const void *other)
{
	return ((const struct moves_group *)one)->wd - ((const struct moves_group *)other)->wd;
}

static struct moves_group *find(const struct moves *moves, int wd)
{
	const struct moves_group key = {.wd = wd};
	struct moves_group **found = tfind(&key, &moves->groups, compare);

	return found ? *found : NULL;
}

/* ---- members -----------------------------------------------------------------------------------
 */

static void judge_members(struct moves *moves, struct moves_group *group)
{
	char path[PATH_MAX], line[32];
	uint64_t now = loop_now();
	FILE *file;
	pid_t pid;

	group->looked = now;
	if (snprintf(path, sizeof(path), "%s/cgroup.procs", group->path) >= (int)sizeof(path))
		return;
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (number_pid(line, &pid) == 0)
			apply_judge(moves->apply, pid, WHY_MOVE, now);
	}
	fclose(file);
}

/* Looks at those that were quiet for long enough; the others in time. */
static void look(void *arg)
{
	struct moves *moves = arg;
	struct moves_group **at = &moves->dirty, *group;
	uint64_t now = loop_now();

	while ((group = *at)) {
		if (now - group->looked < QUIET_NS) {
			at = &group->next_dirty;
			continue;
		}
		*at = group->next_dirty;
		group->is_dirty = false;
		judge_members(moves, group);
	}
	if (moves->dirty)
		loop_set(moves->loop, &moves->timer, now + QUIET_NS);
}

static void taint(struct moves *moves, struct moves_group *group)
{
	if (group->is_dirty)
		return;
	group->is_dirty = true;
	group->next_dirty = moves->dirty;
	moves->dirty = group;
}

/* ---- groups ------------------------------------------------------------------------------------
 */

static void forget(struct moves *moves, int wd)
{
	struct moves_group *group = find(moves, wd), **at = &moves->dirty;

	if (!group)
		return;
	while (*at && *at != group)
		at = &(*at)->next_dirty;
	if (*at)
		*at = group->next_dirty;
	tdelete(group, &moves->groups, compare);
	free(group);
	moves->nr--;
}

static void say_full(struct moves *moves, int err)
{
	if (moves->told_full)
		return;
	moves->told_full = true;
	log_line(LOG_WARNING,
		 "cannot watch more than %zu control groups: %s%s; moves into the others are seen "
		 "by the next walk",
		 moves->nr, strerror(err),
		 err == ENOSPC ? " (sysctl fs.inotify.max_user_watches)" : "");
}

/* Watches one group. NULL: it cannot be, or is already. */
static struct moves_group *add(struct moves *moves, const char *path)
{
	int wd = inotify_add_watch(moves->watch.fd, path, MASK);
	struct moves_group *group;

	if (wd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			say_full(moves, errno);
		return NULL;
	}
	if (find(moves, wd))
		return NULL;
	group = calloc(1, sizeof(*group) + strlen(path) + 1);
	if (group) {
		group->wd = wd;
		strcpy(group->path, path);
	}
	if (!group || !tsearch(group, &moves->groups, compare)) {
		free(group);
		inotify_rm_watch(moves->watch.fd, wd);
		say_full(moves, ENOMEM);
		return NULL;
	}
	moves->nr++;
	return group;
}

/* Watches a group and those below it; with judge, who is in them is looked at. */
static void add_tree(struct moves *moves, const char *path, bool judge)
{
	struct moves_group *group = add(moves, path);
	struct dirent *entry;
	char below[PATH_MAX];
	DIR *dir;

	if (!group)
		return;
	if (judge)
		taint(moves, group);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) <
		    (int)sizeof(below))
			add_tree(moves, below, judge);
	}
	closedir(dir);
}

static bool is_wanted(const struct mntent *mount, unsigned wanted)
{
	if (strcmp(mount->mnt_type, "cgroup2") == 0)
		return true;
	return strcmp(mount->mnt_type, "cgroup") == 0 &&
	       (wanted & MOVES_CGROUP || hasmntopt(mount, "cpuset"));
}

static int add_mounts(struct moves *moves, unsigned wanted)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *mount;

	if (!mounts)
		return -errno;
	while ((mount = getmntent(mounts))) {
		if (is_wanted(mount, wanted))
			add_tree(moves, mount->mnt_dir, false);
	}
	endmntent(mounts);
	return 0;
}

/* ---- events ------------------------------------------------------------------------------------
 */

static void take(struct moves *moves, const struct inotify_event *event)
{
	struct moves_group *group = find(moves, event->wd);
	char path[PATH_MAX];

	if (event->mask & IN_IGNORED) { /* the group was removed */
		forget(moves, event->wd);
		return;
	}
	if (!group || event->len == 0)
		return;
	if (event->mask & IN_MODIFY &&
	    (strcmp(event->name, "cgroup.procs") == 0 || strcmp(event->name, "tasks") == 0 ||
	     strcmp(event->name, "cgroup.threads") == 0))
		taint(moves, group);
	/* It may have members by now. */
	if (event->mask & IN_CREATE && event->mask & IN_ISDIR &&
	    snprintf(path, sizeof(path), "%s/%s", group->path, event->name) < (int)sizeof(path))
		add_tree(moves, path, true);
}

static void ready(void *arg, uint32_t events)
{
	char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	struct moves *moves = arg;
	ssize_t len = read(moves->watch.fd, buffer, sizeof(buffer));
	const struct inotify_event *event;

	(void)events;
	for (const char *at = buffer; len > 0 && at < buffer + len;
	     at += sizeof(*event) + event->len) {
		event = (const void *)at;
		if (event->mask & IN_Q_OVERFLOW) {
			moves->lost(moves->arg);
			return;
		}
		take(moves, event);
	}
	look(moves);
}

int moves_open(struct moves *moves, struct loop *loop, struct apply *apply, unsigned wanted,
	       void (*lost)(void *arg), void *arg)
{
	int r;

	*moves = (struct moves){
		.loop = loop,
		.apply = apply,
		.watch = {inotify_init1(IN_CLOEXEC | IN_NONBLOCK), ready, moves},
		.timer = {.ring = look, .arg = moves},
		.lost = lost,
		.arg = arg,
	};
	r = moves->watch.fd < 0 ? -errno : loop_watch(loop, &moves->watch, EPOLLIN);
	if (r == 0)
		r = add_mounts(moves, wanted);
	if (r < 0)
		moves_close(moves);
	return r;
}

static void free_group(void *group)
{
	free(group);
}

void moves_close(struct moves *moves)
{
	if (moves->watch.fd < 0)
		return;
	loop_unwatch(moves->loop, &moves->watch);
	loop_unset(moves->loop, &moves->timer);
	close(moves->watch.fd);
	tdestroy(moves->groups, free_group);
	*moves = MOVES_INIT;
}
