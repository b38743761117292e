// SPDX-License-Identifier: MIT
/* Causes in words. */
#include "internal.h"

struct words {
	const char *name, *text, *help;
};

static const struct words all[THP_CAUSES] = {
	[THP_CAUSE_UNKNOWN] =
		{"unknown",
		 "in small pages though huge ones are allowed now: touched before that, none free "
		 "then, copied after a fork, or not to be told from outside",
		 "thpctl collapse; as root, map --sizes tells split huge pages from single pages"},
	[THP_CAUSE_HUGETLB] = {"hugetlb", "hugetlb pages: huge already, but not transparent ones",
			       "nothing to do"},
	[THP_CAUSE_SPECIAL] = {"special", "memory of a device or of the kernel", "nothing to do"},
	[THP_CAUSE_NO_THP] = {"no-thp", "this kernel was built without transparent huge pages",
			      "a kernel with CONFIG_TRANSPARENT_HUGEPAGE"},
	[THP_CAUSE_FLAG] = {"flag", "the process flag says never",
			    "thpctl show --tree PID finds who set it; thpctl run default"},
	[THP_CAUSE_FLAG_MADVISE] =
		{"flag-madvise",
		 "the process flag allows advised memory only, and this is not advised",
		 "thpctl run default, or GLIBC_TUNABLES=glibc.malloc.hugetlb=1 for malloc's "
		 "memory"},
	[THP_CAUSE_SYSTEM] =
		{"system", "the system's setting says never for whole huge pages",
		 "thpctl collapse, which ignores the setting; or the administrator's setting"},
	[THP_CAUSE_SHMEM] =
		{"shmem",
		 "shared memory gets none: shmem_enabled, or the huge= option of its tmpfs",
		 "thpctl collapse; shmem_enabled=advise, or a tmpfs mounted with huge=advise"},
	[THP_CAUSE_NOT_ADVISED] =
		{"not-advised",
		 "the setting is madvise, and the program does not advise this memory",
		 "thpctl collapse, or from the start GLIBC_TUNABLES=glibc.malloc.hugetlb=1 for "
		 "malloc's memory"},
	[THP_CAUSE_NOHUGEPAGE] =
		{"nohugepage",
		 "the program, or the kernel for a thread's stack, marked it MADV_NOHUGEPAGE",
		 "a change of the program; stacks are better off so"},
	[THP_CAUSE_TOO_SMALL] =
		{"too-small",
		 "no aligned block of a huge page fits in, or the file's offset is askew to it",
		 "larger or aligned allocations; GLIBC_TUNABLES=glibc.malloc.hugetlb=1"},
	[THP_CAUSE_EDGE] = {"edge", "unaligned edge, outside the blocks that a huge page can map",
			    "allocations aligned to the huge page size, and multiples of it"},
	[THP_CAUSE_FILE] = {"file", "a file without huge pages in this file system or kernel",
			    "a tmpfs with huge=always, or a kernel with "
			    "CONFIG_READ_ONLY_THP_FOR_FS for programs"},
	[THP_CAUSE_HELD] = {"held", "watched by userfaultfd, which wants every page singly",
			    "a change of the program"},
	[THP_CAUSE_UNTOUCHED] = {"untouched", "not written yet: no memory is behind it",
				 "nothing to do: it costs no memory"},
	[THP_CAUSE_SPLIT] =
		{"split",
		 "a huge page is there but mapped in small pieces: part was unmapped, freed, "
		 "protected or copied",
		 "thpctl collapse; fewer madvise(MADV_DONTNEED) and mprotect calls on small "
		 "ranges"},
	[THP_CAUSE_SMALLER] = {"smaller", "in huge pages of a smaller size",
			       "thpctl collapse; or the administrator's setting of that size"},
	[THP_CAUSE_SWAPPED] = {"swapped", "some of the block was swapped out",
			       "more memory; once it is read back, thpctl collapse"},
	[THP_CAUSE_STACK] = {"stack", "the stack grows down in small steps", "nothing to do"},
	[THP_CAUSE_LATE] = {"late",
			    "touched in small steps, before a whole block was there: a growing "
			    "heap, or a file",
			    "thpctl collapse, khugepaged in time, or "
			    "GLIBC_TUNABLES=glibc.malloc.top_pad=67108864 so that the heap grows "
			    "in large steps"},
};

static const struct words *words_of(enum thp_cause cause)
{
	return &all[(unsigned)cause < THP_CAUSES ? cause : THP_CAUSE_UNKNOWN];
}

EXPORT const char *thp_cause_name(enum thp_cause cause)
{
	return words_of(cause)->name;
}

EXPORT const char *thp_cause_text(enum thp_cause cause)
{
	return words_of(cause)->text;
}

EXPORT const char *thp_cause_help(enum thp_cause cause)
{
	return words_of(cause)->help;
}

EXPORT void thp_why_add(struct thp_why *sum, const struct thp_why *why)
{
	for (unsigned i = 0; i < THP_CAUSES; i++) {
		sum->causes[i].bytes += why->causes[i].bytes;
		sum->causes[i].resident += why->causes[i].resident;
	}
}
