/* SPDX-License-Identifier: MIT */
/* One ELF file, and the texts that it holds. */
#ifndef CLI_ALWAYS_IMAGE_H
#define CLI_ALWAYS_IMAGE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct image;

/* -ENOEXEC: no ELF file. The caller gives *ret_image to image_close(). */
int image_open(const char *path, struct image **ret_image);

/* Closes an image; NULL is allowed. */
void image_close(struct image *image);

const char *image_path(const struct image *image);
bool image_is_64bit(const struct image *image);

/* The loader that it names. False: none, it is static or a library. */
bool image_loader(struct image *image, char ret_path[PATH_MAX]);

/* Whether the constants of the program hold a text, be it as the end of a longer one. */
bool image_holds(struct image *image, const char *text);

/*
 * The name of an environment variable that ends so: capitals, digits and "_" before it belong to
 * it. False: there is none.
 */
bool image_variable(struct image *image, const char *end, char *ret_name, size_t size);

#endif /* CLI_ALWAYS_IMAGE_H */
