// SPDX-License-Identifier: MIT
/*
 * being KIND [NAME]: becomes a process that is hard to read, prints the id to ask for, and stays.
 *   name NAME    a process of that name, any bytes
 *   zombie       prints the id of a child that has ended and is not waited for
 *   dead-leader  the main thread has exited, another one lives and has 16 MiB advised memory
 *   thread       prints the id of its second thread
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE (16ul << 20)

static void print_id(long id)
{
	printf("%ld\n", id);
	fflush(stdout);
}

static int main_thread_ended(void)
{
	char line[256];
	FILE *file = fopen("/proc/self/status", "re"); /* of the process: its main thread */
	int ended = 0;

	while (file && fgets(line, sizeof(line), file))
		ended |= strncmp(line, "State:\tZ", 8) == 0;
	if (file)
		fclose(file);
	return ended;
}

static void *survivor(void *unused)
{
	char *memory = mmap(NULL, SIZE + (2ul << 20), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, SIZE + (2ul << 20), MADV_HUGEPAGE);
	memset(memory, 1, SIZE + (2ul << 20));
	while (!main_thread_ended())
		usleep(1000);
	print_id(getpid());
	pause();
	return unused;
}

static void *second(void *unused)
{
	print_id(syscall(SYS_gettid));
	pause();
	return unused;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	pthread_t thread;

	/* Where the parent's main thread is a test script, its end is ours. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (strcmp(kind, "name") == 0 && argc > 2) {
		prctl(PR_SET_NAME, argv[2]);
		print_id(getpid());
	} else if (strcmp(kind, "zombie") == 0) {
		pid_t child = fork();
		siginfo_t info;

		if (child == 0)
			_exit(0);
		waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
		print_id(child);
	} else if (strcmp(kind, "dead-leader") == 0) {
		pthread_create(&thread, NULL, survivor, NULL);
		pthread_exit(NULL);
	} else if (strcmp(kind, "thread") == 0) {
		pthread_create(&thread, NULL, second, NULL);
	} else {
		return 99;
	}
	pause();
	return 0;
}
