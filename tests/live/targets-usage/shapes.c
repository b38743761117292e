// SPDX-License-Identifier: MIT
/*
 * shapes KIND [ARG]: takes memory in a shape that a test wants to see, prints "ready" and what the
 * test must know, and stays still. Addresses are those that matter in the shape.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KIB   1024ul
#define MIB   (1024 * KIB)
#define BLOCK (2 * MIB)
#define PAGE  4096ul

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static void *must(void *map)
{
	if (map == MAP_FAILED) {
		perror("shapes");
		exit(99);
	}
	return map;
}

/* Memory that begins at offset behind a block's border, with nothing mapped around it. */
static char *take(size_t size, size_t offset, int flags, int fd)
{
	size_t room = size + 4 * BLOCK;
	char *all = must(mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	char *start = all + BLOCK + (-(unsigned long)all & (BLOCK - 1)) + offset;

	must(mmap(start, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0));
	munmap(all, (size_t)(start - all));
	munmap(start + size, (size_t)(all + room - start) - size);
	return start;
}

static char *take_private(size_t size, size_t offset)
{
	return take(size, offset, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static char *take_advised(size_t size, size_t offset)
{
	char *start = take_private(size, offset);

	madvise(start, size, MADV_HUGEPAGE);
	return start;
}

static void collapse(char *start, size_t size)
{
	for (size_t i = 0; i < size; i += BLOCK)
		madvise(start + i, BLOCK, MADV_COLLAPSE);
}

static void ready(const void *address)
{
	printf("ready %lx\n", (unsigned long)address);
	fflush(stdout);
	for (;;)
		pause();
}

static void anon(void)
{
	char *huge = take_advised(20 * MIB, 0), *small = take_private(10 * MIB, 12 * KIB);

	memset(huge, 1, 20 * MIB);
	memset(small, 1, 7 * MIB);
	ready(huge);
}

static void shmem(void)
{
	int fd = memfd_create("two\nlines", 0);
	char *memory, *shared = take(8 * MIB, 0, MAP_SHARED | MAP_ANONYMOUS, -1);

	memset(shared, 1, 8 * MIB);
	collapse(shared, 8 * MIB);
	if (ftruncate(fd, 4 * MIB) < 0)
		exit(99);
	memory = take(4 * MIB, 0, MAP_SHARED, fd);
	memset(memory, 1, 3 * MIB);
	ready(shared);
}

/* A file, privately mapped: read, and written to in part. */
static void file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char buf[64 * KIB] = "x", *private, *shared;
	volatile char sink;

	for (unsigned i = 0; i < 6 * MIB / sizeof(buf); i++) {
		if (write(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf))
			exit(99);
	}
	private = take(6 * MIB, 0, MAP_PRIVATE, fd);
	shared = take(6 * MIB, 0, MAP_SHARED, fd);
	for (size_t i = 0; i < 4 * MIB; i += PAGE)
		sink = private[i];
	(void)sink;
	memset(private + MIB, 2, MIB);
	memset(shared, 3, MIB);
	ready(private);
}

/* The child writes a byte in every second block of memory that both have. */
static void forked(void)
{
	char *memory = take_advised(16 * MIB, 0);
	int pipes[2];
	char byte;

	memset(memory, 1, 16 * MIB);
	if (pipe(pipes) < 0)
		exit(99);
	if (fork() == 0) {
		for (size_t i = 0; i < 16 * MIB; i += 2 * BLOCK)
			memory[i] = 2;
		if (write(pipes[1], "", 1) != 1)
			exit(99);
		for (;;)
			pause();
	}
	if (read(pipes[0], &byte, 1) != 1)
		exit(99);
	ready(memory);
}

/* Small pages with holes between them, the zero page, and reserved space. */
static void holes(void)
{
	char *memory = take_private(8 * MIB, 0), *zero = take_private(4 * MIB, 0);
	volatile char sink;

	must(mmap(NULL, 256ul << 30, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	for (size_t i = 0; i < 8 * MIB; i += 2 * PAGE)
		memory[i] = 1;
	for (size_t i = 0; i < 4 * MIB; i += PAGE)
		sink = zero[i];
	(void)sink;
	ready(memory);
}

static void sized(void)
{
	char *memory = take_private(16 * MIB, 0);

	madvise(memory, 16 * MIB, MADV_HUGEPAGE);
	memset(memory, 1, 16 * MIB);
	ready(memory);
}

/* Huge pages, a page of each given back. */
static void split(void)
{
	char *memory = take_advised(8 * MIB, 0);

	memset(memory, 1, 8 * MIB);
	for (size_t i = 0; i < 8 * MIB; i += BLOCK)
		madvise(memory + i, PAGE, MADV_DONTNEED);
	ready(memory);
}

/* Huge pages in two mappings each, and a hole in the upper half of the first. */
static void halves(void)
{
	char *memory = take_advised(8 * MIB, 0);

	memset(memory, 1, 8 * MIB);
	for (size_t i = BLOCK / 2; i < 8 * MIB; i += BLOCK)
		mprotect(memory + i, BLOCK / 2, PROT_READ);
	madvise(memory + BLOCK - PAGE, PAGE, MADV_DONTNEED);
	ready(memory);
}

/* hugetlb pages, which somebody must have reserved. */
static void hugetlb(void)
{
	char *memory = must(mmap(NULL, 2 * BLOCK, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0));

	memset(memory, 1, 2 * BLOCK);
	ready(memory);
}

static void edge(void)
{
	char *memory = take_advised(5 * MIB, 4 * KIB);

	memset(memory, 1, 5 * MIB);
	ready(memory);
}

static void nohugepage(void)
{
	char *memory = take_private(8 * MIB, 0);

	madvise(memory, 8 * MIB, MADV_NOHUGEPAGE);
	memset(memory, 1, 8 * MIB);
	ready(memory);
}

/* Touched first, advised afterwards. */
static void late(void)
{
	char *memory = take_private(8 * MIB, 0);

	memset(memory, 1, 8 * MIB);
	madvise(memory, 8 * MIB, MADV_HUGEPAGE);
	ready(memory);
}

static void heap(void)
{
	for (unsigned i = 0; i < 400; i++) {
		char *p = malloc(50000);

		memset(p, 1, 50000);
	}
	ready(sbrk(0));
}

/* nr mappings of one page, neighbours of different rights. */
static void mappings(unsigned long nr)
{
	char *memory = take_private(nr * PAGE, 0);

	memset(memory, 1, nr * PAGE);
	for (unsigned long i = 0; i < nr; i += 2)
		mprotect(memory + i * PAGE, PAGE, PROT_READ);
	ready(memory);
}

static void *stay(void *arg)
{
	char *memory = take_advised(4 * MIB, 0);

	(void)arg;
	memset(memory, 1, 4 * MIB);
	ready(memory);
	return NULL;
}

/* The main thread ends, another lives on. */
static void headless(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, stay, NULL) != 0)
		exit(99);
	syscall(SYS_exit, 0);
}

/* So much memory in small pages, whatever the system says. */
static void plain(unsigned long mib)
{
	char *memory = take_private(mib * MIB, 0);

	madvise(memory, mib * MIB, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < mib * MIB; i += PAGE)
		memory[i] = 1;
	ready(memory);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} shapes[] = {
		{"anon", anon},     {"shmem", shmem},       {"forked", forked},
		{"holes", holes},   {"sized", sized},       {"split", split},
		{"edge", edge},     {"heap", heap},         {"nohugepage", nohugepage},
		{"late", late},     {"headless", headless}, {"hugetlb", hugetlb},
		{"halves", halves},
	};
	const char *kind = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (strcmp(kind, shapes[i].name) == 0)
			shapes[i].make();
	}
	if (argc == 3 && strcmp(kind, "file") == 0)
		file(argv[2]);
	if (argc == 3 && strcmp(kind, "mappings") == 0)
		mappings(strtoul(argv[2], NULL, 10));
	if (argc == 3 && strcmp(kind, "plain") == 0)
		plain(strtoul(argv[2], NULL, 10));
	fprintf(stderr, "usage: shapes KIND [ARG]\n");
	return 99;
}
