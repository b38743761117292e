/* SPDX-License-Identifier: MIT */
/* The event loop: descriptors and times, one thread. */
#ifndef DAEMON_LOOP_H
#define DAEMON_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

/* A descriptor that is watched. The owner keeps it, and it stays where it is while watched. */
struct loop_watch {
	int fd;
	void (*ready)(void *arg, uint32_t events);
	void *arg;
};

/* Something that is due at a time. The same holds. */
struct loop_timer {
	uint64_t due; /* 0: not set */
	void (*ring)(void *arg);
	void *arg;
	struct loop_timer *next;
};

struct loop {
	int epoll_fd;
	bool stop;
	bool dropped; /* a watch ended: what else was ready may be gone */
	struct loop_timer *timers;
};

/* Monotonic time in nanoseconds, that of the kernel's process events. */
uint64_t loop_now(void);

/* 0 or -errno. */
int loop_open(struct loop *loop);
void loop_close(struct loop *loop);

/* Watches for EPOLL* events. 0 or -errno. */
int loop_watch(struct loop *loop, struct loop_watch *watch, uint32_t events);

/* Changes what is watched for; 0: nothing for now. */
void loop_rewatch(struct loop *loop, struct loop_watch *watch, uint32_t events);

/* Ends watching; the descriptor stays open. */
void loop_unwatch(struct loop *loop, struct loop_watch *watch);

/* Sets a timer, or sets it anew. */
void loop_set(struct loop *loop, struct loop_timer *timer, uint64_t due);
void loop_unset(struct loop *loop, struct loop_timer *timer);

/* Runs until loop_stop(). 0 or -errno. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

#endif /* DAEMON_LOOP_H */
