/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct saved {
	char path[128];
	char value[32];
};

/* Static, so that a signal handler and the watchdog's copy of the process find it as it was. */
static struct saved saved[64];
static int saved_count;

static int read_path(const char *path, char *ret_value, int size)
{
	char line[160], *start, *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, line, sizeof(line) - 1);
	if (length < 0)
		length = -errno;
	close(fd);
	if (length < 0)
		return (int)length;
	line[length] = '\0';
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	start = strchr(line, '[');
	end = start ? strchr(start, ']') : NULL;
	if (start && end) {
		start++;
		*end = '\0';
	} else {
		start = line;
	}
	if (strlen(start) >= (size_t)size)
		return -EMSGSIZE;
	memcpy(ret_value, start, strlen(start) + 1);
	return 0;
}

static int write_path(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int returned = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		returned = -errno;
	close(fd);
	return returned;
}

static void path_of(const char *name, char *ret_path, size_t size)
{
	snprintf(ret_path, size, SETTINGS_DIR "/%s", name);
}

static void save_one(const char *name)
{
	struct saved *entry = &saved[saved_count];

	if (saved_count == sizeof(saved) / sizeof(saved[0]))
		return;
	path_of(name, entry->path, sizeof(entry->path));
	if (read_path(entry->path, entry->value, sizeof(entry->value)) == 0)
		saved_count++;
}

int settings_save(void)
{
	static const char *const names[] = {
		"enabled",
		"defrag",
		"shmem_enabled",
		"khugepaged/scan_sleep_millisecs",
		"khugepaged/alloc_sleep_millisecs",
		"khugepaged/pages_to_scan",
		"khugepaged/max_ptes_none",
	};
	DIR *dir = opendir(SETTINGS_DIR);
	struct dirent *entry;

	saved_count = 0;
	if (!dir)
		return -errno;
	/* Per-size files first: shmem_enabled takes "force" only while no other size inherits. */
	while ((entry = readdir(dir))) {
		char name[96];
		long kb;

		if (sscanf(entry->d_name, "hugepages-%ldkB", &kb) != 1)
			continue;
		snprintf(name, sizeof(name), "hugepages-%ldkB/enabled", kb);
		save_one(name);
		snprintf(name, sizeof(name), "hugepages-%ldkB/shmem_enabled", kb);
		save_one(name);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		save_one(names[i]);
	closedir(dir);
	return saved_count;
}

static int restore_once(void)
{
	int different = 0;

	for (int i = 0; i < saved_count; i++) {
		char now[sizeof(saved[i].value)];

		if (read_path(saved[i].path, now, sizeof(now)) == 0 &&
		    strcmp(now, saved[i].value) == 0)
			continue;
		write_path(saved[i].path, saved[i].value);
		if (read_path(saved[i].path, now, sizeof(now)) < 0 ||
		    strcmp(now, saved[i].value) != 0)
			different++;
	}
	return different;
}

int settings_restore(void)
{
	int different = restore_once();

	/* While ours is "force" no other size goes back to "inherit": such a file needs a second
	 * go. */
	return different ? restore_once() : 0;
}

bool settings_writable(void)
{
	return access(SETTINGS_DIR "/enabled", W_OK) == 0;
}

int settings_read(const char *name, char *ret_value, int size)
{
	char path[128];

	path_of(name, path, sizeof(path));
	return read_path(path, ret_value, size);
}

enum word settings_read_word(const char *name)
{
	char value[32];
	int error = settings_read(name, value, sizeof(value));

	if (error == -ENOENT)
		return WORD_ABSENT;
	if (error < 0)
		return WORD_UNKNOWN;
	if (strcmp(value, "advise") == 0)
		return WORD_MADVISE;
	for (int word = WORD_NEVER; word < WORD_UNKNOWN; word++)
		if (strcmp(value, model_word_name(word)) == 0)
			return word;
	return WORD_UNKNOWN;
}

long settings_read_number(const char *name)
{
	char value[32];
	int error = settings_read(name, value, sizeof(value));

	return error < 0 ? error : strtol(value, NULL, 10);
}

int settings_write(const char *name, const char *value)
{
	char path[128];

	path_of(name, path, sizeof(path));
	/* What was not saved could not be put back. */
	for (int i = 0; i < saved_count; i++)
		if (strcmp(saved[i].path, path) == 0)
			return write_path(path, value);
	return -ENOENT;
}

int settings_write_number(const char *name, long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	return settings_write(name, text);
}

struct system_file {
	char name[64];
	enum word *word;
	bool shmem;
};

static void system_files(long pmd_kb, struct system *system, struct system_file ret_files[4])
{
	/* Per-size files first, as in settings_save(). */
	ret_files[0] = (struct system_file){"", &system->size_enabled, false};
	ret_files[1] = (struct system_file){"", &system->size_shmem, true};
	ret_files[2] = (struct system_file){"enabled", &system->enabled, false};
	ret_files[3] = (struct system_file){"shmem_enabled", &system->shmem, true};
	snprintf(ret_files[0].name, sizeof(ret_files[0].name), "hugepages-%ldkB/enabled", pmd_kb);
	snprintf(ret_files[1].name, sizeof(ret_files[1].name), "hugepages-%ldkB/shmem_enabled",
		 pmd_kb);
}

void settings_read_system(long pmd_kb, struct system *ret_system)
{
	struct system_file files[4];

	system_files(pmd_kb, ret_system, files);
	for (int i = 0; i < 4; i++)
		*files[i].word = settings_read_word(files[i].name);
}

int settings_write_system(long pmd_kb, const struct system *system)
{
	struct system wanted = *system;
	struct system_file files[4];

	system_files(pmd_kb, &wanted, files);
	for (int i = 0; i < 4; i++) {
		const char *value = model_word_name(*files[i].word);
		int error;

		if (*files[i].word == WORD_ABSENT)
			continue;
		if (files[i].shmem && *files[i].word == WORD_MADVISE)
			value = "advise";
		error = settings_write(files[i].name, value);
		if (error < 0)
			return error;
	}
	return 0;
}

static int ascending(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

int settings_anon_sizes(long *ret_kb, int max)
{
	DIR *dir = opendir(SETTINGS_DIR);
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)) && count < max) {
		char path[128];
		long kb;

		if (sscanf(entry->d_name, "hugepages-%ldkB", &kb) != 1)
			continue;
		/* 8 kB has a file for shmem only: anonymous folios start at order 2. */
		snprintf(path, sizeof(path), SETTINGS_DIR "/hugepages-%ldkB/enabled", kb);
		if (access(path, F_OK) == 0)
			ret_kb[count++] = kb;
	}
	closedir(dir);
	qsort(ret_kb, (size_t)count, sizeof(ret_kb[0]), ascending);
	return count;
}

/* How often khugepaged went to sleep so far, -1 if it cannot be seen. */
static long khugepaged_sleeps(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	long sleeps = -1;

	while (dir && sleeps < 0 && (entry = readdir(dir))) {
		char path[300], line[160];
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (read_path(path, line, sizeof(line)) != 0 || strcmp(line, "khugepaged") != 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/status", entry->d_name);
		file = fopen(path, "re");
		while (file && fgets(line, sizeof(line), file))
			sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
	return sleeps;
}

/* A new time to sleep wakes khugepaged for a last scan, which must not meet the first experiment.
 */
static void wait_for_last_scan(void)
{
	long before = khugepaged_sleeps(), now;

	for (int i = 0; i < 100; i++) {
		usleep(20000);
		now = khugepaged_sleeps();
		if (now == before && i > 0)
			break;
		before = now;
	}
}

int settings_write_baseline(long pmd_kb)
{
	static const char *const kinds[] = {"enabled", "shmem_enabled"};
	DIR *dir = opendir(SETTINGS_DIR);
	struct dirent *entry;
	int error = 0;

	if (!dir)
		return -errno;
	while (error == 0 && (entry = readdir(dir))) {
		long kb;

		if (sscanf(entry->d_name, "hugepages-%ldkB", &kb) != 1 || kb == pmd_kb)
			continue;
		for (int i = 0; i < 2 && error == 0; i++) {
			char name[96];

			snprintf(name, sizeof(name), "hugepages-%ldkB/%s", kb, kinds[i]);
			error = settings_write(name, "never");
			if (error == -ENOENT)
				error = 0;
		}
	}
	closedir(dir);
	if (error == 0)
		error = settings_write("defrag", "always");
	if (error == 0)
		error = settings_write_number("khugepaged/scan_sleep_millisecs", 600000);
	if (error == 0)
		wait_for_last_scan();
	return error;
}
