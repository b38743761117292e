// SPDX-License-Identifier: MIT
#include "image.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a program of gigabytes the rest is not searched: it would take longer than most runs. */
#define SEARCH_MOST ((size_t)128 << 20)

struct image {
	int fd;
	Elf *elf;
	const char *bytes;
	size_t size;
	char path[PATH_MAX];
};

int image_open(const char *path, struct image **ret_image)
{
	struct image *image = calloc(1, sizeof(*image));
	int r = -ENOEXEC;

	if (!image)
		return -ENOMEM;
	snprintf(image->path, sizeof(image->path), "%s", path);
	image->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (image->fd < 0) {
		r = -errno;
	} else if (elf_version(EV_CURRENT) != EV_NONE) {
		image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
		if (image->elf && elf_kind(image->elf) == ELF_K_ELF)
			image->bytes = elf_rawfile(image->elf, &image->size);
		if (image->bytes)
			r = 0;
	}
	if (r < 0) {
		image_close(image);
		return r;
	}
	*ret_image = image;
	return 0;
}

void image_close(struct image *image)
{
	if (!image)
		return;
	if (image->elf)
		elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	free(image);
}

const char *image_path(const struct image *image)
{
	return image->path;
}

bool image_is_64bit(const struct image *image)
{
	return gelf_getclass(image->elf) == ELFCLASS64;
}

bool image_loader(struct image *image, char ret_path[PATH_MAX])
{
	size_t nr = 0;

	if (elf_getphdrnum(image->elf, &nr) < 0)
		return false;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_INTERP)
			continue;
		if (header.p_offset >= image->size ||
		    header.p_filesz > image->size - header.p_offset)
			return false;
		return snprintf(ret_path, PATH_MAX, "%.*s", (int)header.p_filesz,
				image->bytes + header.p_offset) < PATH_MAX;
	}
	return false;
}

/* A text with its NUL, or NULL. */
static const char *find(const char *bytes, size_t size, const char *text)
{
	return memmem(bytes, size < SEARCH_MOST ? size : SEARCH_MOST, text, strlen(text) + 1);
}

/*
 * A text among the constants: sections that are loaded and not executed. *ret_start is where what
 * surrounds it begins. Without sections, anywhere.
 */
static const char *find_constant(struct image *image, const char *text, const char **ret_start)
{
	Elf_Scn *section = NULL;
	bool some = false;

	while ((section = elf_nextscn(image->elf, section)) != NULL) {
		GElf_Shdr header;
		const char *found;

		if (!gelf_getshdr(section, &header))
			continue;
		some = true;
		if (header.sh_type != SHT_PROGBITS || !(header.sh_flags & SHF_ALLOC) ||
		    (header.sh_flags & SHF_EXECINSTR) || header.sh_offset >= image->size ||
		    header.sh_size > image->size - header.sh_offset)
			continue;
		*ret_start = image->bytes + header.sh_offset;
		found = find(*ret_start, header.sh_size, text);
		if (found)
			return found;
	}
	*ret_start = image->bytes;
	return some ? NULL : find(image->bytes, image->size, text);
}

bool image_holds(struct image *image, const char *text)
{
	const char *start;

	return find_constant(image, text, &start) != NULL;
}

bool image_variable(struct image *image, const char *end, char *ret_name, size_t size)
{
	const char *start, *found = find_constant(image, end, &start);

	if (!found)
		return false;
	while (found > start && (isupper((unsigned char)found[-1]) ||
				 isdigit((unsigned char)found[-1]) || found[-1] == '_'))
		found--;
	return (size_t)snprintf(ret_name, size, "%s", found) < size;
}
