/* SPDX-License-Identifier: MIT */
/* What the files of libthp share and nobody else sees. */
#ifndef THP_INTERNAL_H
#define THP_INTERNAL_H

#include "thp.h"

#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

struct thp_ctx {
	const char *root; /* as given, without trailing slashes; "" on the running system */
	int root_fd;      /* O_PATH of a captured tree; -1 on the running system */
	bool caps_known;  /* caps were asked for before */
	struct thp_caps caps;
	char reason[512];
	char path[]; /* storage behind root */
};

static inline bool is_live(const struct thp_ctx *ctx)
{
	return ctx->root_fd < 0;
}

/* Stores the reason text and returns err, so that a failure is one line. */
int fail(struct thp_ctx *ctx, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The number of the calling process as /proc has it, or -1: no /proc, or a captured tree. */
pid_t process_self(struct thp_ctx *ctx);

/* The capabilities, asked for once per context. */
int caps_get(struct thp_ctx *ctx, const struct thp_caps **ret_caps);

/* hpage_pmd_size, without the rest of the settings; 0 unknown. */
uint64_t system_pmd_bytes(struct thp_ctx *ctx);

/* What decides over whole huge pages, a tenth of the settings; the others are unknown. */
void system_read_pmd(struct thp_ctx *ctx, struct thp_system *ret_system);

/* Copies a result to a caller whose structure may be older, hence smaller, than ours. */
int copy_out(struct thp_ctx *ctx, void *ret, size_t ret_size, void *value, size_t value_size,
	     size_t least);

#endif /* THP_INTERNAL_H */
