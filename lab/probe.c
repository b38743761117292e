/* SPDX-License-Identifier: MIT */
/*
 * Says which of the kernel features thpctl builds on this kernel has, as TAP: "ok" it is there and
 * did what it is for, "ok # SKIP reason" the kernel lacks it, "not ok" it is there and misbehaves.
 * Every answer comes from doing the thing, never from the version.
 *
 * Wants "enabled" to let memory be huge (always); says so and stops otherwise.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not in the headers of the oldest system we build on. */
#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#define PR_GET_THP_DISABLE 42
#endif
#define EXCEPT_ADVISED 2 /* 6.18 */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* 6.1 */
#endif

struct scan_region {
	uint64_t start, end, categories;
};
struct scan_arg { /* 6.7: ioctl PAGEMAP_SCAN */
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN_IOCTL   _IOWR('f', 16, struct scan_arg)
#define SCAN_PRESENT (1 << 3)
#define SCAN_HUGE    (1 << 6)

#define THP_DIR "/sys/kernel/mm/transparent_hugepage/"

static int tests, failures;
static size_t huge_size, huge_kb;

enum outcome { HAS, LACKS, BROKEN };

static void __attribute__((format(printf, 3, 4)))
result(const char *name, enum outcome outcome, const char *why, ...)
{
	char text[200];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	tests++;
	failures += outcome == BROKEN;
	printf("%sok %d - %s", outcome == BROKEN ? "not " : "", tests, name);
	if (outcome == LACKS)
		printf(" # SKIP %s", text);
	printf("\n");
	if (outcome == BROKEN)
		printf("# %s\n", text);
	fflush(stdout);
}

/* A feature that is a call: 0 has it; errno lacks says the kernel does not know it. */
static void by_errno(const char *name, long rc, int lacks)
{
	if (rc >= 0)
		result(name, HAS, "-");
	else if (errno == lacks || errno == ENOSYS)
		result(name, LACKS, "%s", strerrorname_np(errno));
	else
		result(name, BROKEN, "%s", strerror(errno));
}

static void by_file(const char *name, const char *path)
{
	char buffer[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		result(name, LACKS, "no %s", path);
		return;
	}
	if (read(fd, buffer, sizeof(buffer)) > 0)
		result(name, HAS, "-");
	else
		result(name, BROKEN, "%s cannot be read: %s", path, strerror(errno));
	close(fd);
}

/* The number after "KEY:" in a file of /proc, -1 if there is none. */
static long field(const char *path, const char *key)
{
	char line[256];
	long value = -1;
	FILE *file = fopen(path, "re");

	if (!file)
		return -1;
	while (value < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
			value = strtol(line + strlen(key) + 1, NULL, 10);
	fclose(file);
	return value;
}

static long huge_in_use_kb(void)
{
	return field("/proc/self/smaps_rollup", "AnonHugePages");
}

static char *map_aligned(size_t length)
{
	char *raw = mmap(NULL, length + huge_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (raw == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return (char *)(((uintptr_t)raw + huge_size - 1) & ~(uintptr_t)(huge_size - 1));
}

/* How much became huge of one huge page's worth of fresh memory, touched. */
static long touched_huge_kb(int advice)
{
	char *memory = map_aligned(huge_size);
	long before = huge_in_use_kb();

	if (advice >= 0)
		madvise(memory, huge_size, advice);
	for (size_t at = 0; at < huge_size; at += 4096)
		memory[at] = 1;
	return huge_in_use_kb() - before;
}

static void expect_kb(const char *name, long got, long want)
{
	result(name, got == want ? HAS : BROKEN, "%ld kB huge, not %ld", got, want);
}

static int get_flag(void)
{
	return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
}

static int in_child(int (*what)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(what());
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void *get_flag_in_thread(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)get_flag();
}

/* Exec keeps the flag: the same program reports it by its exit status. */
static int exec_self(void)
{
	execl("/proc/self/exe", "probe", "--flag", NULL);
	return 99;
}

static int unprivileged(void)
{
	if (setresuid(65534, 65534, 65534))
		return 1;
	return prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0) || prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

static void probe_flag(void)
{
	void *seen;
	pthread_t thread;
	char *before = map_aligned(huge_size);

	by_errno("prctl: disable", prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), EINVAL);
	result("prctl: read back 1", get_flag() == 1 ? HAS : BROKEN, "got %d", get_flag());
	if (field("/proc/self/status", "THP_enabled") < 0)
		result("status: THP_enabled", LACKS, "no such line");
	else
		result("status: THP_enabled",
		       field("/proc/self/status", "THP_enabled") ? BROKEN : HAS,
		       "not 0 though disabled");
	expect_kb("disabled: no huge page at fault", touched_huge_kb(-1), 0);
	expect_kb("disabled: advice gives none either", touched_huge_kb(MADV_HUGEPAGE), 0);
	result("disabled: MADV_COLLAPSE refused",
	       madvise(before, huge_size, MADV_COLLAPSE) ? HAS : BROKEN, "it was accepted");
	result("flag: inherited by fork", in_child(get_flag) == 1 ? HAS : BROKEN, "lost");
	result("flag: kept over exec", in_child(exec_self) == 1 ? HAS : BROKEN, "lost");
	pthread_create(&thread, NULL, get_flag_in_thread, NULL);
	pthread_join(thread, &seen);
	result("flag: covers threads", (intptr_t)seen == 1 ? HAS : BROKEN, "not in a thread");
	result("flag: unprivileged may clear and set", in_child(unprivileged) ? BROKEN : HAS,
	       "refused");
	result("prctl: clear", prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0) || get_flag() ? BROKEN : HAS,
	       "still %d", get_flag());
	result("prctl: unknown flag refused",
	       prctl(PR_SET_THP_DISABLE, 1, 1 << 30, 0, 0) == -1 && errno == EINVAL ? HAS : BROKEN,
	       "accepted or another error");
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

static void probe_except_advised(void)
{
	if (prctl(PR_SET_THP_DISABLE, 1, EXCEPT_ADVISED, 0, 0)) {
		result("prctl: EXCEPT_ADVISED", LACKS, "%s", strerrorname_np(errno));
		result("EXCEPT_ADVISED: plain memory stays small", LACKS, "no such flag");
		result("EXCEPT_ADVISED: advised memory is huge", LACKS, "no such flag");
		return;
	}
	result("prctl: EXCEPT_ADVISED", get_flag() == 3 ? HAS : BROKEN, "reads back %d",
	       get_flag());
	expect_kb("EXCEPT_ADVISED: plain memory stays small", touched_huge_kb(-1), 0);
	expect_kb("EXCEPT_ADVISED: advised memory is huge", touched_huge_kb(MADV_HUGEPAGE),
		  (long)huge_kb);
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

/* Small pages, made under the flag, ready to be collapsed. */
static char *small_pages(void)
{
	char *memory = map_aligned(huge_size);

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	for (size_t at = 0; at < huge_size; at += 4096)
		memory[at] = 1;
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	return memory;
}

static void collapse_result(const char *name, long rc, long gained_kb)
{
	if (rc < 0)
		result(name, errno == EINVAL || errno == ENOSYS ? LACKS : BROKEN, "%s",
		       strerrorname_np(errno));
	else
		expect_kb(name, gained_kb, (long)huge_kb);
}

static long huge_of_kb(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	return field(path, "AnonHugePages");
}

/* A child that has memory of its own, all small pages; the address is the same in both. */
static pid_t child_with_small_pages(char *memory)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready) || (pid = fork()) < 0) {
		perror("fork");
		exit(1);
	}
	if (pid == 0) {
		/* Writing ends the sharing with the parent. */
		for (size_t at = 0; at < huge_size; at += 4096)
			memory[at] = 2;
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		perror("child");
	close(ready[0]);
	return pid;
}

static void probe_collapse(void)
{
	char *memory = small_pages();
	long before = huge_in_use_kb(), rc;
	struct iovec range;
	int pidfd, status;
	pid_t child;

	rc = madvise(memory, huge_size, MADV_COLLAPSE);
	collapse_result("MADV_COLLAPSE", rc, huge_in_use_kb() - before);

	memory = small_pages();
	child = child_with_small_pages(memory);
	pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	by_errno("pidfd_open", pidfd, ENOSYS);
	range = (struct iovec){memory, huge_size};
	before = huge_of_kb(child);
	rc = syscall(SYS_process_madvise, pidfd, &range, 1, MADV_COLLAPSE, 0);
	collapse_result("process_madvise: MADV_COLLAPSE", rc, huge_of_kb(child) - before);
	rc = syscall(SYS_process_madvise, pidfd, &range, 1, MADV_HUGEPAGE, 0);
	by_errno("process_madvise: MADV_HUGEPAGE", rc, EINVAL);
	close(pidfd);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);

	/* Read-only in both after the fork; kernels before 6.18 want one writable page. */
	memory = small_pages();
	child = fork();
	if (child == 0) {
		before = huge_in_use_kb();
		rc = madvise(memory, huge_size, MADV_COLLAPSE);
		_exit(rc < 0 ? 1 : huge_in_use_kb() - before == (long)huge_kb ? 0 : 2);
	}
	waitpid(child, &status, 0);
	result("MADV_COLLAPSE of pages shared by fork",
	       !WIFEXITED(status) || WEXITSTATUS(status) == 2 ? BROKEN
	       : WEXITSTATUS(status)                          ? LACKS
							      : HAS,
	       "refused, or nothing became huge");
}

static void probe_reading(void)
{
	char *memory = map_aligned(huge_size);
	struct scan_region region = {0};
	struct scan_arg arg = {
		.size = sizeof(arg),
		.start = (uintptr_t)memory,
		.end = (uintptr_t)memory + huge_size,
		.vec = (uintptr_t)&region,
		.vec_len = 1,
		.category_mask = SCAN_PRESENT,
		.return_mask = SCAN_PRESENT | SCAN_HUGE,
	};
	void *pages[1] = {memory};
	int status[1] = {-1}, fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	result("smaps_rollup", huge_in_use_kb() >= 0 ? HAS : LACKS, "no AnonHugePages in it");
	memory[0] = 1;
	if (ioctl(fd, SCAN_IOCTL, &arg) < 0)
		result("PAGEMAP_SCAN", errno == ENOTTY ? LACKS : BROKEN, "%s",
		       strerrorname_np(errno));
	else
		result("PAGEMAP_SCAN", region.categories & SCAN_HUGE ? HAS : BROKEN,
		       "a huge page is not seen as one");
	close(fd);
	if (syscall(SYS_move_pages, 0, 1UL, pages, NULL, status, 0) < 0)
		result("move_pages: where a page is", errno == ENOSYS ? LACKS : BROKEN, "%s",
		       strerrorname_np(errno));
	else
		result("move_pages: where a page is", status[0] >= 0 ? HAS : BROKEN, "status %d",
		       status[0]);
	by_file("numa_maps", "/proc/self/numa_maps");
	by_file("kpageflags", "/proc/kpageflags");
}

static bool map_is_nohuge(const void *address)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	char line[512];
	bool inside = false, nohuge = false;

	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long start, end;

		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = (uintptr_t)address >= start && (uintptr_t)address < end;
		else if (inside && !strncmp(line, "VmFlags:", 8))
			nohuge |= strstr(line, " nh") != NULL;
	}
	if (maps)
		fclose(maps);
	return nohuge;
}

static void *stack_is_nohuge(void *unused)
{
	char here;

	(void)unused;
	return (void *)(intptr_t)map_is_nohuge(&here);
}

static void probe_defaults(void)
{
	pthread_t thread;
	void *nohuge;

	expect_kb("always: huge page at fault", touched_huge_kb(-1), (long)huge_kb);
	expect_kb("MADV_NOHUGEPAGE: none", touched_huge_kb(MADV_NOHUGEPAGE), 0);
	pthread_create(&thread, NULL, stack_is_nohuge, NULL);
	pthread_join(thread, &nohuge);
	result("thread stacks are never huge (nh)", nohuge ? HAS : LACKS, "not marked");
}

static void probe_settings(void)
{
	static const struct {
		const char *name, *file;
	} files[] = {
		{"sysfs: use_zero_page", THP_DIR "use_zero_page"},
		{"sysfs: shmem_enabled", THP_DIR "shmem_enabled"},
		{"sysfs: shrink_underused", THP_DIR "shrink_underused"},
		{"sysfs: khugepaged/max_ptes_none", THP_DIR "khugepaged/max_ptes_none"},
		{"sysfs: khugepaged/max_ptes_shared", THP_DIR "khugepaged/max_ptes_shared"},
	};
	static const char *const per_size[] = {"enabled", "shmem_enabled", "stats/anon_fault_alloc",
					       "stats/swpin", "stats/nr_anon"};
	char name[128], path[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		by_file(files[i].name, files[i].file);
	for (size_t i = 0; i < sizeof(per_size) / sizeof(*per_size); i++) {
		snprintf(name, sizeof(name), "sysfs: per size: %s", per_size[i]);
		snprintf(path, sizeof(path), THP_DIR "hugepages-%zukB/%s", huge_kb, per_size[i]);
		by_file(name, path);
	}
	by_file("sysfs: per size: 64 kB", THP_DIR "hugepages-64kB/enabled");
}

static size_t read_huge_size(void)
{
	FILE *file = fopen(THP_DIR "hpage_pmd_size", "re");
	size_t size = 0;

	if (file && fscanf(file, "%zu", &size) != 1)
		size = 0;
	if (file)
		fclose(file);
	return size;
}

static bool system_allows(void)
{
	char setting[64] = "";
	FILE *file = fopen(THP_DIR "enabled", "re");

	if (file && !fgets(setting, sizeof(setting), file))
		setting[0] = '\0';
	if (file)
		fclose(file);
	return strstr(setting, "[always]") != NULL;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--flag"))
		return get_flag();
	huge_size = read_huge_size();
	huge_kb = huge_size / 1024;
	printf("TAP version 13\n");
	if (!huge_size || !system_allows()) {
		printf("Bail out! this kernel's setting is not 'always' (or it has no THP)\n");
		return 1;
	}
	probe_defaults();
	probe_flag();
	probe_except_advised();
	probe_collapse();
	probe_reading();
	probe_settings();
	printf("1..%d\n", tests);
	return failures != 0;
}
