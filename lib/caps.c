// SPDX-License-Identifier: MIT
/* What the kernel can do: asked by calls that change nothing, never taken from its version. */
#include "internal.h"
#include "root.h"
#include "sys.h"

#include <unistd.h>

static enum thp_answer answer(int r)
{
	if (r < 0)
		return THP_UNKNOWN;
	return r ? THP_YES : THP_NO;
}

/* A filter may say EINVAL where the kernel would not. */
static enum thp_answer has_flag(void)
{
	int r;

	/* The flag is readable wherever it can be set; a denial tells nothing. */
	if (sys_thp_get() >= 0)
		return THP_YES;
	r = sys_thp_probe(SYS_THP_DISABLED);
	return r == 0 && sys_seccomp_filtered() ? THP_UNKNOWN : answer(r);
}

static enum thp_answer has_except_advised(void)
{
	int r = sys_thp_probe(SYS_THP_EXCEPT_ADVISED);

	/* A filter that says EINVAL says so of the plain flag, too, which the kernel takes. */
	if (r == 0 && sys_seccomp_filtered() && sys_thp_probe(SYS_THP_DISABLED) != 1)
		return THP_UNKNOWN;
	return answer(r);
}

static enum thp_answer has_pagemap_scan(struct thp_ctx *ctx)
{
	int fd = root_open(ctx, "proc/self/pagemap");
	int r;

	if (fd < 0)
		return THP_UNKNOWN;
	r = sys_has_pagemap_scan(fd);
	close(fd);
	return answer(r);
}

static enum thp_answer has_sizes(const struct thp_system *system)
{
	switch (system->presence) {
	case THP_PRESENT:
		return answer(system->nr_sizes > 0);
	case THP_ABSENT:
		return THP_NO;
	default:
		return THP_UNKNOWN;
	}
}

static enum thp_answer has_thp(const struct thp_system *system)
{
	switch (system->presence) {
	case THP_PRESENT:
		return THP_YES;
	case THP_ABSENT:
		return THP_NO;
	default:
		return THP_UNKNOWN;
	}
}

int caps_get(struct thp_ctx *ctx, const struct thp_caps **ret_caps)
{
	if (!ctx->caps_known) {
		struct thp_system system = {.size = sizeof(system)};
		struct thp_caps *caps = &ctx->caps;
		int r = thp_system_read(ctx, &system);

		if (r < 0)
			return r;
		*caps = (struct thp_caps){
			.size = sizeof(*caps),
			.thp = has_thp(&system),
			.sizes = has_sizes(&system),
		};
		if (is_live(ctx)) {
			caps->flag = has_flag();
			caps->except_advised = has_except_advised();
			caps->collapse = answer(sys_has_collapse());
			caps->process_madvise = answer(sys_has_process_madvise());
			caps->pagemap_scan = has_pagemap_scan(ctx);
		}
		ctx->caps_known = true;
	}
	*ret_caps = &ctx->caps;
	return 0;
}

EXPORT int thp_caps_read(struct thp_ctx *ctx, struct thp_caps *ret_caps)
{
	const struct thp_caps *caps;
	struct thp_caps copy;
	int r = caps_get(ctx, &caps);

	if (r < 0)
		return r;
	copy = *caps;
	return copy_out(ctx, ret_caps, ret_caps->size, &copy, sizeof(copy),
			offsetof(struct thp_caps, sizes) + sizeof(copy.sizes));
}
