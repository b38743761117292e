// SPDX-License-Identifier: MIT
#include "invert.h"

#include "invert-state.h"
#include "rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"

/* The one write below /sys. 0 or -errno. */
static int write_setting(enum thp_setting setting)
{
	const char *word = thp_setting_name(setting);
	int fd = open(ENABLED, O_WRONLY | O_CLOEXEC), r = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, word, strlen(word)) < 0)
		r = -errno;
	close(fd);
	return r;
}

static enum thp_setting read_setting(struct thp_ctx *ctx)
{
	struct thp_system system = {.size = sizeof(system)};

	return thp_system_read(ctx, &system) < 0 ? THP_SETTING_UNKNOWN : system.enabled;
}

/* What whole huge pages are given for would not follow the system's setting. */
static void warn_of_size(struct thp_ctx *ctx)
{
	struct thp_system system = {.size = sizeof(system)};

	if (thp_system_read(ctx, &system) < 0)
		return;
	system.enabled = THP_SETTING_ALWAYS;
	if (system.pmd_bytes && thp_system_anon(&system, system.pmd_bytes) != THP_SETTING_ALWAYS)
		log_line(LOG_WARNING,
			 "[system] default: huge pages of %lu KiB have a setting of their own, "
			 "which is not \"inherit\": rules \"always\" have no effect on them",
			 (unsigned long)(system.pmd_bytes >> 10));
}

int invert_possible(struct thp_ctx *ctx, const struct rules *rules)
{
	struct thp_caps caps = {.size = sizeof(caps)};
	enum thp_setting says = read_setting(ctx);

	if (rules->others != THP_MODE_MADVISE)
		return 0;
	if (thp_caps_read(ctx, &caps) < 0 || caps.except_advised != THP_YES) {
		log_line(LOG_ERR, "[system] default = madvise: the kernel has no such mode for one "
				  "process (needs Linux 6.18): nothing is done for it");
		return 0;
	}
	if (says != THP_SETTING_ALWAYS && says != THP_SETTING_MADVISE) {
		log_line(LOG_ERR,
			 "[system] default = madvise: the system says %s, which thpd does not "
			 "overrule: nothing is done for it",
			 thp_setting_name(says));
		return 0;
	}
	return 1;
}

/* ---- the way in --------------------------------------------------------------------------------
 */

void invert_begin(struct invert *invert, struct apply *apply, const struct rules *rules,
		  const char *state_path)
{
	struct invert_state state;

	*invert = (struct invert){
		.apply = apply,
		.state_path = state_path,
		.phase = INVERT_FLAGGING,
		.found = read_setting(apply->ctx),
		.manages = rules->manage_sysfs,
		.rule = (int)rules->nr,
		.applied = apply->metrics->applied[WHY_WALK],
	};
	/* A killed one has left the system as we want it, and what it found is what we have found.
	 */
	apply->trusts_found = true;
	if (invert_state_read(state_path, &state) == 0) {
		apply->trusts_found = false;
		if (state.found != THP_SETTING_UNKNOWN) {
			invert->found = state.found;
			invert->wrote = true;
		}
		invert_state_free(&state);
	}
	/* Our own children do not go through rules. */
	if (thp_self_set(apply->ctx, THP_MODE_MADVISE, NULL) < 0)
		log_line(LOG_WARNING, "%s", thp_reason(apply->ctx));
	warn_of_size(apply->ctx);
}

/* Those that had the mode before are to keep it. */
static int collect_kept(const struct invert *invert, struct invert_state *state)
{
	const struct record *record;

	state->keep = calloc(invert->apply->table.nr + 1, sizeof(*state->keep));
	if (!state->keep)
		return -ENOMEM;
	for (size_t at = 0; (record = table_next(&invert->apply->table, &at));) {
		if (record->rule == invert->rule && record->found == THP_MODE_MADVISE && record->id)
			state->keep[state->nr++] = (struct invert_keep){record->pid, record->id};
	}
	return 0;
}

static int write_down(const struct invert *invert)
{
	struct invert_state state = {0};
	int r;

	if (invert->manages || invert->wrote)
		state.found = invert->found;
	r = collect_kept(invert, &state);
	if (r == 0)
		r = invert_state_write(invert->state_path, &state);
	invert_state_free(&state);
	if (r < 0)
		log_line(LOG_ERR, "%s: %s: the system's setting stays as it is", invert->state_path,
			 strerror(-r));
	return r;
}

/* Everybody has the mode: the system can say always. */
static void turn(struct invert *invert)
{
	int r;

	invert->phase = INVERT_ON;
	if (write_down(invert) < 0)
		return;
	if (read_setting(invert->apply->ctx) == THP_SETTING_ALWAYS) {
		log_line(LOG_INFO, "the system says always; %zu processes have the mode madvise",
			 invert->apply->table.nr);
		return;
	}
	if (!invert->manages) {
		log_line(LOG_WARNING,
			 "[system] default = madvise: the system does not say always, and thpd may "
			 "not change that without manage-sysfs = yes: rules \"always\" have no "
			 "effect");
		return;
	}
	r = write_setting(THP_SETTING_ALWAYS);
	if (r < 0) {
		log_line(LOG_ERR, "%s: %s", ENABLED, strerror(-r));
		return;
	}
	invert->wrote = true;
	log_line(LOG_NOTICE,
		 "%s: was %s, is always now; %zu processes have the mode madvise; what was is "
		 "written down in %s",
		 ENABLED, thp_setting_name(invert->found), invert->apply->table.nr,
		 invert->state_path);
}

bool invert_walked(struct invert *invert)
{
	uint64_t applied;

	if (invert->phase != INVERT_FLAGGING)
		return false;
	applied = invert->apply->metrics->applied[WHY_WALK];
	if (applied != invert->applied) { /* who was forked meanwhile may not have it */
		invert->applied = applied;
		return true;
	}
	turn(invert);
	return false;
}

/* ---- the way out -------------------------------------------------------------------------------
 */

/* Puts the system's setting back, unless somebody else has changed it since. 0 or -errno. */
static int put_back(struct thp_ctx *ctx, enum thp_setting found)
{
	enum thp_setting says = read_setting(ctx);
	int r;

	if (says == found)
		return 0;
	if (says != THP_SETTING_ALWAYS) {
		log_line(LOG_WARNING, "%s: somebody has changed it to %s since: it stays so",
			 ENABLED, thp_setting_name(says));
		return 0;
	}
	r = write_setting(found);
	if (r < 0)
		log_line(LOG_ERR, "%s: cannot be set to %s again: %s", ENABLED,
			 thp_setting_name(found), strerror(-r));
	else
		log_line(LOG_NOTICE, "%s: is %s again", ENABLED, thp_setting_name(found));
	return r;
}

void invert_rules(struct invert *invert, const struct rules *rules)
{
	invert->rule = (int)rules->nr;
	if (invert->manages == rules->manage_sysfs)
		return;
	invert->manages = rules->manage_sysfs;
	if (invert->manages) {
		invert->found = read_setting(invert->apply->ctx);
		invert->phase = INVERT_FLAGGING;
	} else if (invert->wrote && put_back(invert->apply->ctx, invert->found) == 0) {
		invert->wrote = false;
		write_down(invert);
	}
}

void invert_leave(struct invert *invert)
{
	if (invert->phase == INVERT_OFF || invert->phase == INVERT_LEAVING)
		return;
	invert->phase = INVERT_LEAVING;
	/* First: without it the modes make no difference. */
	if (invert->wrote)
		put_back(invert->apply->ctx, invert->found);
	apply_give_back(invert->apply, invert->rule);
}

void invert_left(struct invert *invert)
{
	if (invert->phase != INVERT_LEAVING)
		return;
	invert->phase = INVERT_OFF;
	unlink(invert->state_path);
}

/* ---- after a crash -----------------------------------------------------------------------------
 */

static bool is_kept(const struct invert_state *state, pid_t pid, uint64_t id)
{
	for (size_t i = 0; i < state->nr; i++) {
		if (state->keep[i].pid == pid && state->keep[i].id == id)
			return true;
	}
	return false;
}

/* Clears the mode of a process, if it is the one that we gave. 1, 0, or -errno. */
static int clear_one(struct thp_ctx *ctx, const struct invert_state *state, pid_t pid)
{
	struct thp_remote remote = {.size = sizeof(remote)};
	struct thp_target *target;
	enum thp_mode mode;
	int r = thp_target_open(ctx, pid, 0, &target);

	if (r < 0)
		return r;
	r = thp_remote_get(ctx, target, &mode);
	if (r == 0 && mode == THP_MODE_MADVISE &&
	    !is_kept(state, pid, thp_target_id(target, NULL))) {
		r = thp_remote_set(ctx, target, THP_MODE_DEFAULT, &remote);
		r = r < 0 ? r : 1;
	}
	thp_target_close(target);
	return r;
}

/* Until nobody is left: who forks meanwhile hands it on. */
static void clear_all(struct thp_ctx *ctx, const struct invert_state *state)
{
	size_t sum = 0, before;

	do {
		pid_t *pids;
		ssize_t nr = thp_process_list(ctx, &pids);

		before = sum;
		for (ssize_t i = 0; i < nr; i++) {
			if (pids[i] != getpid())
				sum += clear_one(ctx, state, pids[i]) == 1;
		}
		if (nr >= 0)
			free(pids);
	} while (sum != before);
	log_line(LOG_NOTICE, "%zu processes have the mode default again", sum);
}

int invert_restore(const char *state_path)
{
	struct invert_state state;
	struct thp_ctx *ctx;
	int r = invert_state_read(state_path, &state);

	if (r == -ENOENT) {
		log_line(LOG_INFO, "%s: nothing to put back", state_path);
		return EXIT_SUCCESS;
	}
	if (r == 0)
		r = thp_open(&ctx, NULL);
	if (r < 0) {
		log_line(LOG_ERR, "%s: %s", state_path, strerror(-r));
		return EXIT_FAILURE;
	}
	/* We may have been started by one that has the mode. */
	thp_self_set(ctx, THP_MODE_DEFAULT, NULL);
	if (state.found != THP_SETTING_UNKNOWN)
		r = put_back(ctx, state.found);
	clear_all(ctx, &state);
	if (r == 0)
		unlink(state_path);
	invert_state_free(&state);
	thp_close(ctx);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
