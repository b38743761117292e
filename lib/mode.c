// SPDX-License-Identifier: MIT
/* Modes: their names, and the calling process's own. */
#include "mode.h"
#include "sys.h"

#include <errno.h>
#include <string.h>

static const char *const names[] = {
	[THP_MODE_UNKNOWN] = "unknown", [THP_MODE_DEFAULT] = "default", [THP_MODE_NEVER] = "never",
	[THP_MODE_MADVISE] = "madvise", [THP_MODE_ALWAYS] = "always",
};
#define NR_NAMES (sizeof(names) / sizeof(names[0]))

EXPORT const char *thp_mode_name(enum thp_mode mode)
{
	return names[(unsigned)mode < NR_NAMES ? mode : THP_MODE_UNKNOWN];
}

EXPORT int thp_mode_parse(const char *name, enum thp_mode *ret_mode)
{
	for (unsigned i = THP_MODE_DEFAULT; i < NR_NAMES; i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret_mode = (enum thp_mode)i;
			return 0;
		}
	}
	return -EINVAL;
}

int mode_state(enum thp_mode mode)
{
	switch (mode) {
	case THP_MODE_NEVER:
		return SYS_THP_DISABLED;
	case THP_MODE_MADVISE:
		return SYS_THP_EXCEPT_ADVISED;
	default:
		return SYS_THP_CLEAR;
	}
}

enum thp_mode mode_of_state(long state)
{
	switch (state) {
	case SYS_THP_CLEAR:
		return THP_MODE_DEFAULT;
	case SYS_THP_DISABLED:
		return THP_MODE_NEVER;
	case SYS_THP_EXCEPT_ADVISED:
		return THP_MODE_MADVISE;
	default:
		return THP_MODE_UNKNOWN;
	}
}

static const char *state_name(int state)
{
	return thp_mode_name(mode_of_state(state));
}

/* Who else than the kernel may have refused a prctl(2). */
static const char *suspect(void)
{
	return sys_seccomp_filtered() ? "; a seccomp filter is in force and may refuse it" : "";
}

/* PR_GET_THP_DISABLE, with the reason when it fails. */
static int get_state(struct thp_ctx *ctx)
{
	int state;

	if (!is_live(ctx))
		return fail(ctx, -EROFS, "%s: a captured tree has no calling process", ctx->root);
	state = sys_thp_get();
	if (state >= 0)
		return state;
	fail(ctx, state, "prctl(PR_GET_THP_DISABLE): %s%s", strerror(-state), suspect());
	/* EINVAL is a kernel before 3.15, or a filter that feigns one. */
	return state == -EINVAL && !sys_seccomp_filtered() ? -EOPNOTSUPP : state;
}

EXPORT int thp_self_get(struct thp_ctx *ctx, enum thp_mode *ret_mode)
{
	int state = get_state(ctx);

	if (state < 0)
		return state;
	if (mode_of_state(state) == THP_MODE_UNKNOWN)
		return fail(ctx, -EBADMSG, "prctl(PR_GET_THP_DISABLE) = %d: not a state known here",
			    state);
	*ret_mode = mode_of_state(state);
	return 0;
}

static const char *words_of(enum thp_presence presence, enum thp_setting says)
{
	if (presence == THP_ABSENT)
		return "this kernel was built without THP";
	if (presence != THP_PRESENT)
		return "the system's setting cannot be read: /sys/kernel/mm is not visible";
	switch (says) {
	case THP_SETTING_ALWAYS:
		return "the system says always";
	case THP_SETTING_MADVISE:
		return "the system says madvise";
	case THP_SETTING_NEVER:
		return "the system says never";
	default:
		return "the system's setting is unknown";
	}
}

enum thp_setting mode_system_says(struct thp_ctx *ctx, const char **ret_words)
{
	struct thp_system system = {.size = sizeof(system)};
	enum thp_setting says;

	if (thp_system_read(ctx, &system) < 0)
		system.presence = THP_HIDDEN;
	says = thp_system_anon(&system, system.pmd_bytes);
	*ret_words = words_of(system.presence, says);
	return says;
}

bool mode_system_gives(enum thp_mode mode, enum thp_setting says)
{
	return (mode == THP_MODE_ALWAYS && says == THP_SETTING_ALWAYS) ||
	       (mode == THP_MODE_MADVISE && says == THP_SETTING_MADVISE);
}

static void set_basis(enum thp_basis *ret_basis, enum thp_basis basis)
{
	if (ret_basis)
		*ret_basis = basis;
}

EXPORT int thp_self_verify(struct thp_ctx *ctx, enum thp_mode mode, enum thp_basis *ret_basis)
{
	int state = get_state(ctx);
	enum thp_setting says;
	const char *words;

	if (state < 0)
		return state;
	if (state == mode_state(mode) && mode != THP_MODE_ALWAYS) {
		set_basis(ret_basis, THP_BASIS_FLAG);
		return 1;
	}
	if (state != SYS_THP_CLEAR) {
		fail(ctx, 0, "the process flag reads %s", state_name(state));
		return 0;
	}
	says = mode_system_says(ctx, &words);
	if (mode_system_gives(mode, says)) {
		set_basis(ret_basis, THP_BASIS_SYSTEM);
		return 1;
	}
	fail(ctx, 0, "the process flag is clear, and %s", words);
	return 0;
}

/* Sets the flag unless it is so already, and reads it back. */
static int set_state(struct thp_ctx *ctx, int state, int before)
{
	int r, now;

	if (state == before)
		return 0;
	r = sys_thp_set(state);
	if (r < 0)
		return fail(ctx, r, "prctl(PR_SET_THP_DISABLE, %d, %s): %s%s",
			    state != SYS_THP_CLEAR,
			    state == SYS_THP_EXCEPT_ADVISED ? "PR_THP_DISABLE_EXCEPT_ADVISED" : "0",
			    strerror(-r), suspect());
	now = get_state(ctx);
	if (now < 0)
		return now;
	if (now != state)
		return fail(ctx, -EIO, "prctl(PR_SET_THP_DISABLE) succeeded, but the flag reads %s",
			    state_name(now));
	return 0;
}

/* The way of a mode that the flag cannot say here: the flag clear, and the system says it. */
static int rest_on_system(struct thp_ctx *ctx, enum thp_mode mode, int before)
{
	char refusal[sizeof(ctx->reason)];
	const char *words;
	enum thp_setting says;

	memcpy(refusal, ctx->reason, sizeof(refusal));
	says = mode_system_says(ctx, &words);
	if (mode_system_gives(mode, says)) {
		int r = set_state(ctx, SYS_THP_CLEAR, before);

		if (r == 0)
			memcpy(ctx->reason, refusal, sizeof(refusal));
		return r;
	}
	if (mode == THP_MODE_ALWAYS)
		return fail(ctx, -EOPNOTSUPP,
			    "the kernel has no \"always\" for one process, and %s", words);
	return fail(ctx, -EOPNOTSUPP, "%.300s (needs Linux 6.18), and %s", refusal, words);
}

EXPORT int thp_self_set(struct thp_ctx *ctx, enum thp_mode mode, enum thp_basis *ret_basis)
{
	int before, refused = 0, r;

	if (mode <= THP_MODE_UNKNOWN || mode > THP_MODE_ALWAYS)
		return fail(ctx, -EINVAL, "mode %d: no such mode", (int)mode);
	before = get_state(ctx);
	if (before == -EROFS || before == -EOPNOTSUPP)
		return before;
	/* Where only reading is refused the flag is set all the same; nobody can vouch for it. */
	if (before < 0)
		return set_state(ctx, mode_state(mode), before);

	if (mode != THP_MODE_ALWAYS) {
		refused = set_state(ctx, mode_state(mode), before);
		if (refused == 0) {
			set_basis(ret_basis, THP_BASIS_FLAG);
			return 0;
		}
		/* The kernel that answered PR_GET has these two: only a filter says EINVAL. */
		if (mode != THP_MODE_MADVISE)
			return refused == -EINVAL ? -EPERM : refused;
	}
	r = rest_on_system(ctx, mode, before);
	if (r == 0)
		set_basis(ret_basis, THP_BASIS_SYSTEM);
	/* EINVAL is a kernel that lacks the flag; anything else is somebody's refusal. */
	return r == -EOPNOTSUPP && refused < 0 && refused != -EINVAL ? refused : r;
}
