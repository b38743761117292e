// SPDX-License-Identifier: MIT
/*
 * Blocks in one system call until its standard input ends: blocked NAME
 * Prints "ready", then "ok" if the call did what it was called for, else what it returned. The
 * calls with a time limit end by it and not by the input; they tell "early" if it was not kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_MS 1500

static int pipe_fds[2], pair[2], event_fd, listener, sem_id, msg_id, lock_fd;
static char lock_path[] = "/tmp/blocked-XXXXXX";
static unsigned *word; /* shared with the finisher */
static pid_t waiter;   /* the process that blocks */
static volatile sig_atomic_t handled;

static void handler(int sig)
{
	(void)sig;
	handled++;
}

static void handle(int sig, int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(sig, &action, NULL);
}

static void block(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const struct timespec limit = {.tv_sec = LIMIT_MS / 1000,
				      .tv_nsec = LIMIT_MS % 1000 * 1000000};

/* ---- the calls: each returns 0, or -1 with errno ------------------------------------------- */

static int do_nanosleep(void)
{
	return nanosleep(&limit, NULL);
}

static int do_clock_nanosleep(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += 1;
	at.tv_nsec += 500000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	return errno ? -1 : 0;
}

static int do_futex(void)
{
	while (*(volatile unsigned *)word == 0) {
		if (syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL) < 0 && errno != EAGAIN)
			return -1;
	}
	return 0;
}

static int do_futex_timed(void)
{
	if (syscall(SYS_futex, word + 1, FUTEX_WAIT, 0, &limit) < 0 && errno == ETIMEDOUT)
		return 0;
	return -1;
}

static int do_poll(void)
{
	struct pollfd fd = {.fd = pipe_fds[0], .events = POLLIN};

	return poll(&fd, 1, -1) == 1 ? 0 : -1;
}

static int do_poll_timed(void)
{
	return poll(NULL, 0, LIMIT_MS) == 0 ? 0 : -1;
}

static int do_ppoll(void)
{
	struct pollfd fd = {.fd = pipe_fds[0], .events = POLLIN};
	sigset_t none;

	sigemptyset(&none);
	block(SIGUSR2);
	return ppoll(&fd, 1, NULL, &none) == 1 ? 0 : -1;
}

static int do_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(pipe_fds[0], &set);
	return select(pipe_fds[0] + 1, &set, NULL, NULL, NULL) == 1 ? 0 : -1;
}

static int epoll_of(int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epfd = epoll_create1(0);

	epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event);
	return epfd;
}

static int do_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_of(pipe_fds[0]), &event, 1, -1) == 1 ? 0 : -1;
}

static int do_epoll_timed(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_of(pipe_fds[0]), &event, 1, 600000) == 1 ? 0 : -1;
}

static int do_pipe_read(void)
{
	char c;

	return read(pipe_fds[0], &c, 1) == 1 ? 0 : -1;
}

static int do_recv(void)
{
	char c;

	return recv(pair[0], &c, 1, 0) == 1 ? 0 : -1;
}

/* With a time limit, recv(2) and read(2) give up with EINTR at any stop. */
static int do_recv_timed(void)
{
	const struct timeval long_time = {.tv_sec = 600};
	char c;

	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof(long_time));
	return recv(pair[0], &c, 1, 0) == 1 ? 0 : -1;
}

static int do_read_timed(void)
{
	const struct timeval long_time = {.tv_sec = 600};
	char c;

	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof(long_time));
	return read(pair[0], &c, 1) == 1 ? 0 : -1;
}

static int do_accept(void)
{
	return accept(listener, NULL, NULL) >= 0 ? 0 : -1;
}

static int do_inotify(void)
{
	char buf[512];
	int fd = inotify_init();

	inotify_add_watch(fd, lock_path, IN_MODIFY);
	return read(fd, buf, sizeof(buf)) > 0 ? 0 : -1;
}

static int do_eventfd(void)
{
	uint64_t value;

	return read(event_fd, &value, sizeof(value)) == sizeof(value) ? 0 : -1;
}

static int do_flock(void)
{
	int fd = open(lock_path, O_RDWR);

	return flock(fd, LOCK_EX);
}

static int do_semop(void)
{
	struct sembuf op = {.sem_op = -1};

	return semop(sem_id, &op, 1);
}

static int do_semtimedop(void)
{
	const struct timespec long_time = {.tv_sec = 600};
	struct sembuf op = {.sem_op = -1};

	return semtimedop(sem_id, &op, 1, &long_time);
}

static int do_msgrcv(void)
{
	struct {
		long type;
		char text[8];
	} message;

	return msgrcv(msg_id, &message, sizeof(message.text), 0, 0) >= 0 ? 0 : -1;
}

static int do_sigsuspend(void)
{
	sigset_t none;

	sigemptyset(&none);
	/* EINTR means here that the handler ran: exactly once, for the finisher's signal. */
	return sigsuspend(&none) < 0 && errno == EINTR && handled == 1 ? 0 : -1;
}

static int do_pause(void)
{
	return pause() < 0 && errno == EINTR && handled == 1 ? 0 : -1;
}

static int do_sigwaitinfo(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigwaitinfo(&set, NULL) == SIGUSR1 ? 0 : -1;
}

static int do_sigtimedwait(void)
{
	const struct timespec long_time = {.tv_sec = 600};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigtimedwait(&set, NULL, &long_time) == SIGUSR1 ? 0 : -1;
}

static int do_waitpid(void)
{
	return waitpid(-1, NULL, 0) > 0 ? 0 : -1;
}

/* Computes with everything that has registers, and must get the same each time. */
static int do_spin(void)
{
	static double a[4096];
	double first = 0;

	for (bool begun = false; *(volatile unsigned *)word == 0; begun = true) {
		double sum = 1;

		for (unsigned i = 0; i < 4096; i++)
			a[i] = (double)(i * 2654435761u) / 7;
		for (unsigned n = 0; n < 64; n++) {
			for (unsigned i = 0; i < 4096; i++)
				sum = sum / 1.0000001 + a[i];
		}
		if (!begun)
			first = sum;
		else if (sum != first)
			return -1;
	}
	return 0;
}

/* Blocked inside a signal handler, on a stack of its own. */
static int in_handler_result;
static void blocking_handler(int sig)
{
	(void)sig;
	in_handler_result = do_pipe_read();
}

static int do_handler(void)
{
	static char stack[65536];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = blocking_handler, .sa_flags = SA_ONSTACK};

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	return in_handler_result;
}

/* The parent of a vfork(2) child sleeps uninterruptibly; the child blocks. */
static int do_vfork(void)
{
	pid_t pid = vfork();
	char c;

	if (pid == 0)
		_exit(read(pipe_fds[0], &c, 1) == 1 ? 0 : 1);
	int status;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* The kernel restarts handlers' calls by SA_RESTART only: both sides must stay as they are. */
static int do_read_norestart(void)
{
	char c;

	handle(SIGUSR1, 0);
	return read(pipe_fds[0], &c, 1) < 0 && errno == EINTR && handled == 1 ? 0 : -1;
}

static int do_read_restart(void)
{
	char c;

	handle(SIGUSR1, SA_RESTART);
	return read(pipe_fds[0], &c, 1) == 1 && handled == 1 ? 0 : -1;
}

/* ---- what ends them ------------------------------------------------------------------------ */

static void wake_pipe(void)
{
	if (write(pipe_fds[1], "x", 1) != 1)
		_exit(1);
}

static void wake_pair(void)
{
	send(pair[1], "x", 1, 0);
}

static void wake_futex(void)
{
	*(volatile unsigned *)word = 1;
	syscall(SYS_futex, word, FUTEX_WAKE, 1);
}

static void wake_event(void)
{
	uint64_t one = 1;

	if (write(event_fd, &one, sizeof(one)) < 0)
		_exit(1);
}

static void wake_listener(void)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);

	getsockname(listener, (struct sockaddr *)&address, &len);
	connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, len);
}

static void wake_file(void)
{
	if (write(lock_fd, "x", 1) < 0)
		_exit(1);
}

static void wake_unlock(void)
{
	flock(lock_fd, LOCK_UN);
}

static void wake_sem(void)
{
	struct sembuf op = {.sem_op = 1};

	semop(sem_id, &op, 1);
}

static void wake_msg(void)
{
	struct {
		long type;
		char text[8];
	} message = {.type = 1};

	msgsnd(msg_id, &message, sizeof(message.text), 0);
}

static void wake_signal(void)
{
	kill(waiter, SIGUSR1);
}

static void wake_signal_then_pipe(void)
{
	kill(waiter, SIGUSR1);
	usleep(100000);
	wake_pipe();
}

static void wake_nothing(void)
{
}

static const struct state {
	const char *name;
	int (*call)(void);
	void (*wake)(void);
	bool timed; /* ends by its own limit of LIMIT_MS */
} states[] = {
	{"nanosleep", do_nanosleep, wake_nothing, true},
	{"clock_nanosleep", do_clock_nanosleep, wake_nothing, true},
	{"futex", do_futex, wake_futex, false},
	{"futex_timed", do_futex_timed, wake_nothing, true},
	{"poll", do_poll, wake_pipe, false},
	{"poll_timed", do_poll_timed, wake_nothing, true},
	{"ppoll", do_ppoll, wake_pipe, false},
	{"select", do_select, wake_pipe, false},
	{"epoll", do_epoll, wake_pipe, false},
	{"epoll_timed", do_epoll_timed, wake_pipe, false},
	{"pipe_read", do_pipe_read, wake_pipe, false},
	{"recv", do_recv, wake_pair, false},
	{"recv_timed", do_recv_timed, wake_pair, false},
	{"read_timed", do_read_timed, wake_pair, false},
	{"accept", do_accept, wake_listener, false},
	{"inotify", do_inotify, wake_file, false},
	{"eventfd", do_eventfd, wake_event, false},
	{"flock", do_flock, wake_unlock, false},
	{"semop", do_semop, wake_sem, false},
	{"semtimedop", do_semtimedop, wake_sem, false},
	{"msgrcv", do_msgrcv, wake_msg, false},
	{"sigsuspend", do_sigsuspend, wake_signal, false},
	{"pause", do_pause, wake_signal, false},
	{"sigwaitinfo", do_sigwaitinfo, wake_signal, false},
	{"sigtimedwait", do_sigtimedwait, wake_signal, false},
	{"waitpid", do_waitpid, wake_nothing, false},
	{"spin", do_spin, wake_futex, false},
	{"handler", do_handler, wake_pipe, false},
	{"vfork", do_vfork, wake_pipe, false},
	{"read_norestart", do_read_norestart, wake_signal, false},
	{"read_restart", do_read_restart, wake_signal_then_pipe, false},
};
#define NR_STATES (sizeof(states) / sizeof(states[0]))

/* Waits for the end of standard input in a process of its own, then ends the call. */
static void finisher(const struct state *state)
{
	char c;

	flock(lock_fd, LOCK_EX);
	*(volatile unsigned *)(word + 2) = 1;
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	state->wake();
	_exit(0);
}

static int run(const struct state *state)
{
	double start;
	int r;

	handle(SIGUSR1, 0);
	if (strncmp(state->name, "sig", 3) == 0)
		block(SIGUSR1);
	if (fork() == 0)
		finisher(state);
	while (*(volatile unsigned *)(word + 2) == 0)
		usleep(1000); /* until the finisher holds its lock */
	close(STDIN_FILENO);
	printf("ready\n");
	fflush(stdout);

	start = now();
	r = state->call();
	if (r < 0)
		printf("%s: errno %s, handled %d\n", state->name, strerrorname_np(errno),
		       (int)handled);
	else if (state->timed && now() - start < LIMIT_MS / 1000.0)
		printf("%s: early\n", state->name);
	else
		printf("ok\n");
	fflush(stdout);
	unlink(lock_path);
	semctl(sem_id, 0, IPC_RMID);
	msgctl(msg_id, IPC_RMID, NULL);
	return r < 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (strcmp(argv[1], "list") == 0) {
		for (size_t i = 0; i < NR_STATES; i++)
			printf("%s%s\n", states[i].name, states[i].timed ? " timed" : "");
		return 0;
	}
	waiter = getpid();
	word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	event_fd = eventfd(0, 0);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	sem_id = semget(IPC_PRIVATE, 1, 0600);
	msg_id = msgget(IPC_PRIVATE, 0600);
	lock_fd = mkstemp(lock_path);
	if (word == MAP_FAILED || pipe(pipe_fds) < 0 || event_fd < 0 || listener < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || sem_id < 0 || msg_id < 0 ||
	    lock_fd < 0 || listen(listener, 1) < 0)
		return 1;
	for (size_t i = 0; i < NR_STATES; i++) {
		if (strcmp(states[i].name, argv[1]) == 0)
			return run(&states[i]);
	}
	return 2;
}
