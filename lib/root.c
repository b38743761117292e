// SPDX-License-Identifier: MIT
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define SYSFS_MAGIC 0x62656572ul /* <linux/magic.h> */

static int open_below(struct thp_ctx *ctx, const char *path, int flags)
{
	int dir_fd = ctx->root_fd;
	char absolute[PATH_MAX]; /* control groups nest deeply */
	size_t len;
	int fd;

	flags |= O_CLOEXEC | O_NOCTTY; /* and O_RDONLY, which is 0, unless it is O_RDWR */
	if (is_live(ctx)) {
		/* From "/" and not from a descriptor: one system call, and nothing stays open. */
		len = strlen(path);
		if (len + 2 > sizeof(absolute))
			return fail(ctx, -ENAMETOOLONG, "/%.64s...: %s", path,
				    strerror(ENAMETOOLONG));
		absolute[0] = '/';
		memcpy(absolute + 1, path, len + 1);
		path = absolute;
		dir_fd = AT_FDCWD;
	}
	fd = openat(dir_fd, path, flags);
	if (fd < 0) {
		int err = errno;

		return fail(ctx, -err, "%s%s%s: %s", ctx->root, is_live(ctx) ? "" : "/", path,
			    strerror(err));
	}
	return fd;
}

int root_open(struct thp_ctx *ctx, const char *path)
{
	return open_below(ctx, path, 0);
}

int root_open_mem(struct thp_ctx *ctx, const char *path)
{
	return open_below(ctx, path, O_RDWR);
}

ssize_t root_read_fd(struct thp_ctx *ctx, int fd, const char *path, char *buf, size_t size)
{
	size_t len = 0;

	for (;;) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0) {
			int err = errno;

			if (err == EINTR)
				continue;
			return fail(ctx, -err, "%s/%s: %s", ctx->root, path, strerror(err));
		}
		if (n == 0)
			break;
		len += (size_t)n;
		if (len == size)
			return fail(ctx, -EFBIG, "%s/%s: longer than %zu bytes", ctx->root, path,
				    size - 1);
	}
	buf[len] = '\0';
	return (ssize_t)len;
}

ssize_t root_read(struct thp_ctx *ctx, const char *path, char *buf, size_t size)
{
	int fd = root_open(ctx, path);
	ssize_t len;

	if (fd < 0)
		return fd;
	len = root_read_fd(ctx, fd, path, buf, size);
	close(fd);
	return len;
}

int root_opendir(struct thp_ctx *ctx, const char *path, DIR **ret_dir)
{
	int fd = open_below(ctx, path, O_DIRECTORY);
	DIR *dir;

	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		int err = errno;

		close(fd);
		return fail(ctx, -err, "%s/%s: %s", ctx->root, path, strerror(err));
	}
	*ret_dir = dir;
	return 0;
}

int root_exists(struct thp_ctx *ctx, const char *path)
{
	int fd = open_below(ctx, path, O_PATH);

	if (fd >= 0) {
		close(fd);
		return 1;
	}
	return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
}

int root_on_sysfs(struct thp_ctx *ctx, const char *path)
{
	struct statfs fs = {0};
	int fd;

	if (!is_live(ctx))
		return 1; /* a captured tree: it shows what it has */
	fd = open_below(ctx, path, O_PATH);
	if (fd < 0)
		return 0;
	fstatfs(fd, &fs);
	close(fd);
	return (unsigned long)fs.f_type == SYSFS_MAGIC;
}
