// SPDX-License-Identifier: MIT
/*
 * churn PER_SECOND: starts so many short-lived processes until it is killed, and prints a line
 * first and after every ten.
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
	unsigned pause_us = 1000000 / (argc > 1 ? (unsigned)atoi(argv[1]) : 100);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned forks = 0;; forks++) {
		pid_t child;

		if (forks % 10 == 0) {
			printf("%u\n", forks);
			fflush(stdout);
		}
		child = fork();
		if (child == 0) {
			usleep(pause_us / 2);
			_exit(0);
		}
		usleep(pause_us);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
	}
}
