/* SPDX-License-Identifier: MIT */
#include "cell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.h"
#include "kernel.h"
#include "measure.h"
#include "memory.h"

#define ANSWER_TIMEOUT_MS 30000

static const char *const context_names[CONTEXT_COUNT] = {
	"self",     "thread",       "fork",        "vfork child",
	"clone vm", "exec dynamic", "exec static", "fork+exec",
};

struct request {
	const struct place *place;
	const struct cell *cell;
	enum context context;
};

const char *context_name(enum context context)
{
	return context_names[context];
}

static long set_flag(enum flag flag)
{
	return kernel_thp_set(flag != FLAG_CLEAR, flag == FLAG_MADVISE ? EXCEPT_ADVISED : 0);
}

struct thread_call {
	enum flag flag;
	long returned;
};

static void *set_flag_in_thread(void *argument)
{
	struct thread_call *call = argument;

	call->returned = set_flag(call->flag);
	return NULL;
}

static long set_flag_by_thread(enum flag flag)
{
	struct thread_call call = {flag, -ECHILD};
	pthread_t thread;
	int error = pthread_create(&thread, NULL, set_flag_in_thread, &call);

	if (error)
		return -error;
	pthread_join(thread, NULL);
	return call.returned;
}

static long set_flag_as(enum context context, enum flag flag)
{
	unsigned long disable = flag != FLAG_CLEAR;
	unsigned long flags = flag == FLAG_MADVISE ? EXCEPT_ADVISED : 0;

	switch (context) {
	case CONTEXT_THREAD:
		return set_flag_by_thread(flag);
	case CONTEXT_VFORK:
		return kernel_thp_set_in_vfork_child(disable, flags);
	case CONTEXT_CLONE_VM:
		return kernel_thp_set_in_clone_vm_child(disable, flags);
	default:
		return set_flag(flag);
	}
}

/* The measured process, once the flag is where it belongs. */
static struct seen observe(long set, const struct place *place, const struct cell *cell)
{
	struct seen seen = {set, kernel_thp_get(), measure_thp_enabled(), 0, -ENODATA, -ENODATA};
	struct block block;
	int error = memory_map(cell->kind, (size_t)place->pmd_kb * 1024, place->file_dir, &block);

	if (error < 0) {
		seen.huge_kb = error;
		return seen;
	}
	seen.advice = memory_advise(&block, cell->advice);
	memory_touch(&block);
	if (cell->advice == ADVICE_COLLAPSE)
		seen.advice = memory_collapse(&block);
	seen.huge_kb = measure_huge_kb(&block);
	seen.scan_kb = kernel_scan_huge_kb(block.start, block.length);
	return seen;
}

void child_answer(int answer_fd, const void *answer, unsigned int size)
{
	if (write(answer_fd, answer, size) != (ssize_t)size)
		_exit(1);
}

static void observe_and_answer(long set, const struct place *place, const struct cell *cell, int fd)
{
	struct seen seen = observe(set, place, cell);

	child_answer(fd, &seen, sizeof(seen));
}

/* argv after exec: --cell FD SET KIND ADVICE PMD_KB FILE_DIR */
static void exec_cell(const char *program, long set, const struct request *request, int fd)
{
	char numbers[5][24];

	snprintf(numbers[0], sizeof(numbers[0]), "%d", fd);
	snprintf(numbers[1], sizeof(numbers[1]), "%ld", set);
	snprintf(numbers[2], sizeof(numbers[2]), "%d", (int)request->cell->kind);
	snprintf(numbers[3], sizeof(numbers[3]), "%d", (int)request->cell->advice);
	snprintf(numbers[4], sizeof(numbers[4]), "%ld", request->place->pmd_kb);
	fcntl(fd, F_SETFD, 0);
	execl(program, program, CELL_OPTION, numbers[0], numbers[1], numbers[2], numbers[3],
	      numbers[4], request->place->file_dir, (char *)NULL);
}

void cell_main_after_exec(int argc, char **argv)
{
	if (argc == 8) {
		struct cell cell = {.kind = (enum kind)atoi(argv[4]),
				    .advice = (enum advice)atoi(argv[5])};
		struct place place = {.pmd_kb = atol(argv[6]), .file_dir = argv[7]};

		observe_and_answer(atol(argv[3]), &place, &cell, atoi(argv[2]));
		_exit(0);
	}
	_exit(2);
}

static const char *program_for(const struct place *place, enum context context)
{
	switch (context) {
	case CONTEXT_EXEC_DYNAMIC:
		return place->dynamic_program;
	case CONTEXT_EXEC_STATIC:
		return place->static_program;
	case CONTEXT_FORK_EXEC:
		return "/proc/self/exe";
	default:
		return NULL;
	}
}

static bool needs_program(enum context context)
{
	return context == CONTEXT_EXEC_DYNAMIC || context == CONTEXT_EXEC_STATIC ||
	       context == CONTEXT_FORK_EXEC;
}

static void run_request(const void *argument, int answer_fd)
{
	const struct request *request = argument;
	const char *program = program_for(request->place, request->context);
	long set = set_flag_as(request->context, request->cell->flag);

	if (request->context == CONTEXT_FORK || request->context == CONTEXT_FORK_EXEC) {
		pid_t child = fork();

		if (child < 0)
			_exit(1);
		if (child > 0) {
			while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
				;
			_exit(0);
		}
		guard_child();
	}
	if (program)
		exec_cell(program, set, request, answer_fd);
	else
		observe_and_answer(set, request->place, request->cell, answer_fd);
}

static int read_answer(int fd, void *ret_answer, unsigned int size)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	int count;

	do
		count = poll(&ready, 1, ANSWER_TIMEOUT_MS);
	while (count < 0 && errno == EINTR);
	if (count == 0)
		return -ETIMEDOUT;
	/* Answers are smaller than PIPE_BUF: whole or not at all. */
	return read(fd, ret_answer, size) == (ssize_t)size ? 0 : -ECHILD;
}

int child_run(void (*body)(const void *argument, int answer_fd), const void *argument,
	      void *ret_answer, unsigned int size)
{
	int ends[2], error;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	child = fork();
	if (child == 0) {
		guard_child();
		close(ends[0]);
		body(argument, ends[1]);
		_exit(0);
	}
	error = child < 0 ? -errno : 0;
	close(ends[1]);
	if (error == 0) {
		error = read_answer(ends[0], ret_answer, size);
		if (error < 0)
			kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return error;
}

int cell_run(const struct place *place, enum context context, const struct cell *cell,
	     struct seen *ret_seen)
{
	struct request request = {place, cell, context};

	if (needs_program(context) && !program_for(place, context))
		return -ENOENT;
	return child_run(run_request, &request, ret_seen, sizeof(*ret_seen));
}

/* Of no effect without root; then there is only the next try. */
static void compact_memory(void)
{
	int fd = open("/proc/sys/vm/compact_memory", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1", 1) < 0)
		usleep(10000);
	close(fd);
}

int cell_run_patiently(const struct place *place, enum context context, const struct cell *cell,
		       long want_kb, struct seen *ret_seen, bool *ret_starved)
{
	long fallbacks = 0;
	int error = 0;

	*ret_starved = false;
	for (int attempt = 0; attempt < 3; attempt++) {
		if (attempt > 0)
			compact_memory();
		fallbacks = measure_fallbacks();
		error = cell_run(place, context, cell, ret_seen);
		if (error < 0 || ret_seen->huge_kb >= want_kb)
			return error;
	}
	/* A refusal (EINVAL) is a verdict, whatever else the machine ran out of meanwhile. */
	*ret_starved = ret_seen->advice != -EINVAL && measure_fallbacks() > fallbacks;
	return error;
}
