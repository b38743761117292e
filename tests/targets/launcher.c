// SPDX-License-Identifier: MIT
/*
 * launcher FLAG COMMAND...: sets its own THP flag by hand to what PR_GET_THP_DISABLE is to answer
 * (0, 1 or 3), runs COMMAND as a child, and ends as that did; 99: the kernel refused. A parent with
 * a flag of its own, made without thpctl. The first line of its errors is its flag afterwards.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int flag = argc > 2 ? atoi(argv[1]) : -1, status;
	pid_t child;

	if (flag < 0 || prctl(PR_SET_THP_DISABLE, flag & 1, flag & 2, 0, 0) < 0)
		return 99;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[2], argv + 2);
		_exit(98);
	}
	while (waitpid(child, &status, 0) < 0)
		continue;
	fprintf(stderr, "launcher's flag: %d\n", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
