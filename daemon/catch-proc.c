// SPDX-License-Identifier: MIT
#include "catch-proc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENT_AT  (NLMSG_LENGTH(sizeof(struct cn_msg)))
#define FIELD(of) ((unsigned)(EVENT_AT + offsetof(struct proc_event, of)))

/* How long forks may wait; their buffer must hold so much of them. */
#define CALM_NS 50000000u

#define ANSWER_MS 1000

#define BATCH 64

union message {
	struct nlmsghdr header;
	char bytes[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(struct proc_event))];
};

struct catch_proc_batch {
	union message messages[BATCH];
	struct sockaddr_nl from[BATCH];
	struct mmsghdr headers[BATCH];
	struct iovec iovs[BATCH];
};

static int attach(int fd, struct sock_filter *code, size_t nr)
{
	struct sock_fprog program = {.len = (unsigned short)nr, .filter = code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno
											   : 0;
}

/* A filter program loads words as the network orders them. Steps are counted from the next one. */
#define LOAD(offset)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(value), (yes), (no))
#define IF_SAME(yes, no)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, (yes), (no))
#define REMEMBER           BPF_STMT(BPF_MISC | BPF_TAX, 0)
#define DROP               BPF_STMT(BPF_RET | BPF_K, 0)
#define KEEP               BPF_STMT(BPF_RET | BPF_K, sizeof(union message))

/* PROC_EVENT_NONE is the answer to those who begin to listen. */

/* Executions, and what else is wanted, of main threads. */
static int filter_urgent(int fd, unsigned wanted)
{
	struct sock_filter code[] = {
		LOAD(FIELD(what)),
		IF(PROC_EVENT_NONE, 9, 0),
		IF(PROC_EVENT_EXEC, 3, 0),
		IF(wanted & CATCH_USER ? PROC_EVENT_UID : PROC_EVENT_EXEC, 2, 0),
		IF(wanted & CATCH_USER ? PROC_EVENT_GID : PROC_EVENT_EXEC, 1, 0),
		IF(wanted & CATCH_NAME ? PROC_EVENT_COMM : PROC_EVENT_EXEC, 0, 4),
		LOAD(FIELD(event_data.id.process_pid)), /* all of them have it here */
		REMEMBER,
		LOAD(FIELD(event_data.id.process_tgid)),
		IF_SAME(1, 0),
		DROP,
		KEEP,
	};

	return attach(fd, code, sizeof(code) / sizeof(code[0]));
}

/* Forks of processes. */
static int filter_calm(int fd)
{
	struct sock_filter code[] = {
		LOAD(FIELD(what)),
		IF(PROC_EVENT_NONE, 6, 0),
		IF(PROC_EVENT_FORK, 0, 4),
		LOAD(FIELD(event_data.fork.child_pid)),
		REMEMBER,
		LOAD(FIELD(event_data.fork.child_tgid)),
		IF_SAME(1, 0),
		DROP,
		KEEP,
	};

	return attach(fd, code, sizeof(code) / sizeof(code[0]));
}

/* Tells the kernel that somebody listens, or no longer does. */
static int tell_kernel(int fd, enum proc_cn_mcast_op op)
{
	struct {
		struct nlmsghdr header;
		char payload[sizeof(struct cn_msg) + sizeof(op)];
	} request = {0};
	struct cn_msg cn = {.id = {.idx = CN_IDX_PROC, .val = CN_VAL_PROC}, .len = sizeof(op)};

	request.header.nlmsg_len = NLMSG_LENGTH(sizeof(request.payload));
	request.header.nlmsg_type = NLMSG_DONE;
	request.header.nlmsg_pid = 0;
	memcpy(request.payload, &cn, sizeof(cn));
	memcpy(request.payload + sizeof(cn), &op, sizeof(op));
	return send(fd, &request, request.header.nlmsg_len, 0) < 0 ? -errno : 0;
}

static int open_socket(size_t buffer)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
	int size = (int)(buffer / 2); /* the kernel doubles it */
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);

	if (fd < 0)
		return errno == EPROTONOSUPPORT || errno == EAFNOSUPPORT ? -EOPNOTSUPP : -errno;
	/* FORCE passes over net.core.rmem_max, as CAP_NET_ADMIN may. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int err = errno;

		close(fd);
		return -err;
	}
	return fd;
}

static void take(struct catch_proc *proc, const union message *message, size_t len)
{
	struct proc_event event;

	if (len < EVENT_AT + sizeof(event))
		return;
	memcpy(&event, message->bytes + EVENT_AT, sizeof(event));
	proc->seen++;
	switch (event.what) {
	case PROC_EVENT_FORK:
		proc->calls.forked(proc->calls.arg, event.event_data.fork.parent_tgid,
				   event.event_data.fork.child_tgid, event.timestamp_ns);
		break;
	case PROC_EVENT_EXEC:
		proc->calls.changed(proc->calls.arg, event.event_data.exec.process_tgid,
				    event.timestamp_ns, true);
		break;
	case PROC_EVENT_UID:
	case PROC_EVENT_GID:
	case PROC_EVENT_COMM:
		proc->calls.changed(proc->calls.arg, event.event_data.id.process_tgid,
				    event.timestamp_ns, false);
		break;
	default:
		proc->seen--;
	}
}

/* Whether it is the kernel that speaks: anybody may send to the group of a connector. */
static bool is_kernel(const struct sockaddr_nl *from)
{
	return from->nl_pid == 0;
}

static void overflow(struct catch_proc *proc)
{
	proc->overflows++;
	proc->calls.lost(proc->calls.arg);
}

/* Reads what is there, up to one batch. Whether there may be more. */
static bool receive(struct catch_proc *proc, int fd)
{
	struct catch_proc_batch *batch = proc->batch;
	int nr = recvmmsg(fd, batch->headers, BATCH, MSG_DONTWAIT, NULL);

	if (nr < 0 && errno == ENOBUFS) {
		overflow(proc);
		return true;
	}
	for (int i = 0; i < nr; i++) {
		if (is_kernel(&batch->from[i]))
			take(proc, &batch->messages[i], batch->headers[i].msg_len);
		batch->headers[i].msg_hdr.msg_namelen = sizeof(batch->from[i]);
	}
	return nr == BATCH;
}

static struct catch_proc_batch *new_batch(void)
{
	struct catch_proc_batch *batch = calloc(1, sizeof(*batch));

	for (size_t i = 0; batch && i < BATCH; i++) {
		batch->iovs[i] = (struct iovec){batch->messages[i].bytes, sizeof(union message)};
		batch->headers[i].msg_hdr = (struct msghdr){
			.msg_name = &batch->from[i],
			.msg_namelen = sizeof(batch->from[i]),
			.msg_iov = &batch->iovs[i],
			.msg_iovlen = 1,
		};
	}
	return batch;
}

void catch_proc_drain(struct catch_proc *proc)
{
	while (proc->calm.fd >= 0 && receive(proc, proc->calm.fd))
		;
}

/* Forks came: not at once. */
static void calm_ready(void *arg, uint32_t events)
{
	struct catch_proc *proc = arg;

	(void)events;
	loop_rewatch(proc->loop, &proc->calm, 0);
	loop_set(proc->loop, &proc->later, loop_now() + CALM_NS);
}

static void calm_due(void *arg)
{
	struct catch_proc *proc = arg;

	catch_proc_drain(proc);
	loop_rewatch(proc->loop, &proc->calm, EPOLLIN);
}

/* One by one: each is likely alone, and recvmmsg(2) costs more for one than recv(2) for two. */
static void urgent_ready(void *arg, uint32_t events)
{
	struct catch_proc *proc = arg;
	struct sockaddr_nl from;
	union message message;

	(void)events;
	for (unsigned i = 0; i < BATCH && proc->urgent.fd >= 0; i++) {
		socklen_t from_len = sizeof(from);
		ssize_t len = recvfrom(proc->urgent.fd, &message, sizeof(message), MSG_DONTWAIT,
				       (struct sockaddr *)&from, &from_len);

		if (len < 0 && errno == ENOBUFS)
			overflow(proc);
		else if (len < 0)
			return;
		else if (is_kernel(&from))
			take(proc, &message, (size_t)len);
	}
}

/*
 * Asks for events, and waits for the kernel's answer: outside of the first PID and user namespace
 * it gives none, nor any event.
 */
static int listen_to(int fd)
{
	struct pollfd answer = {.fd = fd, .events = POLLIN};
	int r = tell_kernel(fd, PROC_CN_MCAST_LISTEN);

	if (r < 0)
		return r;
	return poll(&answer, 1, ANSWER_MS) == 1 ? 0 : -EOPNOTSUPP;
}

int catch_proc_want(struct catch_proc *proc, unsigned wanted)
{
	return filter_urgent(proc->urgent.fd, wanted);
}

int catch_proc_open(struct catch_proc *proc, struct loop *loop, unsigned wanted, size_t buffer,
		    const struct catch_proc_calls *calls)
{
	int r;

	*proc = (struct catch_proc){
		.loop = loop,
		.calls = *calls,
		.batch = new_batch(),
		.urgent = {.fd = open_socket(buffer), .ready = urgent_ready, .arg = proc},
		.calm = {.fd = open_socket(buffer), .ready = calm_ready, .arg = proc},
		.later = {.ring = calm_due, .arg = proc},
	};
	r = proc->urgent.fd < 0 ? proc->urgent.fd : proc->calm.fd;
	if (!proc->batch)
		r = -ENOMEM;
	if (r >= 0)
		r = filter_urgent(proc->urgent.fd, wanted);
	if (r == 0)
		r = filter_calm(proc->calm.fd);
	if (r == 0)
		r = listen_to(proc->urgent.fd);
	if (r == 0)
		r = listen_to(proc->calm.fd);
	if (r == 0)
		r = loop_watch(loop, &proc->urgent, EPOLLIN);
	if (r == 0)
		r = loop_watch(loop, &proc->calm, EPOLLIN);
	if (r < 0)
		catch_proc_close(proc);
	return r;
}

static void close_socket(struct catch_proc *proc, struct loop_watch *watch)
{
	if (watch->fd < 0)
		return;
	loop_unwatch(proc->loop, watch);
	/* Before Linux 6.6 the kernel counts listeners, and does not see one go. */
	tell_kernel(watch->fd, PROC_CN_MCAST_IGNORE);
	close(watch->fd);
	watch->fd = -1;
}

void catch_proc_close(struct catch_proc *proc)
{
	close_socket(proc, &proc->urgent);
	close_socket(proc, &proc->calm);
	if (proc->loop)
		loop_unset(proc->loop, &proc->later);
	free(proc->batch);
	proc->batch = NULL;
}
