// SPDX-License-Identifier: MIT
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

ssize_t file_read(const char *path, char **ret_text)
{
	size_t room = 16384, len = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	char *text, *grown;
	ssize_t n;

	if (fd < 0)
		return -errno;
	text = malloc(room + 1);
	while (text) {
		n = read(fd, text + len, room - len);
		if (n < 0 && errno == EINTR)
			continue;
		err = n < 0 ? errno : 0;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (len < room)
			continue;
		room *= 2;
		grown = realloc(text, room + 1);
		if (!grown)
			free(text);
		text = grown;
	}
	close(fd);
	if (!text)
		return -ENOMEM;
	if (err) {
		free(text);
		return -err;
	}
	text[len] = '\0';
	*ret_text = text;
	return (ssize_t)len;
}
