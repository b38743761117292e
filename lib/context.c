// SPDX-License-Identifier: MIT
/* The context: where /proc and /sys are, and why the last call failed. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

EXPORT int thp_open(struct thp_ctx **ret_ctx, const char *root)
{
	size_t len = root ? strlen(root) : 0;
	struct thp_ctx *ctx = malloc(sizeof(*ctx) + len + 1);

	if (!ctx)
		return -ENOMEM;
	ctx->root = ctx->path;
	ctx->root_fd = -1;
	ctx->caps_known = false;
	ctx->reason[0] = '\0';
	ctx->path[0] = '\0';

	if (root) {
		ctx->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (ctx->root_fd < 0) {
			int err = -errno;

			free(ctx);
			return err;
		}
		while (len > 0 && root[len - 1] == '/')
			len--;
		memcpy(ctx->path, root, len);
		ctx->path[len] = '\0';
	}
	*ret_ctx = ctx;
	return 0;
}

EXPORT void thp_close(struct thp_ctx *ctx)
{
	if (!ctx)
		return;
	if (ctx->root_fd >= 0)
		close(ctx->root_fd);
	free(ctx);
}

EXPORT const char *thp_reason(const struct thp_ctx *ctx)
{
	return ctx->reason;
}

int fail(struct thp_ctx *ctx, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(ctx->reason, sizeof(ctx->reason), fmt, args);
	va_end(args);
	return err;
}

int copy_out(struct thp_ctx *ctx, void *ret, size_t ret_size, void *value, size_t value_size,
	     size_t least)
{
	if (ret_size < least)
		return fail(ctx, -EINVAL, "structure size %zu is not one of this library's",
			    ret_size);
	if (ret_size > value_size) {
		/* A newer caller: what this library does not know reads as zero, "unknown". */
		memset((char *)ret + value_size, 0, ret_size - value_size);
	} else {
		value_size = ret_size;
	}
	*(size_t *)value = ret_size;
	memcpy(ret, value, value_size);
	return 0;
}
