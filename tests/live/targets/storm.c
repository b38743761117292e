// SPDX-License-Identifier: MIT
/*
 * A process that notices what should not be noticed: storm [quiet] [killed]
 *
 * Sixteen threads, four of each kind:
 *   count    counts in per-CPU counters by restartable sequences; every count must be there
 *   compute  must get the same sum each time
 *   talk     sends and receives over sockets, sleeps on futexes; no call may fail
 *   wait     sleeps in calls that give EINTR at any stop; it takes no signals, so no EINTR is due
 * Unless quiet, a child sends numbered real-time signals to the first three kinds as fast as they
 * take them; each must come once, in order. Prints "ready", runs until SIGTERM, prints "ok" with
 * counts, or what was wrong. With killed, EINTR in the last kind is counted, and no fault: where a
 * tracer is killed between the stop and its first act nobody can mend it.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS   16
#define LISTENERS 12 /* those that take signals */
#define CPUS      1024
#define STORM     SIGRTMIN
#define AHEAD     64 /* signals that may be on their way to one thread */

static atomic_bool stop;
static bool killed;
static atomic_ulong wrong, interrupted;
static char first_wrong[256];

static void complain(const char *what, long value, int error)
{
	if (atomic_fetch_add(&wrong, 1) == 0)
		snprintf(first_wrong, sizeof(first_wrong), "%s: %ld %s", what, value,
			 error ? strerrorname_np(error) : "");
}

/* What the sender and the threads share. */
static struct shared {
	_Alignas(64) atomic_int tid;
	atomic_ulong sent, taken;
} * shared;
static atomic_bool *sending;

static struct thread {
	pthread_t thread;
	unsigned index;
	unsigned long rounds;
} threads[THREADS];
static _Thread_local struct thread *self;

static void take(int sig, siginfo_t *info, void *context)
{
	struct shared *mine = &shared[self->index];
	unsigned long taken = atomic_load(&mine->taken);

	(void)sig;
	(void)context;
	if ((unsigned long)info->si_value.sival_ptr != taken)
		complain("signal lost, doubled or out of order, off by",
			 (long)info->si_value.sival_ptr - (long)taken, 0);
	atomic_store(&mine->taken, (unsigned long)info->si_value.sival_ptr + 1);
}

/* Leaves the CPUs to others for most of the time, but not for all of it. */
static void rest(unsigned long rounds, unsigned long every)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	if (rounds % every == 0)
		nanosleep(&moment, NULL); /* cut short by signals */
}

/* ---- count ---------------------------------------------------------------------------------- */

static struct counter {
	_Alignas(64) unsigned long n;
} counters[CPUS];

/* One count in the counter of the present CPU; false if it was not made. */
static inline bool count(struct rseq *area)
{
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"
		     ".balign 32\n"
		     "3:\t.long 0, 0\n\t"
		     ".quad 1f, 2f - 1f, 4f\n\t"
		     ".popsection\n\t"
		     "leaq 3b(%%rip), %%rax\n\t"
		     "movq %%rax, 8(%[area])\n"
		     "1:\tmovl 4(%[area]), %%ecx\n\t"
		     "shlq $6, %%rcx\n\t"
		     "movq (%[counters], %%rcx), %%rax\n\t"
		     "movl $50, %%edx\n"
		     "5:\tdecl %%edx\n\t"
		     "jnz 5b\n\t"
		     "incq %%rax\n\t"
		     "movq %%rax, (%[counters], %%rcx)\n"
		     "2:\n\t"
		     ".pushsection __rseq_failure, \"ax\"\n\t"
		     ".byte 0x0f, 0xb9, 0x3d\n\t"
		     ".long 0x53053053\n"
		     "4:\tjmp %l[aborted]\n\t"
		     ".popsection"
		     :
		     : [area] "r"(area), [counters] "r"(counters)
		     : "rax", "rcx", "rdx", "memory", "cc"
		     : aborted);
	return true;
aborted:
	return false;
}

static void run_count(struct thread *thread)
{
	struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);

	if (__rseq_size == 0)
		complain("glibc registered no rseq", 0, 0);
	while (!stop) {
		thread->rounds += count(area);
		rest(thread->rounds, 4096);
	}
}

/* ---- compute -------------------------------------------------------------------------------- */

static double compute(void)
{
	double a[512], sum = 1;

	for (unsigned i = 0; i < 512; i++)
		a[i] = (double)(i * 2654435761u) / 7;
	for (unsigned n = 0; n < 8; n++) {
		for (unsigned i = 0; i < 512; i++)
			sum = sum / 1.0000001 + a[i];
	}
	return sum;
}

static void run_compute(struct thread *thread)
{
	const double first = compute();

	for (; !stop; thread->rounds++) {
		if (compute() != first)
			complain("sum differs", (long)thread->rounds, 0);
		rest(thread->rounds, 32);
	}
}

/* ---- talk ----------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static unsigned turn;

static void run_talk_by_futex(struct thread *thread)
{
	unsigned mine = thread->index & 1;

	pthread_mutex_lock(&mutex);
	for (; !stop; thread->rounds++) {
		while (turn != mine && !stop)
			pthread_cond_wait(&cond, &mutex);
		turn = !mine;
		pthread_cond_broadcast(&cond);
	}
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
}

static int pair[2];

static void run_talk_by_socket(struct thread *thread)
{
	int fd = pair[thread->index & 1];
	unsigned long word = 0;

	if (thread->index & 1)
		send(fd, &word, sizeof(word), 0);
	for (; !stop; thread->rounds++) {
		ssize_t n = recv(fd, &word, sizeof(word), 0);

		if (n == 0)
			break;
		if (n != sizeof(word) || word != thread->rounds)
			complain("recv", n, n < 0 ? errno : 0);
		word = thread->rounds + (thread->index & 1);
		n = send(fd, &word, sizeof(word), MSG_NOSIGNAL);
		if (n != sizeof(word) && !stop)
			complain("send", n, n < 0 ? errno : 0);
	}
	shutdown(fd, SHUT_RDWR);
}

/* ---- wait ----------------------------------------------------------------------------------- */

static void run_wait(struct thread *thread)
{
	const struct timespec moment = {.tv_nsec = 2000000};
	struct epoll_event event = {.events = EPOLLIN};
	int epfd = epoll_create1(0);
	sigset_t usr;

	sigemptyset(&usr);
	sigaddset(&usr, SIGUSR1);
	for (; !stop; thread->rounds++) {
		int r;

		switch (thread->index % 4) {
		case 0:
			r = epoll_wait(epfd, &event, 1, 2);
			break;
		case 1:
			r = nanosleep(&moment, NULL);
			break;
		case 2:
			r = sigtimedwait(&usr, NULL, &moment) < 0 && errno == EAGAIN ? 0 : -1;
			break;
		default:
			errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
			r = errno ? -1 : 0;
			break;
		}
		if (r != 0 && errno == EINTR)
			interrupted++;
		if (r != 0 && !(killed && errno == EINTR))
			complain("waiting call", r, errno);
	}
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void *run(void *arg)
{
	sigset_t set;

	self = arg;
	atomic_store(&shared[self->index].tid, gettid());
	sigemptyset(&set);
	sigaddset(&set, STORM);
	if (self->index < LISTENERS)
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	switch (self->index / 4) {
	case 0:
		run_count(self);
		break;
	case 1:
		run_compute(self);
		break;
	case 2:
		(self->index & 2 ? run_talk_by_futex : run_talk_by_socket)(self);
		break;
	default:
		run_wait(self);
		break;
	}
	return NULL;
}

static void send_signals(pid_t pid)
{
	unsigned idle = 0;

	for (unsigned i = 0; *sending; i = (i + 1) % LISTENERS) {
		struct shared *to = &shared[i];
		unsigned long sent = atomic_load(&to->sent);
		siginfo_t info = {.si_signo = STORM, .si_code = SI_QUEUE};

		if (sent - atomic_load(&to->taken) >= AHEAD) {
			if (++idle % LISTENERS == 0)
				sched_yield();
			continue;
		}
		info.si_pid = getpid();
		info.si_value.sival_ptr = (void *)sent;
		if (syscall(SYS_rt_tgsigqueueinfo, pid, (int)to->tid, STORM, &info) == 0)
			atomic_store(&to->sent, sent + 1);
		usleep(20);
	}
	_exit(0);
}

static bool all_taken(void)
{
	for (unsigned i = 0; i < LISTENERS; i++) {
		if (atomic_load(&shared[i].sent) != atomic_load(&shared[i].taken))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_RESTART};
	bool quiet = false;
	unsigned long signals = 0, counted = 0, counts = 0;
	pid_t sender = 0;
	sigset_t set;
	int sig;

	for (int i = 1; i < argc; i++) {
		quiet |= strcmp(argv[i], "quiet") == 0;
		killed |= strcmp(argv[i], "killed") == 0;
	}
	shared = mmap(NULL, sizeof(*shared) * THREADS + 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return 1;
	sending = (atomic_bool *)(shared + THREADS);
	*sending = true;
	sigaction(STORM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, STORM);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (unsigned i = 0; i < THREADS; i++) {
		threads[i].index = i;
		pthread_create(&threads[i].thread, NULL, run, &threads[i]);
		while (!atomic_load(&shared[i].tid))
			sched_yield();
	}
	if (!quiet) {
		pid_t parent = getpid();

		sender = fork();
		if (sender == 0)
			send_signals(parent);
	}
	printf("ready\n");
	fflush(stdout);

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	while (sigwait(&set, &sig) == EINTR)
		;
	*sending = false;
	if (sender)
		waitpid(sender, NULL, 0);
	for (unsigned tries = 0; !all_taken() && tries < 10000; tries++)
		usleep(1000);
	if (!all_taken())
		complain("signals never came", 0, 0);
	stop = true;
	shutdown(pair[0], SHUT_RDWR);
	pthread_cond_broadcast(&cond);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i].thread, NULL);
		signals += shared[i].taken;
		if (i < 4)
			counted += threads[i].rounds;
		if (threads[i].rounds == 0)
			complain("a thread did nothing", i, 0);
	}
	for (unsigned i = 0; i < CPUS; i++)
		counts += counters[i].n;
	if (counts != counted)
		complain("counts lost", (long)(counted - counts), 0);
	if (wrong) {
		printf("%lu wrong, first: %s\n", (unsigned long)wrong, first_wrong);
		return 1;
	}
	printf("ok signals=%lu counts=%lu eintr=%lu\n", signals, counts,
	       (unsigned long)interrupted);
	return 0;
}
