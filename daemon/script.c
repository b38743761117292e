// SPDX-License-Identifier: MIT
#include "script.h"

#include "subject-text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS_MAX 8 /* in front of a script: options of its interpreter */

/* A file that may be a script. */
struct candidate {
	char path[PATH_MAX]; /* behind symbolic links */
	char head[SHEBANG_READ];
	size_t len;
};

static const char *root_of(const struct subject *subject)
{
	return subject->root ? subject->root : "";
}

/* ---- files as the process sees them ------------------------------------------------------------
 */

static int open_link(const struct subject *subject, const char *link)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/proc/%d/%s", root_of(subject), (int)subject->pid, link);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * A file of the process's own tree, also where that is another one than ours. Nothing is done with
 * it yet: to open a device can be to use it. -ENOENT: there is none for us; others: we may not look
 * into this process.
 */
static int open_inside(const struct subject *subject, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int dir = open_link(subject, path[0] == '/' ? "root" : "cwd"), fd;

	if (dir < 0)
		return dir;
	if (path[0] == '/')
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	else
		fd = openat(dir, path, O_PATH | O_CLOEXEC);
	if (fd < 0 && errno == ENOSYS) /* before Linux 5.6 */
		fd = openat(dir, path + 1, O_PATH | O_CLOEXEC);
	close(dir);
	return fd < 0 ? -ENOENT : fd;
}

static ssize_t link_of(int fd, char path[PATH_MAX])
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, PATH_MAX - 1);
	path[len > 0 ? len : 0] = '\0';
	return len;
}

/* The path of an open file; in a captured tree without what leads there. */
static void path_of(const struct subject *subject, int fd, char path[PATH_MAX])
{
	char root[PATH_MAX];
	ssize_t len;
	int dir;

	link_of(fd, path);
	dir = subject->root ? open_link(subject, "root") : -1;
	if (dir < 0)
		return;
	len = link_of(dir, root);
	if (len > 1 && strncmp(path, root, (size_t)len) == 0 && path[len] == '/')
		memmove(path, path + len, strlen(path + len) + 1);
	close(dir);
}

static bool is_same_file(int fd, const struct subject *subject)
{
	char path[PATH_MAX];
	struct stat one, other;

	snprintf(path, sizeof(path), "%s/proc/%d/exe", root_of(subject), (int)subject->pid);
	return fstat(fd, &one) == 0 && stat(path, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* Whether the process runs this program, which may be gone by now, or have been replaced. */
static bool runs(const struct subject *subject, const char *program)
{
	char path[PATH_MAX];
	int fd = open_inside(subject, program);
	bool same;

	if (fd < 0)
		return strcmp(program, subject->exe) == 0;
	path_of(subject, fd, path);
	same = strcmp(path, subject->exe) == 0 || is_same_file(fd, subject);
	close(fd);
	return same;
}

/* Reads the beginning of a regular file. Its length, or -errno. */
static ssize_t read_head(int path_fd, char head[SHEBANG_READ])
{
	char link[64];
	struct stat st;
	ssize_t len;
	int fd, err;

	if (fstat(path_fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	len = read(fd, head, SHEBANG_READ);
	err = errno;
	close(fd);
	return len < 0 ? -err : len;
}

static int look_at(const struct subject *subject, int fd, struct candidate *candidate)
{
	ssize_t len = read_head(fd, candidate->head);

	if (len < 0)
		return (int)len;
	candidate->len = (size_t)len;
	path_of(subject, fd, candidate->path);
	return 0;
}

/* ---- who interprets what -----------------------------------------------------------------------
 */

static bool is_by_shebang(const struct subject *subject, const struct shebang *shebang)
{
	char name[SHEBANG_READ];

	if (runs(subject, shebang->program))
		return true;
	/* env(1) has become the program by now, under the name by which it looked it up. */
	shebang_env(shebang, name);
	return name[0] && (strcmp(base_name(name), base_name(subject->argv)) == 0 ||
			   strcmp(base_name(name), base_name(subject->exe)) == 0);
}

static bool is_by_binfmt(const struct subject *subject, const struct candidate *candidate)
{
	char path[PATH_MAX], text[2048];
	const struct dirent *entry;
	struct binfmt binfmt;
	bool found = false;
	DIR *formats;

	snprintf(path, sizeof(path), "%s/proc/sys/fs/binfmt_misc", root_of(subject));
	formats = opendir(path);
	if (!formats)
		return false;
	while (!found && (entry = readdir(formats))) {
		int fd = openat(dirfd(formats), entry->d_name, O_RDONLY | O_CLOEXEC);
		ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		if (fd >= 0)
			close(fd);
		if (len <= 0)
			continue;
		text[len] = '\0';
		found = binfmt_parse(text, &binfmt) &&
			binfmt_is(&binfmt, candidate->path, candidate->head, candidate->len) &&
			runs(subject, binfmt.interpreter);
	}
	closedir(formats);
	return found;
}

/*
 * Whether the process runs a file as its script. word: the argument before it if that may be the
 * one of the first line, and must be.
 */
static bool is_script(const struct subject *subject, int fd, const char *word, char path[PATH_MAX])
{
	struct candidate candidate;
	struct shebang shebang;
	bool found;

	if (look_at(subject, fd, &candidate) < 0)
		return false;
	if (shebang_parse(candidate.head, candidate.len, &shebang))
		found = (!word || strcmp(word, shebang.argument) == 0) &&
			is_by_shebang(subject, &shebang);
	else
		found = !word && is_by_binfmt(subject, &candidate);
	if (found)
		memcpy(path, candidate.path, sizeof(candidate.path));
	return found;
}

/* ---- which argument ----------------------------------------------------------------------------
 */

/*
 * A script that was named from a directory that the process has left: shells keep it open, so it is
 * among its files.
 */
static bool is_among_files(struct subject *subject, const char *argument)
{
	char path[PATH_MAX], target[PATH_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *files;

	snprintf(path, sizeof(path), "%s/proc/%d/fd", root_of(subject), (int)subject->pid);
	files = opendir(path);
	if (!files)
		return false;
	while (!found && (entry = readdir(files))) {
		ssize_t len = readlinkat(dirfd(files), entry->d_name, target, sizeof(target) - 1);
		int fd;

		if (len <= 0)
			continue;
		target[len] = '\0';
		if (strcmp(base_name(target), base_name(argument)) != 0)
			continue;
		fd = openat(dirfd(files), entry->d_name, O_PATH | O_CLOEXEC);
		if (fd < 0)
			continue;
		found = is_script(subject, fd, NULL, subject->script);
		close(fd);
	}
	closedir(files);
	return found;
}

/* 1: it is the script, 0: not, -errno. */
static int try_argument(struct subject *subject, const char *argument, const char *word)
{
	int fd, found;

	if (*argument == '\0')
		return 0;
	fd = open_inside(subject, argument);
	if (fd < 0 && fd != -ENOENT)
		return fd;
	if (fd >= 0) {
		found = is_script(subject, fd, word, subject->script);
		close(fd);
		if (found)
			return 1;
	}
	return argument[0] != '/' && !word && is_among_files(subject, argument);
}

/* The arguments behind the name; how many. */
static unsigned split_words(const struct subject *subject, const char *words[WORDS_MAX])
{
	const char *at = subject->argv + strlen(subject->argv) + 1;
	const char *end = subject->argv + subject->argv_len;
	unsigned nr = 0;

	for (; at < end && nr < WORDS_MAX; at += strlen(at) + 1)
		words[nr++] = at;
	return nr;
}

/*
 * The kernel starts a script as INTERPRETER [ARGUMENT] SCRIPT ...; people as INTERPRETER [-OPTION]
 * ... SCRIPT. What follows -c is no file.
 */
int script_read(struct subject *subject)
{
	const char *words[WORDS_MAX];
	unsigned nr = split_words(subject, words), i = 0;
	int r;

	subject->script[0] = '\0';
	while (i < nr && words[i][0] == '-') {
		if (words[i][1] != '-' && words[i][strlen(words[i]) - 1] == 'c')
			break;
		i++;
	}
	r = i < nr && words[i][0] != '-' ? try_argument(subject, words[i], NULL) : 0;
	if (r == 0 && i == 0 && nr > 1)
		r = try_argument(subject, words[1], words[0]);
	return r < 0 ? r : 0;
}

/* ---- what is only thought of -------------------------------------------------------------------
 */

static void look_up(const char *name, char path[PATH_MAX])
{
	const char *at = getenv("PATH");
	char file[PATH_MAX];

	while (at && *at) {
		size_t len = strcspn(at, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)len, at, name);
		if (access(file, X_OK) == 0 && realpath(file, path))
			return;
		at += len + (at[len] == ':');
	}
	snprintf(path, PATH_MAX, "%s", name);
}

int script_interpreter(const char *path, char interpreter[PATH_MAX])
{
	char head[SHEBANG_READ], name[SHEBANG_READ];
	struct shebang shebang;
	int fd = open(path, O_PATH | O_CLOEXEC);
	ssize_t len;

	interpreter[0] = '\0';
	if (fd < 0)
		return -errno;
	len = read_head(fd, head);
	close(fd);
	if (len < 0)
		return (int)len;
	if (!shebang_parse(head, (size_t)len, &shebang))
		return 0;
	shebang_env(&shebang, name);
	if (name[0])
		look_up(name, interpreter);
	else if (!realpath(shebang.program, interpreter))
		snprintf(interpreter, PATH_MAX, "%s", shebang.program);
	return 0;
}
