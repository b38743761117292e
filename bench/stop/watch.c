// SPDX-License-Identifier: MIT
/*
 * Runs a command and prints for how many microseconds a process was traced meanwhile:
 * watch PID COMMAND [ARG...]
 * Seen from outside, by reading /proc/PID/status over and over: good for milliseconds and more.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int is_traced(int fd)
{
	char text[4096];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
	const char *line;

	if (len <= 0)
		return 0;
	text[len] = '\0';
	line = strstr(text, "\nTracerPid:\t");
	return line && line[12] != '0';
}

int main(int argc, char **argv)
{
	double since = 0, sum = 0;
	char path[64];
	int fd, status;
	pid_t pid;

	if (argc < 3)
		return 2;
	snprintf(path, sizeof(path), "/proc/%s/status", argv[1]);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (!is_traced(fd)) {
			if (since > 0)
				sum += now() - since;
			since = 0;
		} else if (since == 0) {
			since = now();
		}
	}
	if (since > 0)
		sum += now() - since;
	printf("%.0f\n", sum);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
