// SPDX-License-Identifier: MIT
/* clears: takes the flag off itself at each SIGUSR1, as some allocators do at their start. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SET_THP_DISABLE 41

static void clear(int sig)
{
	(void)sig;
	prctl(SET_THP_DISABLE, 0, 0, 0, 0);
}

int main(void)
{
	signal(SIGUSR1, clear);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
