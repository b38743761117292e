/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "settings.h"

static int lock_fd = -1;
static int pipe_fd = -1; /* its end tells the watchdog that we are gone */
static pid_t watchdog = -1;
static bool armed;

static const int ending_signals[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM,
				     SIGABRT, SIGSEGV, SIGBUS, SIGFPE,  SIGILL};
#define ENDING_COUNT (sizeof(ending_signals) / sizeof(ending_signals[0]))

static void restore_and_die(int signal_number)
{
	settings_restore();
	/* SA_RESETHAND: the second delivery does what the first would have done without us. */
	raise(signal_number);
}

static void handle_ending_signals(bool handle)
{
	struct sigaction action = {.sa_handler = handle ? restore_and_die : SIG_DFL}, old;

	action.sa_flags = handle ? SA_RESETHAND : 0;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < ENDING_COUNT; i++) {
		/* What is ignored (nohup, a shell's background job) does not end us. */
		sigaction(ending_signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(ending_signals[i], &action, NULL);
	}
}

static int take_lock(const char *path, bool write)
{
	int operation = write ? LOCK_EX : LOCK_SH;

	lock_fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
	if (lock_fd < 0)
		lock_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (lock_fd < 0) {
		fprintf(stderr, "# no lock: %s: %s\n", path, strerror(errno));
		return 0;
	}
	if (flock(lock_fd, operation | LOCK_NB) == 0)
		return 0;
	fprintf(stderr, "# waiting for %s\n", path);
	while (flock(lock_fd, operation) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/*
 * In a session of its own, deaf to what a terminal or a supervisor sends to all of us, and holding
 * the lock's open file description: the lock stays taken until the settings are back.
 */
static void watch(int read_end)
{
	char farewell;
	int null = open("/dev/null", O_RDWR);

	setsid();
	for (size_t i = 0; i < ENDING_COUNT; i++)
		signal(ending_signals[i], SIG_IGN);
	/* Nobody who reads our output to its end shall have to wait for the watchdog. */
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	while (read(read_end, &farewell, 1) < 0 && errno == EINTR)
		;
	_exit(settings_restore());
}

static int start_watchdog(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	watchdog = fork();
	if (watchdog < 0)
		return -errno;
	if (watchdog == 0) {
		close(ends[1]);
		watch(ends[0]);
	}
	close(ends[0]);
	pipe_fd = ends[1];
	return 0;
}

int guard_begin(const char *lock_path, bool write)
{
	int error = take_lock(lock_path, write);

	if (error < 0 || !write)
		return error;
	/* Under the lock, so that what is saved is nobody else's temporary value. */
	error = settings_save();
	if (error < 0)
		return error;
	error = start_watchdog();
	if (error < 0)
		return error;
	handle_ending_signals(true);
	armed = true;
	return 0;
}

int guard_end(void)
{
	int different = 0;

	if (armed) {
		different = settings_restore();
		handle_ending_signals(false);
		armed = false;
		close(pipe_fd);
		pipe_fd = -1;
		while (waitpid(watchdog, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (lock_fd >= 0)
		close(lock_fd);
	lock_fd = -1;
	return different;
}

void guard_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pipe_fd >= 0)
		close(pipe_fd);
	if (lock_fd >= 0)
		close(lock_fd);
	if (armed)
		handle_ending_signals(false);
	/* A child of this child has nothing left to give up. */
	pipe_fd = lock_fd = -1;
	armed = false;
}
