// SPDX-License-Identifier: MIT
#include "hands.h"

#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND 1000000000u

/* libthp gives up by itself in less; a hand that does not is stuck in the kernel. */
#define STUCK_NS (120 * (uint64_t)SECOND)

/* ---- in the child ------------------------------------------------------------------------------
 */

static int split(struct thp_ctx *ctx, struct thp_target *target, uint64_t *ret_bytes)
{
	const struct thp_change_request request = {.size = sizeof(request)};
	struct thp_change change = {.size = sizeof(change)};
	int r = thp_split(ctx, target, &request, &change);

	if (r < 0)
		return r;
	*ret_bytes = change.results[THP_BLOCK_DONE] * change.block_bytes;
	return 0;
}

static int change(struct thp_ctx *ctx, struct thp_target *target, const struct hand_job *job,
		  struct hand_answer *answer)
{
	int r;

	if (job->mode == THP_MODE_UNKNOWN) {
		r = thp_remote_get(ctx, target, &answer->remote.after);
		answer->remote.before = answer->remote.after;
	} else {
		r = thp_remote_set(ctx, target, job->mode, &answer->remote);
	}
	answer->done = loop_now();
	if (r == 0 && job->split && split(ctx, target, &answer->split_bytes) < 0)
		answer->split_bytes = THP_BYTES_UNKNOWN;
	return r;
}

static void work(struct thp_ctx *ctx, const struct hand_job *job, struct hand_answer *answer)
{
	struct thp_target *target;

	*answer = (struct hand_answer){
		.serial = job->serial,
		.pid = job->pid,
		.remote = {.size = sizeof(answer->remote)},
	};
	answer->err = thp_target_open(ctx, job->pid, job->id, &target);
	if (answer->err == 0) {
		answer->id = thp_target_id(target, NULL);
		answer->err = change(ctx, target, job, answer);
		thp_target_close(target);
	}
	if (answer->err < 0 || answer->split_bytes == THP_BYTES_UNKNOWN)
		snprintf(answer->reason, sizeof(answer->reason), "%s", thp_reason(ctx));
}

static int run(int fd, void *arg)
{
	struct hand_answer answer;
	struct hand_job job;
	struct thp_ctx *ctx;

	(void)arg;
	if (thp_open(&ctx, NULL) < 0)
		return 1;
	while (recv(fd, &job, sizeof(job), 0) == sizeof(job)) {
		work(ctx, &job, &answer);
		if (send(fd, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
			break;
	}
	thp_close(ctx);
	return 0;
}

/* ---- in the main process -----------------------------------------------------------------------
 */

static int push(struct hand_queue *queue, const struct hand_job *job)
{
	if (queue->nr == queue->places) {
		size_t places = queue->places ? 2 * queue->places : 64;
		struct hand_job *jobs = calloc(places, sizeof(*jobs));

		if (!jobs)
			return -ENOMEM;
		for (size_t i = 0; i < queue->nr; i++)
			jobs[i] = queue->jobs[(queue->first + i) & (queue->places - 1)];
		free(queue->jobs);
		*queue = (struct hand_queue){.jobs = jobs, .places = places, .nr = queue->nr};
	}
	queue->jobs[(queue->first + queue->nr++) & (queue->places - 1)] = *job;
	return 0;
}

static bool pop(struct hand_queue *queue, struct hand_job *ret_job)
{
	if (queue->nr == 0)
		return false;
	*ret_job = queue->jobs[queue->first];
	queue->first = (queue->first + 1) & (queue->places - 1);
	if (--queue->nr == 0 && queue->places > 1024) { /* a burst's memory is not kept */
		free(queue->jobs);
		*queue = (struct hand_queue){0};
	}
	return true;
}

static void hand_ready(void *arg, uint32_t events);

static int start(struct hand *hand)
{
	int r = child_start(&hand->child, "thpd-hand", run, NULL);

	if (r < 0)
		return r;
	hand->watch = (struct loop_watch){hand->child.fd, hand_ready, hand};
	return loop_watch(hand->hands->loop, &hand->watch, EPOLLIN);
}

/* Gives each idle hand the next job. */
static void give_out(struct hands *hands)
{
	for (unsigned i = 0; i < hands->nr; i++) {
		struct hand *hand = &hands->hand[i];

		if (hand->job.serial || hand->child.pid == 0)
			continue;
		if (!pop(&hands->urgent, &hand->job) && !pop(&hands->calm, &hand->job))
			return;
		hand->since = loop_now();
		/* A dead hand's end is seen by its watch, and the job answered then. */
		send(hand->child.fd, &hand->job, sizeof(hand->job), MSG_NOSIGNAL);
		if (!hands->stuck.due)
			loop_set(hands->loop, &hands->stuck, hand->since + STUCK_NS);
	}
}

/* A hand that died or hangs is replaced; its job is answered so that it is tried again. */
static void replace(struct hand *hand, const char *why)
{
	struct hand_answer answer = {
		.serial = hand->job.serial, .pid = hand->job.pid, .err = -ECANCELED};

	log_line(LOG_WARNING, "a helper process (PID %d) %s; another one takes its place",
		 (int)hand->child.pid, why);
	loop_unwatch(hand->hands->loop, &hand->watch);
	child_kill(&hand->child);
	hand->job.serial = 0;
	if (start(hand) < 0)
		log_line(LOG_ERR, "cannot start a helper process: %s", strerror(errno));
	snprintf(answer.reason, sizeof(answer.reason), "the helper process %s", why);
	if (answer.serial)
		hand->hands->done(hand->hands->arg, &answer);
}

static void hand_ready(void *arg, uint32_t events)
{
	struct hand *hand = arg;
	struct hands *hands = hand->hands;
	struct hand_answer answer;
	ssize_t n = recv(hand->child.fd, &answer, sizeof(answer), MSG_DONTWAIT);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != sizeof(answer)) {
		replace(hand, "died");
	} else {
		hand->job.serial = 0;
		give_out(hands); /* first: it is to work while we do */
		hands->done(hands->arg, &answer);
	}
	give_out(hands);
}

static void look_for_stuck(void *arg)
{
	struct hands *hands = arg;
	uint64_t now = loop_now();
	bool busy = false;

	for (unsigned i = 0; i < hands->nr; i++) {
		struct hand *hand = &hands->hand[i];

		if (hand->job.serial && now - hand->since >= STUCK_NS)
			replace(hand, "hangs");
		busy = busy || hand->job.serial;
	}
	if (busy)
		loop_set(hands->loop, &hands->stuck, now + STUCK_NS / 4);
	give_out(hands);
}

int hands_open(struct hands *hands, struct loop *loop, unsigned nr,
	       void (*done)(void *arg, const struct hand_answer *answer), void *arg)
{
	*hands = (struct hands){.loop = loop, .done = done, .arg = arg, .nr = nr};
	hands->stuck = (struct loop_timer){.ring = look_for_stuck, .arg = hands};
	for (unsigned i = 0; i < nr; i++) {
		int r;

		hands->hand[i] = (struct hand){.hands = hands, .child.fd = -1};
		r = start(&hands->hand[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

void hands_close(struct hands *hands)
{
	for (unsigned i = 0; i < hands->nr; i++) {
		if (hands->hand[i].child.pid)
			loop_unwatch(hands->loop, &hands->hand[i].watch);
		child_kill(&hands->hand[i].child);
	}
	free(hands->urgent.jobs);
	free(hands->calm.jobs);
	if (hands->loop)
		loop_unset(hands->loop, &hands->stuck);
	*hands = (struct hands){0};
}

int hands_give(struct hands *hands, const struct hand_job *job, bool urgent)
{
	int r = push(urgent ? &hands->urgent : &hands->calm, job);

	if (r == 0)
		give_out(hands);
	return r;
}

size_t hands_load(const struct hands *hands)
{
	size_t load = hands->urgent.nr + hands->calm.nr;

	for (unsigned i = 0; i < hands->nr; i++)
		load += hands->hand[i].job.serial != 0;
	return load;
}
