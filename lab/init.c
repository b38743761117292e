/* SPDX-License-Identifier: MIT */
/*
 * The guest's first process: runs the commands of /lab.script, shows what they print between
 * clear markers, hands every file below /out back to the host, powers off.
 *
 * Two serial lines: the first is the kernel's console, for people; the second carries the results,
 * so that a kernel message can never land in the middle of one. See results.h for the form.
 *
 * A line of the script is tab-separated: seconds, name, argv[0], argv[1]...
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <sys/io.h>
#endif

#include "results.h"

#define SCRIPT    "/lab.script"
#define OUT_DIR   "/out"
#define MAX_ARGS  64
#define TIMED_OUT 124 /* as timeout(1) reports it */

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void mount_or_say(const char *type, const char *where)
{
	mkdir(where, 0755);
	if (mount(type, where, type, 0, NULL) && errno != EBUSY)
		printf("init: no %s on %s: %s\n", type, where, strerror(errno));
}

static void mount_all(void)
{
	mount_or_say("proc", "/proc");
	mount_or_say("sysfs", "/sys");
	mount_or_say("devtmpfs", "/dev");
	mount_or_say("tmpfs", "/dev/shm");
	mount_or_say("tmpfs", "/tmp");
	mount_or_say("tmpfs", OUT_DIR);
	mount_or_say("ramfs", "/ramfs"); /* for files that are not on tmpfs */
	mount_or_say("cgroup2", "/sys/fs/cgroup");
}

/* What a login would have set up, as far as a test can care. */
static void set_environment(void)
{
	setenv("PATH", "/bin", 1);
	setenv("HOME", "/tmp", 1);
	setenv("TMPDIR", "/tmp", 1);
	setenv("THPCTL_LAB", "1", 1);
}

/*
 * We stay on the first CPU, so that our own work is never mistaken for a command's on another one;
 * commands may run on all.
 */
static void set_cpus(bool first_only)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (int cpu = 0; cpu < (first_only ? 1 : CPU_SETSIZE); cpu++)
		CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t done = write(fd, data, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		data += done;
		length -= (size_t)done;
	}
}

static pid_t start(char *const argv[], int output)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	set_cpus(false);
	setsid();
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	close(output);
	execvp(argv[0], argv);
	fprintf(stderr, "init: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void pass_on(int output, int log)
{
	char buffer[4096];
	ssize_t length = read(output, buffer, sizeof(buffer));

	if (length > 0) {
		write_all(STDOUT_FILENO, buffer, (size_t)length);
		write_all(log, buffer, (size_t)length);
	}
}

/*
 * Copies the command's output to the console and to its log until the command ends or its time is
 * over. The end of the command, not of its output, counts: a daemon it left behind may keep the
 * pipe open. Sleeps until there is something to do: what we execute could be counted as the
 * command's by a plugin.
 */
static int attend(pid_t pid, int output, int log, long long deadline_ms)
{
	struct pollfd ready[] = {
		{.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN}, /* 5.3 */
		{.fd = output, .events = POLLIN},
	};
	bool killed = false;
	int status;

	while (!ready[0].revents) {
		long long left = deadline_ms - now_ms();

		if (!poll(ready, 2, left > 0 ? (int)left : 0)) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			killed = true;
			deadline_ms = now_ms() + 1000;
		}
		if (ready[1].revents & POLLIN)
			pass_on(output, log);
		else if (ready[1].revents)
			ready[1].fd = -1; /* all writers are gone */
	}
	while (poll(&ready[1], 1, 0) > 0 && ready[1].revents & POLLIN)
		pass_on(output, log);
	close(ready[0].fd);
	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	if (killed)
		return TIMED_OUT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_line(char *line, int results)
{
	char *argv[MAX_ARGS + 1], *rest = line, *seconds, *name, path[128];
	long long begin = now_ms();
	int pipe_fds[2], log, rc, argc = 0;
	pid_t pid;

	seconds = strsep(&rest, "\t");
	name = strsep(&rest, "\t");
	while (rest && argc < MAX_ARGS)
		argv[argc++] = strsep(&rest, "\t");
	argv[argc] = NULL;
	if (!name || !argc) {
		printf("init: bad line in %s\n", SCRIPT);
		return 1;
	}
	printf("\n==== %s\n", name);
	fflush(stdout);
	snprintf(path, sizeof(path), OUT_DIR "/%s.log", name);
	log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (log < 0 || pipe2(pipe_fds, O_CLOEXEC)) {
		printf("init: %s: %s\n", path, strerror(errno));
		return 1;
	}
	pid = start(argv, pipe_fds[1]);
	close(pipe_fds[1]);
	rc = attend(pid, pipe_fds[0], log, begin + atoll(seconds) * 1000);
	close(pipe_fds[0]);
	close(log);
	printf("==== %s / rc %d%s (%lld ms)\n", name, rc,
	       rc == TIMED_OUT ? ", its time was over" : "", now_ms() - begin);
	fflush(stdout);
	dprintf(results, RESULTS_COMMAND "%s\t%d\t%lld\n", name, rc, now_ms() - begin);
	return rc;
}

static void power_off(bool all_good)
{
	sync();
#if defined(__x86_64__)
	/* QEMU's isa-debug-exit: its status becomes value * 2 + 1, never 0, which a panic gives. */
	if (!iopl(3))
		outb(all_good ? LAB_EXIT_GOOD : LAB_EXIT_FAILED, LAB_EXIT_PORT);
#else
	(void)all_good;
#endif
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	int results, failed = 0;
	FILE *script;

	mount_all();
	set_cpus(true);
	set_environment();
	setvbuf(stdout, NULL, _IOLBF, 0);
	results = results_open(getenv("lab_results"));
	if (results < 0) {
		printf("init: no line for the results: %s\n", strerror(-results));
		power_off(false);
	}
	script = fopen(SCRIPT, "re");
	if (!script) {
		printf("init: %s: %s\n", SCRIPT, strerror(errno));
		power_off(false);
	}
	while (getline(&line, &size, script) > 0) {
		line[strcspn(line, "\n")] = '\0';
		failed += run_line(line, results) != 0;
	}
	results_send_files(results, OUT_DIR);
	dprintf(results, RESULTS_END "%d\n", failed);
	results_close(results);
	printf("\n==== end / %d failed\n", failed);
	power_off(failed == 0);
}
