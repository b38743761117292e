// SPDX-License-Identifier: MIT
/*
 * execer HOW PROGRAM [ARG...]: executes it in some way that is not the usual one.
 *   thread  in a thread that is not the main one
 *   vfork   in a child of vfork(2); then "parent flag N" of the parent
 *   fail    it is expected to fail: "errno N", and a second later "tracer N flag N"
 *   signal  with a real-time signal pending at the end, which it does not expect: blocked
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define GET_THP_DISABLE 42

static void *run(void *arg)
{
	char **argv = arg;

	execv(argv[0], argv);
	_exit(127);
}

static int tracer(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	int pid = -1;

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "TracerPid: %d", &pid);
	if (file)
		fclose(file);
	return pid;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	pthread_t thread;

	argv += 2;
	if (strcmp(how, "thread") == 0) {
		pthread_create(&thread, NULL, run, argv);
		pthread_join(thread, NULL);
	} else if (strcmp(how, "vfork") == 0) {
		pid_t pid = vfork();

		if (pid == 0) {
			execv(argv[0], argv);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
		printf("parent flag %d\n", prctl(GET_THP_DISABLE, 0, 0, 0, 0));
		return 0;
	} else if (strcmp(how, "fail") == 0) {
		execv(argv[0], argv);
		printf("errno %d\n", errno);
		sleep(1);
		printf("tracer %d flag %d\n", tracer(), prctl(GET_THP_DISABLE, 0, 0, 0, 0));
		return 0;
	} else if (strcmp(how, "signal") == 0) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGRTMIN);
		sigprocmask(SIG_BLOCK, &set, NULL);
		kill(getpid(), SIGRTMIN);
		execv(argv[0], argv);
	}
	return 127;
}
