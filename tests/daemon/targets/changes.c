// SPDX-License-Identifier: MIT
/*
 * changes UID NAME: becomes that user at SIGUSR1, takes that name at SIGUSR2, and after that its
 * old one, and so on.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char *names[2];
static uid_t uid;

static void rename_self(int sig)
{
	static unsigned times;

	(void)sig;
	prctl(PR_SET_NAME, names[times++ % 2]);
}

static void become_user(int sig)
{
	(void)sig;
	if (setuid(uid) != 0)
		_exit(1);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	uid = (uid_t)strtoul(argv[1], NULL, 10);
	names[0] = argv[2];
	names[1] = "changes";
	signal(SIGUSR1, become_user);
	signal(SIGUSR2, rename_self);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
