// SPDX-License-Identifier: MIT
/*
 * Has 16 MiB of memory of a kind, and knows at the end whether it kept its contents: arena KIND
 *   huge     huge pages by advice            bloat    the same, a byte written in each
 *   small    small pages                     hole     small, every other block never written
 *   mixed    small, a page read-only         nohuge   small, marked MADV_NOHUGEPAGE
 *   mlocked  huge and locked                 forked   huge and shared with a child
 *   shmem    shared memory, small pages       copied   private pages of a memfd
 * Prints "ready START-END"; with SIGTERM it checks its memory and prints "ok" or "corrupt".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK (2ul << 20)
#define SIZE  (8 * BLOCK)
#define PAGE  4096ul

static char *map(int flags)
{
	char *room = mmap(NULL, SIZE + 2 * BLOCK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *start = room + (-(unsigned long)room & (BLOCK - 1));

	/* Unmapped at both ends, so that it is a range of its own. */
	munmap(room, SIZE + 2 * BLOCK);
	return mmap(start, SIZE, PROT_READ | PROT_WRITE,
		    flags | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

static char byte_at(size_t offset)
{
	return (char)(1 + offset / PAGE % 251);
}

static char *arena;
static size_t stride = PAGE;
static size_t period = 1; /* of this many blocks one is written */

static int corrupt(void)
{
	for (size_t i = 0; i < SIZE; i += PAGE) {
		char wanted = i % stride || i / BLOCK % period ? 0 : byte_at(i);

		if (arena[i] != wanted)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	pid_t child = 0;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	arena = map(strcmp(kind, "shmem") == 0 ? MAP_SHARED : MAP_PRIVATE);
	if (strcmp(kind, "copied") == 0) {
		int fd = memfd_create("copied", 0);

		if (ftruncate(fd, SIZE) < 0 || mmap(arena, SIZE, PROT_READ | PROT_WRITE,
						    MAP_PRIVATE | MAP_FIXED, fd, 0) != arena)
			return 1;
	}
	if (arena == MAP_FAILED)
		return 1;
	if (strcmp(kind, "huge") == 0 || strcmp(kind, "bloat") == 0 ||
	    strcmp(kind, "mlocked") == 0 || strcmp(kind, "forked") == 0)
		madvise(arena, SIZE, MADV_HUGEPAGE);
	if (strcmp(kind, "nohuge") == 0)
		madvise(arena, SIZE, MADV_NOHUGEPAGE);
	if (strcmp(kind, "bloat") == 0)
		stride = BLOCK;
	if (strcmp(kind, "hole") == 0)
		period = 2;
	for (size_t i = 0; i < SIZE; i += stride) {
		if (i / BLOCK % period == 0)
			arena[i] = byte_at(i);
	}
	if (strcmp(kind, "mlocked") == 0 && mlock(arena, SIZE) < 0)
		return 1;
	if (strcmp(kind, "mixed") == 0)
		mprotect(arena + 2 * BLOCK + 7 * PAGE, PAGE, PROT_READ);
	if (strcmp(kind, "forked") == 0) {
		child = fork();
		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pause();
			_exit(0);
		}
	}
	printf("ready %lx-%lx\n", (unsigned long)arena, (unsigned long)arena + SIZE);
	fflush(stdout);
	sigwait(&set, &sig);
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	printf(corrupt() ? "corrupt\n" : "ok\n");
	return 0;
}
