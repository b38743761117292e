/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "specimens.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXCEPT_ADVISED 2 /* 6.18 */
#define MIB            (1UL << 20)
#define HUGE_SIZE      (2 * MIB) /* capture sizes only; nothing is decided by it */

static char *touched(size_t length, int advice)
{
	char *raw = mmap(NULL, length + HUGE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = (char *)(((uintptr_t)raw + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));

	if (raw == MAP_FAILED)
		_exit(1);
	if (advice >= 0)
		madvise(memory, length, advice);
	memset(memory, 1, length);
	return memory;
}

/* Each of these prepares the child and says whether the kernel could do it. */

static int plain(void)
{
	touched(4 * MIB, -1);
	touched(4 * MIB, MADV_HUGEPAGE);
	touched(2 * MIB, MADV_NOHUGEPAGE);
	return 0;
}

static int never(void)
{
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		return -1;
	touched(4 * MIB, MADV_HUGEPAGE);
	return 0;
}

static int madvise_only(void)
{
	if (prctl(PR_SET_THP_DISABLE, 1, EXCEPT_ADVISED, 0, 0))
		return -1;
	touched(4 * MIB, -1);
	touched(4 * MIB, MADV_HUGEPAGE);
	return 0;
}

/* A name with a blank, a newline and what ends the name in /proc/PID/stat. */
static int odd_name(void)
{
	return prctl(PR_SET_NAME, "a) S\n1 (b\\", 0, 0, 0);
}

/* Huge pages that smaps no longer counts: one 4 KiB hole each. */
static int holes(void)
{
	char *memory = touched(4 * MIB, MADV_HUGEPAGE);

	madvise(memory, 4096, MADV_DONTNEED);
	madvise(memory + HUGE_SIZE, 4096, MADV_DONTNEED);
	return 0;
}

static int shared(void)
{
	char *memory =
		mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -1;
	memset(memory, 1, 4 * MIB);
	return 0;
}

static int stopped(void)
{
	return 0;
}

static void *outlive(void *ready_fd)
{
	/* Only now is the leader gone for certain: it leaves right after starting us. */
	usleep(200 * 1000);
	if (write((int)(intptr_t)ready_fd, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void hold(int ready_fd, int status)
{
	char said = (char)(status ? 'n' : 0);

	if (write(ready_fd, &said, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Starts a child and waits until it is in its state; 0 if the kernel cannot. */
static pid_t start(int (*prepare)(void))
{
	int ready[2];
	char said = 'n';
	pid_t pid;

	if (pipe(ready) || (pid = fork()) < 0)
		return 0;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		if (prepare) {
			hold(ready[1], prepare());
		} else {
			pthread_t thread;

			touched(2 * MIB, -1);
			pthread_create(&thread, NULL, outlive, (void *)(intptr_t)ready[1]);
			pthread_exit(NULL);
		}
	}
	close(ready[1]);
	if (read(ready[0], &said, 1) != 1)
		said = 'n';
	close(ready[0]);
	if (said == 'n') {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return 0;
	}
	return pid;
}

static pid_t start_zombie(void)
{
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0)
		_exit(7);
	/* Until it has died, without burying it. */
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	return pid;
}

static pid_t find_kernel_thread(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (proc && !found && (entry = readdir(proc))) {
		char path[300], comm[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(comm, sizeof(comm), file) && !strcmp(comm, "khugepaged\n"))
			found = (pid_t)atoi(entry->d_name);
		fclose(file);
	}
	if (proc)
		closedir(proc);
	return found;
}

int specimens_start(struct specimen list[SPECIMENS_MAX])
{
	int count = 0;

	list[count++] = (struct specimen){"plain", start(plain), false};
	list[count++] = (struct specimen){"never", start(never), false};
	list[count++] = (struct specimen){"madvise", start(madvise_only), false};
	list[count++] = (struct specimen){"odd-name", start(odd_name), true};
	list[count++] = (struct specimen){"holes", start(holes), false};
	list[count++] = (struct specimen){"shared", start(shared), false};
	list[count++] = (struct specimen){"dead-leader", start(NULL), false};
	list[count] = (struct specimen){"stopped", start(stopped), true};
	if (list[count].pid) {
		kill(list[count].pid, SIGSTOP);
		waitpid(list[count].pid, NULL, WUNTRACED);
	}
	count++;
	list[count++] = (struct specimen){"zombie", start_zombie(), false};
	list[count++] = (struct specimen){"kernel-thread", find_kernel_thread(), false};
	return count;
}

void specimens_end(const struct specimen *list, int count)
{
	for (int i = 0; i < count; i++) {
		if (!list[i].pid || !strcmp(list[i].kind, "kernel-thread"))
			continue;
		kill(list[i].pid, SIGKILL);
		waitpid(list[i].pid, NULL, 0);
	}
}
