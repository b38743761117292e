/* SPDX-License-Identifier: MIT */
/*
 * One experiment: in a child of its own, set the flag in some way, make the memory, advise, touch,
 * measure. Whatever happens to the child, crash included, is an answer.
 */
#ifndef CONFORMANCE_CELL_H
#define CONFORMANCE_CELL_H

#include "model.h"

/* How the flag reaches the process that is measured. */
enum context {
	CONTEXT_SELF,         /* it sets the flag itself */
	CONTEXT_THREAD,       /* another thread of it does */
	CONTEXT_FORK,         /* its parent did, before fork */
	CONTEXT_VFORK,        /* its vfork child does, and so changes it */
	CONTEXT_CLONE_VM,     /* a child that shares its memory does */
	CONTEXT_EXEC_DYNAMIC, /* it did, before exec of a dynamic program */
	CONTEXT_EXEC_STATIC,  /* ... of a static one */
	CONTEXT_FORK_EXEC,    /* its parent did, before fork and exec */
	CONTEXT_COUNT,
};

/* What the process saw. -ENODATA where it did not get that far. */
struct seen {
	long set, get, thp_enabled, advice, huge_kb;
	long scan_kb; /* the same by PAGEMAP_SCAN, or -errno where the kernel lacks it */
};

/* Where experiments find what they need. */
struct place {
	long pmd_kb;
	const char *file_dir;
	const char *dynamic_program; /* this suite, linked dynamically; NULL: there is none */
	const char *static_program;  /* ... and statically */
};

const char *context_name(enum context context);

/* Returns 0, -ENOENT if the context needs a program that is not there, -ETIMEDOUT, -ECHILD. */
int cell_run(const struct place *place, enum context context, const struct cell *cell,
	     struct seen *ret_seen);

/*
 * cell_run, and again after compacting memory while nothing is huge that should be: `want_kb` is
 * what the model expects. *ret_starved: the last try still had none, and the kernel counted that it
 * found no free huge page.
 */
int cell_run_patiently(const struct place *place, enum context context, const struct cell *cell,
		       long want_kb, struct seen *ret_seen, bool *ret_starved);

/* The other end of an exec: what main() does for `CELL_OPTION ...`. Does not return. */
#define CELL_OPTION "--cell"
_Noreturn void cell_main_after_exec(int argc, char **argv);

/*
 * Run `body` in a child that dies with us and read `size` bytes of answer from it. Returns 0,
 * -ETIMEDOUT or -ECHILD. For experiments of other shapes.
 */
int child_run(void (*body)(const void *argument, int answer_fd), const void *argument,
	      void *ret_answer, unsigned int size);
void child_answer(int answer_fd, const void *answer, unsigned int size);

#endif
