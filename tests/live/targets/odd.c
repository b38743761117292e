// SPDX-License-Identifier: MIT
/*
 * Processes that are hard to reach: odd KIND
 *   threads N    N threads, all asleep           strict      in strict seccomp mode
 *   traced       traced by its own child         exec        executes itself over and over
 *   counter      counts SIGUSR1, prints the count with SIGTERM
 *   forker       forks children that fork, for ever; they end soon
 * Prints "ready" and stays.
 */
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void say_ready(void)
{
	if (write(STDOUT_FILENO, "ready\n", 6) < 0)
		_exit(1);
}

static void *sleeper(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void threads(int nr)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 0; i < nr; i++) {
		if (pthread_create(&thread, &attr, sleeper, NULL) != 0)
			exit(1);
	}
	say_ready();
	sleeper(NULL);
}

static void strict(void)
{
	int fds[2];
	char c;

	if (pipe(fds) < 0)
		exit(1);
	say_ready();
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	syscall(SYS_read, fds[0], &c, 1);
}

static void traced(void)
{
	pid_t parent = getpid();

	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "watcher");
		if (ptrace(PTRACE_SEIZE, parent, 0, 0) < 0)
			_exit(1);
		say_ready();
		for (;;)
			pause();
	}
	sleeper(NULL);
}

static volatile sig_atomic_t count;
static void on_usr1(int sig)
{
	(void)sig;
	count++;
}

static void counter(void)
{
	sigset_t term, none;

	signal(SIGUSR1, on_usr1);
	sigemptyset(&none);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	say_ready();
	for (;;) {
		sigset_t pending;

		usleep(1000);
		sigpending(&pending);
		if (sigismember(&pending, SIGTERM)) {
			printf("%d\n", (int)count);
			exit(0);
		}
	}
}

static void forker(void)
{
	say_ready();
	for (;;) {
		if (fork() == 0) {
			if (fork() == 0)
				usleep(20000);
			_exit(0);
		}
		usleep(5000);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (strcmp(kind, "threads") == 0 && argc > 2)
		threads(atoi(argv[2]));
	else if (strcmp(kind, "strict") == 0)
		strict();
	else if (strcmp(kind, "traced") == 0)
		traced();
	else if (strcmp(kind, "counter") == 0)
		counter();
	else if (strcmp(kind, "forker") == 0)
		forker();
	else if (strcmp(kind, "exec") == 0) {
		if (argc == 2)
			say_ready();
		usleep(500);
		execl("/proc/self/exe", argv[0], "exec", "again", NULL);
	}
	return 2;
}
