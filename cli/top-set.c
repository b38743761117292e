// SPDX-License-Identifier: MIT
/* A mode for a running process, by the verb that does it; what that says is shown. */
#include "top.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The verbs stand side by side, in the build and installed. */
static int find_verb(char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 16);
	char *slash;

	if (len < 0)
		return -errno;
	path[len] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, "thpctl-set");
	return access(path, X_OK) < 0 ? -errno : 0;
}

/* The last line of what a pipe delivers. */
static void keep_last(int fd, char message[256])
{
	char buf[256];
	size_t len = 0;
	ssize_t n;

	message[0] = '\0';
	while ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR)) {
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] == '\n')
				len = 0;
			else if (len < 255)
				message[len++] = buf[i];
			if (buf[i] != '\n')
				message[len] = '\0';
		}
	}
}

void top_set_mode(char message[256], const char *mode, pid_t pid)
{
	char path[PATH_MAX], verb[] = "set", word[32], id[16];
	char *argv[] = {verb, word, id, NULL};
	posix_spawn_file_actions_t actions;
	int fds[2], status, r = find_verb(path);
	pid_t child;

	if (r < 0) {
		snprintf(message, 256, "this build has no 'thpctl set': %s", strerror(-r));
		return;
	}
	if (pipe2(fds, O_CLOEXEC) < 0) {
		snprintf(message, 256, "set: %s", strerror(errno));
		return;
	}
	snprintf(word, sizeof(word), "%s", mode);
	snprintf(id, sizeof(id), "%d", pid);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDERR_FILENO);
	r = posix_spawn(&child, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (r == 0) {
		keep_last(fds[0], message);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (message[0] == '\0')
			snprintf(message, 256, "PID %d: %s, status %d", pid, mode,
				 WEXITSTATUS(status));
	} else {
		snprintf(message, 256, "set: %s", strerror(r));
	}
	close(fds[0]);
}
