// SPDX-License-Identifier: MIT
/*
 * Starts a command many times and kills it with SIGKILL at a random moment:
 * killer COUNT MICROSECONDS COMMAND [ARG...]
 * Two times of three with all that it started, else it alone. Prints how often it was still there
 * to be killed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void wait_for_group(pid_t group)
{
	/* What the command had started falls to us, being a subreaper. */
	while (waitpid(-group, NULL, __WALL) > 0 || errno == EINTR)
		;
	while (kill(-group, 0) == 0)
		usleep(100);
}

int main(int argc, char **argv)
{
	unsigned long count, killed = 0;
	long limit;

	if (argc < 4)
		return 2;
	count = strtoul(argv[1], NULL, 10);
	limit = atol(argv[2]);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	srandom((unsigned)getpid());
	for (unsigned long i = 0; i < count; i++) {
		struct timespec moment = {.tv_nsec = random() % limit * 1000};
		siginfo_t info = {0};
		pid_t pid = fork();

		if (pid == 0) {
			setpgid(0, 0);
			execv(argv[3], argv + 3);
			_exit(127);
		}
		setpgid(pid, pid);
		nanosleep(&moment, NULL);
		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
		if (info.si_pid == 0)
			killed++;
		kill(i % 3 ? -pid : pid, SIGKILL);
		wait_for_group(pid);
	}
	printf("killed=%lu of %lu\n", killed, count);
	return 0;
}
