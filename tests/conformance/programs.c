/* SPDX-License-Identifier: MIT */
#include "programs.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum linkage { LINKAGE_NONE, LINKAGE_DYNAMIC, LINKAGE_STATIC };

/* A program that names an interpreter is dynamic. */
static enum linkage linkage_of(const char *path)
{
	enum linkage linkage = LINKAGE_NONE;
	ElfW(Ehdr) header;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return linkage;
	if (pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	    memcmp(header.e_ident, ELFMAG, SELFMAG) == 0) {
		linkage = LINKAGE_STATIC;
		for (int i = 0; i < header.e_phnum; i++) {
			ElfW(Phdr) segment;
			off_t at = (off_t)(header.e_phoff + (size_t)i * sizeof(segment));

			if (pread(fd, &segment, sizeof(segment), at) == sizeof(segment) &&
			    segment.p_type == PT_INTERP)
				linkage = LINKAGE_DYNAMIC;
		}
	}
	close(fd);
	return linkage;
}

static const char *neighbour(const char *name, char *buffer, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", buffer, size - 1);
	char *slash;

	if (length < 0)
		return NULL;
	buffer[length] = '\0';
	slash = strrchr(buffer, '/');
	if (!slash || (size_t)(slash + 1 - buffer) + strlen(name) >= size)
		return NULL;
	memcpy(slash + 1, name, strlen(name) + 1);
	return access(buffer, X_OK) == 0 ? buffer : NULL;
}

void programs_find(const char **ret_dynamic, const char **ret_static)
{
	static char buffer[4096];
	const char *self = "/proc/self/exe", *other;

	*ret_dynamic = *ret_static = NULL;
	if (linkage_of(self) == LINKAGE_DYNAMIC) {
		*ret_dynamic = self;
		other = neighbour("conformance-static", buffer, sizeof(buffer));
		if (other && linkage_of(other) == LINKAGE_STATIC)
			*ret_static = other;
	} else {
		*ret_static = self;
		other = neighbour("conformance", buffer, sizeof(buffer));
		if (other && linkage_of(other) == LINKAGE_DYNAMIC)
			*ret_dynamic = other;
	}
}

static bool usable(const char *dir)
{
	struct statfs fs;

	return statfs(dir, &fs) == 0 && fs.f_type != TMPFS_MAGIC && access(dir, W_OK) == 0;
}

const char *programs_file_dir(const char *wanted)
{
	static const char *const usual[] = {"/var/tmp", "/tmp", "."};

	if (wanted)
		return usable(wanted) ? wanted : NULL;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (usable(usual[i]))
			return usual[i];
	return NULL;
}
