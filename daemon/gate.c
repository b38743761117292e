// SPDX-License-Identifier: MIT
#include "gate.h"

#include "loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FAN_REPORT_TID
#define FAN_REPORT_TID 0x00000100 /* Linux 4.20 */
#endif
#ifndef FAN_OPEN_EXEC_PERM
#define FAN_OPEN_EXEC_PERM 0x00040000 /* Linux 5.0 */
#endif

#define MILLISECOND 1000000u
#define SECOND      1000000000u

/* An execve(2) that was allowed and has not come to its end by then has likely failed. */
#define EXEC_PATIENCE (100 * (uint64_t)MILLISECOND)
/* Without a word from the main process for so long, it hangs: nobody shall wait for us then. */
#define MAIN_PATIENCE (5 * (uint64_t)SECOND)
/* How long a thread that cannot be traced yet is waited for, before and after our answer. */
#define FIRST_TICK_MS 2
#define SEIZE_MS      200

#define HELD_MAX 256

/* A thread that was let into its execve(2). */
struct held {
	pid_t tid;
	uint64_t asked;
	uint64_t due; /* when to look whether the execve(2) has failed */
	bool late;    /* was traced so late that its stop may have been missed */
};

struct gate {
	int fd; /* to the main process */
	int fan_fd;
	int signal_fd;
	struct thp_ctx *ctx;
	const struct gate_setup *setup;
	struct held held[HELD_MAX];
	unsigned nr_held;
	uint64_t heard; /* last word of the main process */
};

static void tell(struct gate *gate, const struct gate_message *message)
{
	/* Within a time: who does not listen any more has ended, or will kill us. */
	send(gate->fd, message, sizeof(*message), MSG_NOSIGNAL);
}

/* ---- answering the kernel ----------------------------------------------------------------------
 */

/*
 * A thread that opens the interpreter of a script holds a lock of its process by then (before Linux
 * 6.9, any thread in execve(2) does), and who wants to trace it waits for this lock. So would we,
 * and it for our answer. A clock's signal then answers out of the midst of ptrace(2), and if even
 * this does not help, takes us out of it.
 */
static struct {
	int fan_fd;
	struct fanotify_response response;
	volatile sig_atomic_t answered;
	volatile sig_atomic_t ticks;
	sigjmp_buf out;
} ask;

static void answer(void)
{
	if (ask.answered)
		return;
	ask.answered = 1;
	if (write(ask.fan_fd, &ask.response, sizeof(ask.response)) < 0)
		_exit(1); /* the kernel answers itself when we are gone */
}

static void tick(int sig)
{
	int before = errno;

	(void)sig;
	answer();
	if (++ask.ticks >= SEIZE_MS)
		siglongjmp(ask.out, 1);
	errno = before;
}

static void set_clock(unsigned ms)
{
	const struct itimerval clock = {
		.it_interval.tv_usec = 1000,
		.it_value.tv_usec = ms * 1000,
	};
	const struct itimerval none = {0};

	setitimer(ITIMER_REAL, ms ? &clock : &none, NULL);
}

/* Becomes the tracer of a thread that waits for our answer. 0 or -errno. */
static int seize(pid_t tid)
{
	const long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;
	long r;

	ask.ticks = 0;
	if (sigsetjmp(ask.out, 1) != 0) {
		set_clock(0);
		return -ETIMEDOUT;
	}
	set_clock(FIRST_TICK_MS);
	r = ptrace(PTRACE_SEIZE, tid, NULL, options);
	set_clock(0);
	return r < 0 ? -errno : 0;
}

static struct held *find(struct gate *gate, pid_t tid)
{
	for (unsigned i = 0; i < gate->nr_held; i++) {
		if (gate->held[i].tid == tid)
			return &gate->held[i];
	}
	return NULL;
}

static void forget(struct gate *gate, pid_t tid)
{
	struct held *held = find(gate, tid);

	if (held)
		*held = gate->held[--gate->nr_held];
}

/* One question of the kernel. */
static void on_question(struct gate *gate, const struct fanotify_event_metadata *event)
{
	struct held held = {.tid = event->pid, .asked = loop_now()};
	int r = -EAGAIN;

	ask.response = (struct fanotify_response){.fd = event->fd, .response = FAN_ALLOW};
	ask.answered = 0;
	/* 0: a process of another PID namespace. A second question of one execve(2) is no news. */
	if (held.tid > 0 && !find(gate, held.tid) && gate->nr_held < HELD_MAX) {
		r = seize(held.tid);
		held.late = ask.answered;
	}
	answer();
	close(event->fd);
	if (r < 0)
		return;
	held.due = held.asked + EXEC_PATIENCE;
	gate->held[gate->nr_held++] = held;
	if (held.late)
		ptrace(PTRACE_INTERRUPT, held.tid, NULL, NULL);
}

static void on_questions(struct gate *gate)
{
	/* A few at a time: each brings an open descriptor, and without one left the kernel says no.
	 */
	char buffer[16 * sizeof(struct fanotify_event_metadata)]
		__attribute__((aligned(__alignof__(struct fanotify_event_metadata))));
	ssize_t len = read(gate->fan_fd, buffer, sizeof(buffer));
	const struct fanotify_event_metadata *event = (const void *)buffer;

	for (; len > 0 && FAN_EVENT_OK(event, len); event = FAN_EVENT_NEXT(event, len)) {
		if (event->fd >= 0 && event->mask & FAN_OPEN_EXEC_PERM)
			on_question(gate, event);
		else if (event->fd >= 0)
			close(event->fd);
	}
}

/* ---- those that are held -----------------------------------------------------------------------
 */

/* A program stands before its first instruction, or behind very few. */
static void on_exec(struct gate *gate, pid_t pid, const struct held *held)
{
	struct gate_message message = {
		.pid = pid,
		.asked = held->asked,
		.remote = {.size = sizeof(message.remote)},
	};
	struct gate_verdict verdict = gate->setup->decide(gate->setup->arg, pid);

	if (verdict.rule < 0) {
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
		return;
	}
	message.rule = verdict.rule;
	message.word = GATE_HELD;
	tell(gate, &message);
	message.word = GATE_DONE;
	message.err = thp_remote_set_at_exec(gate->ctx, pid, verdict.mode, &message.remote);
	message.done = loop_now();
	if (message.err < 0)
		snprintf(message.reason, sizeof(message.reason), "%s", thp_reason(gate->ctx));
	tell(gate, &message);
}

/* After execve(2) of another thread than the main one, it has the main one's number. */
static struct held take(struct gate *gate, pid_t pid)
{
	unsigned long former = (unsigned long)pid;
	struct held *held;
	struct held taken = {.tid = pid, .asked = loop_now()};

	ptrace(PTRACE_GETEVENTMSG, pid, NULL, &former);
	held = find(gate, (pid_t)former);
	if (!held)
		held = find(gate, pid);
	if (held)
		taken = *held;
	forget(gate, (pid_t)former);
	forget(gate, pid);
	return taken;
}

static void on_stop(struct gate *gate, pid_t pid, int status)
{
	int event = status >> 8;
	struct held held;

	if (event == PTRACE_EVENT_EXEC) {
		siginfo_t info;

		/* One whose number has changed by it cannot be touched before this is collected. */
		waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | __WALL);
		held = take(gate, pid);
		on_exec(gate, pid, &held);
		return;
	}
	if (event == PTRACE_EVENT_STOP) {
		struct held *late = find(gate, pid);

		if (late && late->late) {
			held = *late;
			forget(gate, pid);
			on_exec(gate, pid, &held);
			return;
		}
	}
	/* Its execve(2) has failed, and it is at something else. A signal is passed on. */
	forget(gate, pid);
	ptrace(PTRACE_DETACH, pid, NULL, event ? 0l : (long)(status & 0x7f));
}

/* More stops at a time than all that are held can have: one of them does not go away. */
#define STOPS_MAX (16 * HELD_MAX)

/* WNOWAIT: a stop that is not collected is not lost when we are killed, and its signal neither. */
static void on_stops(struct gate *gate)
{
	for (unsigned i = 0;; i++) {
		siginfo_t info = {0};

		if (waitid(P_ALL, 0, &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL) < 0 ||
		    info.si_pid == 0)
			return;
		if (i == STOPS_MAX)
			_exit(1); /* the kernel lets go of all that we have */
		if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
			on_stop(gate, info.si_pid, info.si_status);
			continue;
		}
		forget(gate, info.si_pid);
		waitid(P_PID, (id_t)info.si_pid, &info, WEXITED | WNOHANG | __WALL);
	}
}

/* Stops those whose execve(2) takes so long that it has likely failed, to let them go. */
static void on_time(struct gate *gate, uint64_t now)
{
	for (unsigned i = 0; i < gate->nr_held; i++) {
		struct held *held = &gate->held[i];

		if (now < held->due)
			continue;
		held->due = now + (now - held->asked);
		if (ptrace(PTRACE_INTERRUPT, held->tid, NULL, NULL) < 0 && errno == ESRCH)
			*held = gate->held[--gate->nr_held], i--;
	}
}

/* ---- the main process --------------------------------------------------------------------------
 */

static int mark(struct gate *gate, int fd, unsigned flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return fanotify_mark(gate->fan_fd, flags, FAN_OPEN_EXEC_PERM, AT_FDCWD, path) < 0 ? -errno
											  : 0;
}

/* One word. 0, or -errno when there is nobody any more. */
static int on_word(struct gate *gate)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct gate_message message;
	struct iovec iov = {&message, sizeof(message)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(gate->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *cmsg;
	int fd = -1;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n != sizeof(message))
		return -EPIPE;
	gate->heard = loop_now();
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg && cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	if (message.word == GATE_MARK) {
		message.word = GATE_UNMARKED;
		message.err = mark(gate, fd, FAN_MARK_ADD);
		if (message.err < 0)
			tell(gate, &message);
	} else if (message.word == GATE_PING) {
		message.word = GATE_PONG;
		tell(gate, &message);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}

/* ---- the beginning -----------------------------------------------------------------------------
 */

static int open_all(struct gate *gate)
{
	const struct sigaction on_tick = {.sa_handler = tick, .sa_flags = SA_RESTART};
	const struct timeval patience = {.tv_sec = 1};
	struct rlimit files;
	sigset_t child;
	int r;

	/* Each question that waits needs a descriptor. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	setsockopt(gate->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	r = thp_open(&gate->ctx, NULL);
	if (r < 0)
		return r;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	gate->signal_fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	sigaction(SIGALRM, &on_tick, NULL);
	gate->fan_fd =
		fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK | FAN_REPORT_TID |
				      FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS,
			      O_RDONLY | O_LARGEFILE | O_CLOEXEC);
	if (gate->signal_fd < 0 || gate->fan_fd < 0)
		return errno == ENOSYS || errno == EINVAL ? -EOPNOTSUPP : -errno;
	ask.fan_fd = gate->fan_fd;
	return 0;
}

/* Whether there is something to read within a time. */
static bool comes(int fd, int ms)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	return poll(&pollfd, 1, ms) == 1;
}

#define TRY_MS 2000

/*
 * Tries the whole way once, with this program as the one that is executed: whether the kernel lets
 * us trace a thread that waits for our answer depends on its version, its security modules and our
 * rights, and is not to be learned with somebody else's program.
 */
static int try_once(struct gate *gate)
{
	struct fanotify_event_metadata event;
	siginfo_t info = {0};
	int self = open("/proc/self/exe", O_PATH | O_CLOEXEC), r = 0;
	bool stopped = false;
	pid_t pid;

	if (self < 0)
		return -errno;
	r = mark(gate, self, FAN_MARK_ADD);
	pid = r < 0 ? -1 : fork();
	if (pid == 0) {
		char *argv[] = {"thpd", "--version", NULL};
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	if (pid > 0) {
		while (r == 0 && !stopped && comes(gate->fan_fd, TRY_MS) &&
		       read(gate->fan_fd, &event, sizeof(event)) == sizeof(event)) {
			if (event.pid != pid) { /* somebody else starts thpd just now */
				ask.response.fd = event.fd;
				ask.response.response = FAN_ALLOW;
				ask.answered = 0;
				answer();
				close(event.fd);
				continue;
			}
			on_question(gate, &event);
			stopped = find(gate, pid) && !find(gate, pid)->late &&
				  waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT) ==
					  0 &&
				  info.si_code == CLD_TRAPPED &&
				  info.si_status >> 8 == PTRACE_EVENT_EXEC;
			break;
		}
		r = stopped ? 0 : -EOPNOTSUPP;
		kill(pid, SIGKILL);
		forget(gate, pid);
		waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL);
	}
	mark(gate, self, FAN_MARK_REMOVE);
	close(self);
	return r;
}

static int run(struct gate *gate)
{
	struct pollfd fds[] = {
		{.fd = gate->fan_fd, .events = POLLIN},
		{.fd = gate->signal_fd, .events = POLLIN},
		{.fd = gate->fd, .events = POLLIN},
	};
	struct signalfd_siginfo ignored;

	gate->heard = loop_now();
	for (;;) {
		uint64_t now = loop_now();
		int ms = gate->nr_held ? 20 : 1000;

		if (now - gate->heard > MAIN_PATIENCE)
			return 1;
		on_time(gate, now);
		if (poll(fds, sizeof(fds) / sizeof(fds[0]), ms) < 0 && errno != EINTR)
			return 1;
		if (fds[0].revents)
			on_questions(gate);
		/* libthp takes signals too: stops are looked for at any rate. */
		if (fds[1].revents)
			while (read(gate->signal_fd, &ignored, sizeof(ignored)) > 0)
				;
		on_stops(gate);
		if (fds[2].revents && on_word(gate) < 0)
			return 0;
	}
}

int gate_main(int fd, void *arg)
{
	static struct gate gate;
	struct gate_message message = {.word = GATE_READY};

	gate.fd = fd;
	gate.setup = arg;
	message.err = open_all(&gate);
	if (message.err == 0)
		message.err = try_once(&gate);
	tell(&gate, &message);
	return message.err < 0 ? 1 : run(&gate);
}
