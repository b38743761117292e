// SPDX-License-Identifier: MIT
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Whatever else calls itself the loader of a program would not know what it is asked. */
static bool can_list(const char *loader)
{
	static const char *const names[] = {"ld-linux", "ld64.so", "ld-musl-", "ld.so"};
	const char *slash = strrchr(loader, '/');

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (slash && strncmp(slash + 1, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

/*
 * Starts "LOADER --list PATH" with all that it says in a pipe: the errors are those that the
 * command will have, too. Returns the end to read, or -errno.
 */
static int start(const char *loader, const char *path, pid_t *ret_pid)
{
	static char option[] = "--list";
	char *argv[] = {(char *)loader, option, (char *)path, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	r = posix_spawn_file_actions_init(&actions);
	if (r == 0) {
		r = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		if (r == 0)
			r = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
		if (r == 0)
			r = posix_spawn(ret_pid, loader, &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	if (r == 0)
		return ends[0];
	close(ends[0]);
	return -r;
}

/* "	libm.so.6 => /lib/libm.so.6 (0x7f...)", and with musl "	/lib/libc.so (0x7f...)". */
static char *path_in(char *line)
{
	char *end = strstr(line, " (0x"), *start = strchr(line, '/');

	if (!end || !start || start > end)
		return NULL;
	*end = '\0';
	return strdup(start);
}

/* Whether a SIGCHLD waits to be taken, as it can where the caller had it blocked. */
static bool child_signal_waits(void)
{
	sigset_t set;

	return sigpending(&set) == 0 && sigismember(&set, SIGCHLD) == 1;
}

/* Waits for the loader's end and leaves no trace of it to the command. */
static void finish(pid_t pid, bool waited_before)
{
	const struct timespec at_once = {0};
	sigset_t set;

	/* With SIGCHLD ignored, as some caller may have left it, there is nobody to wait for. */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (waited_before || !child_signal_waits())
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &at_once);
}

size_t libraries_list(const char *loader, const char *path, char *ret_paths[], size_t most)
{
	char *line = NULL;
	size_t room = 0, nr = 0;
	bool waited_before = child_signal_waits();
	FILE *answer;
	pid_t pid = -1;
	int fd;

	if (!can_list(loader))
		return 0;
	fd = start(loader, path, &pid);
	if (fd < 0)
		return 0;
	answer = fdopen(fd, "r");
	while (answer && nr < most && getline(&line, &room, answer) > 0) {
		ret_paths[nr] = path_in(line);
		nr += ret_paths[nr] != NULL;
	}
	free(line);
	if (answer)
		fclose(answer);
	else
		close(fd);
	finish(pid, waited_before);
	return nr;
}
