/* SPDX-License-Identifier: MIT */
/*
 * Patterns of names and paths, byte by byte. In a name, and in each part of a path between slashes,
 * *, ?, [...] and \ mean what they mean to fnmatch(3): so none of them matches a slash. A part "**"
 * stands for any number of parts, also none. Pure.
 */
#ifndef DAEMON_GLOB_H
#define DAEMON_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* What is wrong with a pattern, NULL: nothing. */
const char *glob_fault(const char *pattern);

/* Whether it stands for nothing but itself. */
bool glob_is_literal(const char *pattern);

bool glob_name(const char *pattern, const char *name);

/* Paths from the root. A slash at the end means nothing. */
bool glob_path(const char *pattern, const char *path);

/* Whether a path is meant, or lies below one that is. */
bool glob_within(const char *pattern, const char *path);

/* The path that a literal pattern stands for: without backslashes. Cut at size. */
void glob_unescape(char *buf, size_t size, const char *pattern);

/* A pattern that stands for this path alone. Cut at size. */
void glob_escape(char *buf, size_t size, const char *path);

#endif /* DAEMON_GLOB_H */
