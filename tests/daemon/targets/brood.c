// SPDX-License-Identifier: MIT
/*
 * brood N: forks N children as fast as it can, each of which forks one more and ends, so that
 * nobody's parent is known in the end. The last generation stays. Says "ready" when all are there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 10;

	for (int i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			if (fork() == 0)
				pause();
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	printf("ready\n");
	fflush(stdout);
	pause();
	return 0;
}
