// SPDX-License-Identifier: MIT
/* Finds a command as execvp(3) does, and says better why it could not be started. */
#include "cli.h"
#include "front.h"
#include "path.h"

#include "../common/escape.h"
#include "../common/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file without "#!" is a shell script unless its first line holds a NUL, as bash judges. */
static bool is_script(const char *path)
{
	char head[128];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n;
	char *end;

	if (fd < 0)
		return false;
	n = read(fd, head, sizeof(head));
	close(fd);
	if (n < 0)
		return false;
	end = memchr(head, '\n', (size_t)n);
	return !memchr(head, '\0', end ? (size_t)(end - head) : (size_t)n);
}

/* Hands a script without "#!" to the shell, as POSIX asks of execvp(3). */
static int exec_script(const char *path, char **argv)
{
	size_t argc = 0;
	char **shell;
	int err;

	while (argv[argc])
		argc++;
	shell = malloc((argc + 2) * sizeof(*shell));
	if (!shell)
		return ENOMEM;
	shell[0] = (char *)"/bin/sh";
	shell[1] = (char *)path;
	memcpy(shell + 2, argv + 1, argc * sizeof(*shell)); /* with the closing NULL */
	execve(shell[0], shell, environ);
	err = errno;
	free(shell);
	return err;
}

/* Starts the file at path. Returns only on failure, with the error number. */
static int try_path(const char *path, char **argv)
{
	int err;

	execve(path, argv, environ);
	err = errno;
	return err == ENOEXEC && is_script(path) ? exec_script(path, argv) : err;
}

static int cannot_execute(const char *path, int err)
{
	char shown[CLI_SHOWN_MAX];
	struct stat st;
	const char *why = strerror(err);

	if (err == EACCES && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		why = "Is a directory";
	else if (err == ENOENT)
		why = "its interpreter or loader is missing";
	else if (err == ENOEXEC)
		why = "Exec format error: not a program for this machine";
	say("cannot execute '%s': %s", escape_text(shown, sizeof(shown), path), why);
	return CLI_CANNOT_EXECUTE;
}

static int not_found(const char *name, const char *why)
{
	char shown[CLI_SHOWN_MAX];

	say("cannot find '%s': %s", escape_text(shown, sizeof(shown), name), why);
	return CLI_NOT_FOUND;
}

static int exec_path(const char *path, char **argv)
{
	int err = try_path(path, argv);

	if ((err == ENOENT || err == ENOTDIR) && access(path, F_OK) != 0)
		return not_found(path, strerror(err));
	return cannot_execute(path, err);
}

int exec_command(char **argv)
{
	const char *name = argv[0];
	struct path_search search;
	char path[PATH_MAX], denied[PATH_MAX] = "";

	if (strchr(name, '/'))
		return exec_path(name, argv);
	if (*name == '\0')
		return not_found(name, "the name is empty");

	path_begin(&search, name);
	while (path_next(&search, path)) {
		int err = try_path(path, argv);

		if (err == EACCES)
			memcpy(denied, path, sizeof(denied));
		else if (access(path, F_OK) == 0)
			return cannot_execute(path, err);
	}
	if (denied[0])
		return cannot_execute(denied, EACCES);
	return not_found(name, "not in PATH");
}
