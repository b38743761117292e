// SPDX-License-Identifier: MIT
#include "glob.h"

#include <fnmatch.h>
#include <limits.h>
#include <string.h>

/* A name of which each character is written with a backslash before it. */
#define PART_MAX (2 * NAME_MAX)

/* Skips slashes: where the next part begins, or the end. */
static const char *part(const char *path)
{
	return path + strspn(path, "/");
}

static const char *next_part(const char *path)
{
	return part(path + strcspn(path, "/"));
}

static bool is_any_depth(const char *pattern)
{
	return pattern[0] == '*' && pattern[1] == '*' && (pattern[2] == '/' || pattern[2] == '\0');
}

static bool copy_part(char buf[PART_MAX + 1], const char *path)
{
	size_t len = strcspn(path, "/");

	if (len > PART_MAX)
		return false;
	memcpy(buf, path, len);
	buf[len] = '\0';
	return true;
}

static bool match_part(const char *pattern, const char *path)
{
	char one[PART_MAX + 1], other[PART_MAX + 1];

	return copy_part(one, pattern) && copy_part(other, path) && glob_name(one, other);
}

/* Only the last "**" is gone back to: what an earlier one could take, this one can as well. */
static bool match(const char *pattern, const char *path, bool within)
{
	const char *behind = NULL, *from = NULL;

	pattern = part(pattern);
	path = part(path);
	while (*path) {
		if (*pattern == '\0' && within)
			return true;
		if (is_any_depth(pattern)) {
			pattern = behind = next_part(pattern);
			from = path;
		} else if (*pattern && match_part(pattern, path)) {
			pattern = next_part(pattern);
			path = next_part(path);
		} else if (behind) {
			pattern = behind;
			path = from = next_part(from);
		} else {
			return false;
		}
	}
	while (is_any_depth(pattern))
		pattern = next_part(pattern);
	return *pattern == '\0';
}

bool glob_name(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, 0) == 0;
}

bool glob_path(const char *pattern, const char *path)
{
	return match(pattern, path, false);
}

bool glob_within(const char *pattern, const char *path)
{
	return match(pattern, path, true);
}

bool glob_is_literal(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (strchr("*?[", *pattern))
			return false;
		if (*pattern == '\\' && pattern[1])
			pattern++;
	}
	return true;
}

/* The end of a "[...]", NULL: it has none. A "]" at its start is one of its characters. */
static const char *bracket_end(const char *pattern)
{
	pattern++;
	pattern += *pattern == '!' || *pattern == '^';
	pattern += *pattern == ']';
	for (; *pattern && *pattern != '/'; pattern++) {
		if (*pattern == ']')
			return pattern;
		if (*pattern == '\\' && pattern[1])
			pattern++;
	}
	return NULL;
}

static const char *part_fault(const char *pattern)
{
	if (is_any_depth(pattern))
		return NULL;
	if (strcspn(pattern, "/") > PART_MAX)
		return "a name in it is too long";
	for (; *pattern && *pattern != '/'; pattern++) {
		if (pattern[0] == '*' && pattern[1] == '*')
			return "'**' must stand alone between two slashes";
		if (*pattern == '[') {
			pattern = bracket_end(pattern);
			if (!pattern)
				return "a '[' has no ']'; the character itself is written '\\['";
		} else if (*pattern == '\\') {
			pattern++;
			if (*pattern == '\0' || *pattern == '/')
				return "a '\\' stands before nothing; the character itself is "
				       "written '\\\\'";
		}
	}
	return NULL;
}

const char *glob_fault(const char *pattern)
{
	for (pattern = part(pattern); *pattern; pattern = next_part(pattern)) {
		const char *fault = part_fault(pattern);

		if (fault)
			return fault;
	}
	return NULL;
}

void glob_unescape(char *buf, size_t size, const char *pattern)
{
	size_t len = 0;

	for (; *pattern && len + 1 < size; pattern++) {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		buf[len++] = *pattern;
	}
	buf[len] = '\0';
}

void glob_escape(char *buf, size_t size, const char *path)
{
	size_t len = 0;

	for (; *path && len + 2 < size; path++) {
		if (strchr("*?[\\", *path))
			buf[len++] = '\\';
		buf[len++] = *path;
	}
	buf[len] = '\0';
}
