// SPDX-License-Identifier: MIT
#include "loop.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND 1000000u

uint64_t loop_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int loop_open(struct loop *loop)
{
	*loop = (struct loop){.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	return loop->epoll_fd < 0 ? -errno : 0;
}

void loop_close(struct loop *loop)
{
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	loop->epoll_fd = -1;
}

int loop_watch(struct loop *loop, struct loop_watch *watch, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = watch};

	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) < 0 ? -errno : 0;
}

void loop_rewatch(struct loop *loop, struct loop_watch *watch, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = watch};

	epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
}

void loop_unwatch(struct loop *loop, struct loop_watch *watch)
{
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	loop->dropped = true;
}

void loop_unset(struct loop *loop, struct loop_timer *timer)
{
	struct loop_timer **at = &loop->timers;

	while (*at && *at != timer)
		at = &(*at)->next;
	if (*at)
		*at = timer->next;
	timer->due = 0;
}

void loop_set(struct loop *loop, struct loop_timer *timer, uint64_t due)
{
	struct loop_timer **at = &loop->timers;

	loop_unset(loop, timer);
	while (*at && (*at)->due <= due)
		at = &(*at)->next;
	timer->due = due;
	timer->next = *at;
	*at = timer;
}

/* Rings what is due. Returns how long to sleep then, in milliseconds, -1 for ever. */
static int ring_due(struct loop *loop)
{
	uint64_t now = loop_now();
	struct loop_timer *timer;

	while ((timer = loop->timers) && timer->due <= now) {
		loop_unset(loop, timer);
		timer->ring(timer->arg);
	}
	if (!timer)
		return -1;
	return (int)((timer->due - now) / MILLISECOND) + 1;
}

int loop_run(struct loop *loop)
{
	struct epoll_event events[16];

	while (!loop->stop) {
		int timeout = ring_due(loop), nr;

		if (loop->stop)
			break;
		nr = epoll_wait(loop->epoll_fd, events, sizeof(events) / sizeof(events[0]),
				timeout);
		if (nr < 0 && errno != EINTR)
			return -errno;
		loop->dropped = false;
		for (int i = 0; i < nr && !loop->dropped; i++) {
			struct loop_watch *watch = events[i].data.ptr;

			watch->ready(watch->arg, events[i].events);
		}
	}
	return 0;
}

void loop_stop(struct loop *loop)
{
	loop->stop = true;
}
