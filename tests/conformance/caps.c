/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel.h"
#include "measure.h"
#include "settings.h"
#include "suite.h"

static int parse_version(const char *release)
{
	int major = 0, minor = 0, patch = 0;

	sscanf(release, "%d.%d.%d", &major, &minor, &patch);
	return MODEL_VERSION(major, minor) | (patch > 255 ? 255 : patch);
}

/* madvise(2): EINVAL for MADV_HUGEPAGE means a kernel without CONFIG_TRANSPARENT_HUGEPAGE. */
static bool probe_thp(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool thp = page != MAP_FAILED && kernel_madvise(page, size, ADVISE_HUGEPAGE) == 0;

	if (page != MAP_FAILED)
		munmap(page, size);
	return thp;
}

static bool probe_except_advised(void)
{
	bool accepted = kernel_thp_set(1, EXCEPT_ADVISED) == 0;

	kernel_thp_set(0, 0);
	return accepted;
}

/* A PMD's page table fills one page with entries of 8 bytes on every 64-bit machine with THP. */
static long guess_pmd_kb(void)
{
	long page = sysconf(_SC_PAGESIZE);

	return page * (page / 8) / 1024;
}

/*
 * Whether a page of our file system can become huge depends on the file system, the kernel's
 * configuration (READ_ONLY_THP_FOR_FS) and release, and none of it can be asked for. So an
 * unflagged process tries it, and the model takes the answer: the cells then show that every
 * context agrees and that flag and advice gate it.
 */
static bool probe_file(const struct place *place, enum advice advice)
{
	struct cell cell = {FLAG_CLEAR, advice, KIND_FILE};
	struct seen seen;
	bool starved;

	return cell_run_patiently(place, CONTEXT_SELF, &cell, place->pmd_kb, &seen, &starved) ==
		       0 &&
	       seen.huge_kb == place->pmd_kb;
}

static bool probe_collapse(const struct place *place)
{
	struct cell cell = {FLAG_CLEAR, ADVICE_COLLAPSE, KIND_ANON};
	struct seen seen;

	return cell_run(place, CONTEXT_SELF, &cell, &seen) == 0 && seen.advice == 0;
}

/*
 * A feature is expected from the release that brought it: that its probe fails there is a finding
 * and must show as one. Before that release a distribution may have brought it back; then it is
 * there if it answers.
 */
void caps_detect(const struct place *place, const char *release, struct caps *ret_caps)
{
	struct caps caps = {.version = parse_version(release), .thp = probe_thp()};

	caps.except_advised = caps.version >= MODEL_VERSION(6, 18) || probe_except_advised();
	caps.status_field = caps.version >= MODEL_VERSION(5, 0) || measure_thp_enabled() >= 0;
	caps.pmd_kb = settings_read_number("hpage_pmd_size") / 1024;
	if (caps.pmd_kb <= 0)
		caps.pmd_kb = guess_pmd_kb();
	if (caps.thp) {
		struct place sized = *place;

		sized.pmd_kb = caps.pmd_kb;
		caps.collapse = caps.version >= MODEL_VERSION(6, 1) || probe_collapse(&sized);
		caps.file_collapse = caps.collapse && probe_file(&sized, ADVICE_COLLAPSE);
		caps.file_fault = probe_file(&sized, ADVICE_HUGE);
	}
	*ret_caps = caps;
}

/*
 * Whether MADV_COLLAPSE of shared anonymous memory obeys hugepages-<PMD>kB/shmem_enabled=never is
 * written down nowhere, and it changed, also within a stable series. Seen to refuse: 6.12.100,
 * 6.16.12, 6.18.15, 6.18.44, 7.0.13, 7.2.6; to collapse: 6.12.117, 7.3.4. So a version cannot
 * decide and it is tried, as for files; the header says which.
 */
void caps_detect_shmem_collapse(struct suite *suite)
{
	struct cell cell = {FLAG_CLEAR, ADVICE_COLLAPSE, KIND_SHMEM};
	struct system system = suite->found;
	struct seen seen;

	if (system.size_shmem == WORD_ABSENT)
		return;
	system.size_shmem = WORD_NEVER;
	system.shmem = WORD_NEVER;
	/* Without the right to write it is needed only if such a word is in force anyway. */
	if (suite->may_write && settings_write_system(suite->caps.pmd_kb, &system) < 0)
		return;
	suite->caps.shmem_size_binds =
		cell_run(&suite->place, CONTEXT_SELF, &cell, &seen) == 0 && seen.advice < 0;
}
