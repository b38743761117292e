// SPDX-License-Identifier: MIT
#include "marks.h"

#include "log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MASK                                                                                       \
	(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR |        \
	 IN_EXCL_UNLINK)

/* Each file costs kernel memory, and each pattern that means so many is likely a mistake. */
#define FILES_MAX 4096
#define DIRS_MAX  4096

/*
 * A directory where much happens makes us look at all of them again and again: no more than ten
 * times a second, and for no more than a twentieth of the time.
 */
#define LEAST_NS 100000000u
#define SHARE    20

bool marks_can(const char *pattern)
{
	return pattern[0] == '/' && !strstr(pattern, "**");
}

/* ---- files -------------------------------------------------------------------------------------
 */

/*
 * The kernel opens the file for us whenever it asks, and says no in our place where that fails; and
 * a server of files that has to answer us may itself be what is executed. So no more than the file
 * systems that do all by themselves.
 */
static bool is_local(int fd)
{
	static const unsigned long known[] = {
		0xef53,     /* ext2, ext3, ext4 */
		0x58465342, /* xfs */
		0x9123683e, /* btrfs */
		0x01021994, /* tmpfs */
		0x858458f6, /* ramfs */
		0x794c7630, /* overlayfs */
		0xf2f52010, /* f2fs */
		0x2fc12fc1, /* zfs */
		0xca451a4e, /* bcachefs */
		0x73717368, /* squashfs */
		0xe0f5e1e2, /* erofs */
		0x3153464a, /* jfs */
		0x52654973, /* reiserfs */
		0x9660,     /* iso9660 */
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if ((unsigned long)fs.f_type == known[i])
			return true;
	}
	return false;
}

/* Remembers a file. Whether it is new. */
static bool remember(struct marks *marks, const struct stat *st)
{
	struct marks_file *files;

	for (size_t i = 0; i < marks->nr_files; i++) {
		if (marks->files[i].device == st->st_dev && marks->files[i].inode == st->st_ino)
			return false;
	}
	if (marks->nr_files == FILES_MAX) {
		if (!marks->told_full)
			log_line(LOG_WARNING,
				 "rules name more than %d executables: the others are caught after "
				 "they have started",
				 FILES_MAX);
		marks->told_full = true;
		return false;
	}
	files = reallocarray(marks->files, marks->nr_files + 1, sizeof(*files));
	if (!files)
		return false;
	marks->files = files;
	files[marks->nr_files++] = (struct marks_file){st->st_dev, st->st_ino};
	return true;
}

/* A path that a pattern means. What it is is seen before it is opened: a device may not like that.
 */
static void consider(struct marks *marks, const char *path)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), readable;
	char self[64];
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 0111 && is_local(fd)) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
		readable = open(self, O_RDONLY | O_CLOEXEC);
		if (readable >= 0 && remember(marks, &st))
			marks->found(marks->arg, readable);
		if (readable >= 0)
			close(readable);
	}
	close(fd);
}

/* ---- patterns ----------------------------------------------------------------------------------
 */

static void watch_dir(struct marks *marks, const char *path)
{
	int wd = inotify_add_watch(marks->watch.fd, path, MASK);

	/* The number of a directory that is watched already is its old one. */
	if (wd > 0 && (size_t)wd > marks->nr_dirs)
		marks->nr_dirs = (size_t)wd;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void expand(struct marks *marks, const char *dir, const char *rest);

/* One name in a directory that may be meant by the first part of a pattern; rest is behind that. */
static void step(struct marks *marks, const char *dir, const char *name, const char *rest)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return;
	if (*rest == '\0')
		consider(marks, path);
	else if (is_dir(path))
		expand(marks, path, rest);
}

/* The files below dir, "" the root, that the pattern rest means. */
static void expand(struct marks *marks, const char *dir, const char *rest)
{
	size_t len = strcspn(rest, "/");
	const char *behind = rest + len + strspn(rest + len, "/");
	const struct dirent *entry;
	char part[NAME_MAX + 1];
	DIR *names;

	if (len == 0 || len >= sizeof(part))
		return;
	memcpy(part, rest, len);
	part[len] = '\0';
	if (marks->nr_dirs < DIRS_MAX)
		watch_dir(marks, *dir ? dir : "/");
	if (!strpbrk(part, "*?[\\")) {
		step(marks, dir, part, behind);
		return;
	}
	names = opendir(*dir ? dir : "/");
	if (!names)
		return;
	while ((entry = readdir(names))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    fnmatch(part, entry->d_name, 0) == 0)
			step(marks, dir, entry->d_name, behind);
	}
	closedir(names);
}

static void expand_all(void *arg)
{
	struct marks *marks = arg;
	uint64_t begun = loop_now();

	for (size_t i = 0; i < marks->nr_patterns; i++) {
		if (marks_can(marks->patterns[i]))
			expand(marks, "", marks->patterns[i] + 1);
	}
	marks->expanded = loop_now();
	marks->took = marks->expanded - begun;
}

/* ---- changes -----------------------------------------------------------------------------------
 */

/* Whether a name can be part of what a pattern means: /tmp has many that are not. */
static bool is_part(const struct marks *marks, const char *name)
{
	char pattern[PATH_MAX];

	for (size_t i = 0; i < marks->nr_patterns; i++) {
		char *save = NULL, *part;

		snprintf(pattern, sizeof(pattern), "%s", marks->patterns[i]);
		for (part = strtok_r(pattern, "/", &save); part; part = strtok_r(NULL, "/", &save))
			if (fnmatch(part, name, 0) == 0)
				return true;
	}
	return false;
}

static void ready(void *arg, uint32_t events)
{
	char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	struct marks *marks = arg;
	ssize_t len = read(marks->watch.fd, buffer, sizeof(buffer));
	const struct inotify_event *event;
	uint64_t now = loop_now(), wait;
	bool changed = false;

	(void)events;
	for (const char *at = buffer; len > 0 && at < buffer + len;
	     at += sizeof(*event) + event->len) {
		event = (const void *)at;
		if (!(event->mask & IN_IGNORED))
			changed = changed || event->len == 0 || is_part(marks, event->name);
	}
	if (!changed || marks->timer.due)
		return;
	wait = SHARE * marks->took > LEAST_NS ? SHARE * marks->took : LEAST_NS;
	if (now - marks->expanded >= wait)
		expand_all(marks);
	else
		loop_set(marks->loop, &marks->timer, marks->expanded + wait);
}

void marks_repeat(struct marks *marks)
{
	marks->nr_files = 0;
	expand_all(marks);
}

int marks_open(struct marks *marks, struct loop *loop, const char **patterns, size_t nr,
	       void (*found)(void *arg, int fd), void *arg)
{
	int r;

	*marks = (struct marks){
		.loop = loop,
		.watch = {inotify_init1(IN_CLOEXEC | IN_NONBLOCK), ready, marks},
		.timer = {.ring = expand_all, .arg = marks},
		.patterns = patterns,
		.nr_patterns = nr,
		.found = found,
		.arg = arg,
	};
	r = marks->watch.fd < 0 ? -errno : loop_watch(loop, &marks->watch, EPOLLIN);
	if (r < 0) {
		marks_close(marks);
		return r;
	}
	expand_all(marks);
	return 0;
}

void marks_close(struct marks *marks)
{
	if (marks->watch.fd < 0)
		return;
	loop_unwatch(marks->loop, &marks->watch);
	loop_unset(marks->loop, &marks->timer);
	close(marks->watch.fd);
	free(marks->files);
	*marks = MARKS_INIT;
}
