// SPDX-License-Identifier: MIT
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_FD 3

#define CHILDREN_MAX 16

static pid_t children[CHILDREN_MAX]; /* 0: a free place */

static void replace_child(pid_t one, pid_t other)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++) {
		if (children[i] == one) {
			children[i] = other;
			return;
		}
	}
}

bool child_is_ours(pid_t pid)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++) {
		if (children[i] == pid)
			return true;
	}
	return false;
}

/* Signals are for the main process. SIGCHLD is its own affair, since it may trace others. */
static void take_no_signals(void)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2};
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_others(int fd)
{
	if (fd > FIRST_FD)
		syscall(SYS_close_range, FIRST_FD, fd - 1, 0);
	syscall(SYS_close_range, fd + 1, ~0u, 0);
}

int child_start(struct child *child, const char *name, int (*run)(int fd, void *arg), void *arg)
{
	pid_t parent = getpid();
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		int err = errno;

		close(fds[0]);
		close(fds[1]);
		return -err;
	}
	if (pid == 0) {
		take_no_signals();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (getppid() != parent)
			_exit(1);
		close_others(fds[1]);
		_exit(run(fds[1], arg));
	}
	close(fds[1]);
	replace_child(0, pid);
	*child = (struct child){.pid = pid, .fd = fds[0]};
	return 0;
}

void child_kill(struct child *child)
{
	if (child->pid == 0)
		return;
	close(child->fd);
	kill(child->pid, SIGKILL);
	replace_child(child->pid, 0);
	*child = (struct child){.fd = -1};
}
