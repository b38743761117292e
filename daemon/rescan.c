// SPDX-License-Identifier: MIT
#include "rescan.h"

#include "../common/number.h"

#include <errno.h>
#include <string.h>

/* Processes at a time: in less than a millisecond, so that events are answered in between. */
#define CHUNK 32

/* A directory that cannot be read now is tried again. */
#define TROUBLE_NS 1000000000u

static void set_timer(struct rescan *rescan, uint64_t from_now)
{
	loop_set(rescan->loop, &rescan->timer, loop_now() + from_now);
}

static void finish(struct rescan *rescan)
{
	closedir(rescan->proc);
	rescan->proc = NULL;
	apply_walk_end(rescan->apply);
	if (rescan->next != WHYS)
		set_timer(rescan, 0);
	else if (rescan->every)
		set_timer(rescan, rescan->every);
	rescan->end(rescan->arg);
}

static void begin(struct rescan *rescan)
{
	rescan->proc = opendir("/proc");
	if (!rescan->proc) {
		log_line(LOG_ERR, "cannot read /proc: %s", strerror(errno));
		set_timer(rescan, TROUBLE_NS);
		return;
	}
	rescan->why = rescan->next == WHYS ? WHY_WALK : rescan->next;
	rescan->next = WHYS;
	apply_walk_begin(rescan->apply);
	set_timer(rescan, 0);
}

/* Begins a walk, or goes on with one. */
static void step(void *arg)
{
	struct rescan *rescan = arg;
	const struct dirent *entry;
	unsigned nr = 0;
	pid_t pid;

	if (!rescan->proc) {
		begin(rescan);
		return;
	}
	while (nr < CHUNK) {
		entry = readdir(rescan->proc);
		if (!entry) {
			finish(rescan);
			return;
		}
		if (number_pid(entry->d_name, &pid) < 0)
			continue;
		apply_judge(rescan->apply, pid, rescan->why, loop_now());
		nr++;
	}
	set_timer(rescan, 0);
}

void rescan_want(struct rescan *rescan, enum why why)
{
	if (rescan->next != WHY_LOST)
		rescan->next = why;
	if (!rescan->proc)
		set_timer(rescan, 0);
}

void rescan_open(struct rescan *rescan, struct loop *loop, struct apply *apply, uint64_t every,
		 void (*end)(void *arg), void *arg)
{
	*rescan = (struct rescan){
		.loop = loop,
		.apply = apply,
		.next = WHYS,
		.every = every,
		.end = end,
		.arg = arg,
		.timer = {.ring = step, .arg = rescan},
	};
}

void rescan_close(struct rescan *rescan)
{
	if (rescan->proc)
		closedir(rescan->proc);
	rescan->proc = NULL;
	loop_unset(rescan->loop, &rescan->timer);
}
