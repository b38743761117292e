/* SPDX-License-Identifier: MIT */
/*
 * Copies the files of /proc and /sys that thpctl's parsers read into a directory, for tests/roots.
 *
 *	capture DIR
 *
 * DIR/MANIFEST says what is what:
 *	kernel RELEASE
 *	process KIND PID		PID 0: this kernel cannot have one of these
 *	error ERRNO PATH		reading it failed so; a directory tree cannot show that
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "specimens.h"

#define THP_DIR "/sys/kernel/mm/transparent_hugepage"

static const char *destination;
static FILE *manifest;

static void give_up(const char *what)
{
	fprintf(stderr, "capture: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void make_parents(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			give_up(path);
		*slash = '/';
	}
}

/* Nothing is written for a file that cannot be read: it is absent from the tree, too. */
static void copy(const char *source)
{
	static char data[1 << 20];
	size_t length = 0;
	char target[PATH_MAX];
	ssize_t got = -1;
	int in = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK), out;

	if (in < 0 && errno == ENOENT)
		return;
	while (in >= 0 && length < sizeof(data) &&
	       (got = read(in, data + length, sizeof(data) - length)) > 0)
		length += (size_t)got;
	if (got < 0) {
		fprintf(manifest, "error %s %s\n", strerrorname_np(errno), source);
		if (in >= 0)
			close(in);
		return;
	}
	close(in);
	snprintf(target, sizeof(target), "%s%s", destination, source);
	make_parents(target);
	out = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out < 0 || write(out, data, length) != (ssize_t)length)
		give_up(target);
	close(out);
}

static void copy_link(const char *source)
{
	char target[PATH_MAX], points_to[PATH_MAX];
	ssize_t length = readlink(source, points_to, sizeof(points_to) - 1);

	if (length < 0) {
		if (errno != ENOENT)
			fprintf(manifest, "error %s %s\n", strerrorname_np(errno), source);
		return;
	}
	points_to[length] = '\0';
	snprintf(target, sizeof(target), "%s%s", destination, source);
	make_parents(target);
	if (symlink(points_to, target) && errno != EEXIST)
		give_up(target);
}

static void copy_tree(const char *dir)
{
	DIR *open_dir = opendir(dir);
	struct dirent *entry;

	while (open_dir && (entry = readdir(open_dir))) {
		char path[PATH_MAX];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (entry->d_type == DT_DIR)
			copy_tree(path);
		else
			copy(path);
	}
	if (open_dir)
		closedir(open_dir);
}

static void copy_process_files(const char *base, bool light)
{
	static const char *const names[] = {
		"status", "stat",         "comm", "cmdline",   "limits", "cgroup",
		"cpuset", "smaps_rollup", "maps", "numa_maps", "smaps",
	};
	size_t count = sizeof(names) / sizeof(*names) - (light ? 2 : 0);
	char path[PATH_MAX];

	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", base, names[i]);
		copy(path);
	}
	snprintf(path, sizeof(path), "%s/exe", base);
	copy_link(path);
}

static void copy_process(const struct specimen *specimen)
{
	char base[64], path[PATH_MAX];
	DIR *tasks;
	struct dirent *entry;

	fprintf(manifest, "process %s %d\n", specimen->kind, specimen->pid);
	if (!specimen->pid)
		return;
	snprintf(base, sizeof(base), "/proc/%d", specimen->pid);
	copy_process_files(base, specimen->light);
	/* The other threads; all of the leader is above. */
	snprintf(path, sizeof(path), "%s/task", base);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.')
			continue;
		if (atoi(entry->d_name) == specimen->pid)
			continue;
		snprintf(path, sizeof(path), "%s/task/%s", base, entry->d_name);
		copy_process_files(path, specimen->light);
	}
	if (tasks)
		closedir(tasks);
}

int main(int argc, char **argv)
{
	static const char *const files[] = {
		"/proc/vmstat",
		"/proc/buddyinfo",
		"/proc/meminfo",
		"/proc/version",
		"/proc/cmdline",
		"/proc/sys/kernel/osrelease",
		"/proc/sys/kernel/numa_balancing",
		"/proc/sys/kernel/yama/ptrace_scope",
		"/sys/devices/system/node/online",
		"/sys/kernel/mm/numa/demotion_enabled",
	};
	struct specimen specimens[SPECIMENS_MAX];
	char path[PATH_MAX];
	struct utsname name;
	int count;

	if (argc != 2 || argv[1][0] != '/') {
		fprintf(stderr, "usage: capture DIR (an absolute path)\n");
		return 2;
	}
	destination = argv[1];
	snprintf(path, sizeof(path), "%s/MANIFEST", destination);
	make_parents(path);
	manifest = fopen(path, "we");
	if (!manifest)
		give_up(path);
	uname(&name);
	fprintf(manifest, "kernel %s\n", name.release);

	count = specimens_start(specimens);
	copy_tree(THP_DIR);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		copy(files[i]);
	copy_process(&(struct specimen){"init", 1, false});
	for (int i = 0; i < count; i++)
		copy_process(&specimens[i]);
	specimens_end(specimens, count);
	if (fclose(manifest))
		give_up(path);
	return 0;
}
