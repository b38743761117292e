/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "results.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define DEFAULT_LINE "/dev/ttyS1"
#define LINE_BYTES   57 /* base64 of 57 bytes fills a line of 76 characters */

/* nftw() has no argument for its callback. */
static FILE *sink;
static size_t prefix_length;

int results_open(const char *device)
{
	int fd = open(device ? device : DEFAULT_LINE, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios mode;

	if (fd < 0)
		return -errno;
	/* Not a terminal: a virtio port or a file, raw already. */
	if (tcgetattr(fd, &mode))
		return fd;
	cfmakeraw(&mode);
	mode.c_cflag |= CLOCAL;
	/* Emulated, but the driver paces a close by the speed it believes in. */
	cfsetspeed(&mode, B115200);
	tcsetattr(fd, TCSANOW, &mode);
	return fd;
}

static void put_base64_line(const unsigned char *data, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char line[(LINE_BYTES + 2) / 3 * 4 + 1], *out = line;

	for (size_t i = 0; i < length; i += 3) {
		size_t left = length - i;
		uint32_t group = (uint32_t)data[i] << 16 |
				 (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
				 (left > 2 ? data[i + 2] : 0U);

		*out++ = digits[group >> 18];
		*out++ = digits[group >> 12 & 63];
		*out++ = left > 1 ? digits[group >> 6 & 63] : '=';
		*out++ = left > 2 ? digits[group & 63] : '=';
	}
	*out = '\0';
	fprintf(sink, "%s\n", line);
}

static void send_file(const char *path, const char *name, const struct stat *status)
{
	unsigned char data[LINE_BYTES];
	FILE *file = fopen(path, "re");
	size_t length;

	if (!file) {
		printf("init: %s: %s\n", path, strerror(errno));
		return;
	}
	fprintf(sink, "==== file\t%o\t%lld\t%s\n", status->st_mode & 0777,
		(long long)status->st_size, name);
	while ((length = fread(data, 1, sizeof(data), file)) > 0)
		put_base64_line(data, length);
	fclose(file);
}

static int send_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
	const char *name = path + prefix_length;

	(void)where;
	if (type == FTW_F && S_ISREG(status->st_mode)) {
		send_file(path, name, status);
	} else if (type == FTW_SL) {
		char target[PATH_MAX];
		ssize_t length = readlink(path, target, sizeof(target) - 1);

		if (length < 0)
			return 0;
		target[length] = '\0';
		fprintf(sink, "==== link\t%s\t%s\n", target, name);
	}
	return 0;
}

void results_send_files(int line, const char *dir)
{
	sink = fdopen(dup(line), "w");
	if (!sink)
		return;
	prefix_length = strlen(dir) + 1;
	nftw(dir, send_entry, 16, FTW_PHYS);
	fclose(sink);
}

void results_close(int line)
{
	tcdrain(line);
	close(line);
}
