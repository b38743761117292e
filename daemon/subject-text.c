// SPDX-License-Identifier: MIT
#include "subject-text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"

static void copy(char *buf, const char *from, size_t len)
{
	memcpy(buf, from, len);
	buf[len] = '\0';
}

/* As load_script() of fs/binfmt_script.c: one word, and all the rest of the line as another. */
bool shebang_parse(const char *head, size_t len, struct shebang *ret_shebang)
{
	char line[SHEBANG_READ];
	const char *program, *end, *argument;
	size_t left;

	if (len < 3 || head[0] != '#' || head[1] != '!')
		return false;
	len -= 2;
	len = len < sizeof(line) ? len : sizeof(line) - 1;
	copy(line, head + 2, len);
	line[strcspn(line, "\n")] = '\0';
	program = line + strspn(line, BLANKS);
	end = program + strcspn(program, BLANKS);
	if (end == program)
		return false;
	argument = end + strspn(end, BLANKS);
	left = strlen(argument);
	while (left > 0 && strchr(BLANKS, argument[left - 1]))
		left--;
	copy(ret_shebang->program, program, (size_t)(end - program));
	copy(ret_shebang->argument, argument, left);
	return true;
}

void shebang_env(const struct shebang *shebang, char name[SHEBANG_READ])
{
	const char *at = shebang->argument;

	name[0] = '\0';
	if (strcmp(base_name(shebang->program), "env") != 0)
		return;
	/* The shebang's argument is one word for the kernel; env -S cuts it up. */
	while (*at) {
		size_t len = strcspn(at, BLANKS);

		if (strncmp(at, "-S", 2) == 0 && len > 2) { /* "-Sname" */
			at += 2;
			len -= 2;
		}
		if (at[0] != '-' && !memchr(at, '=', len)) {
			copy(name, at, len);
			return;
		}
		at += len;
		at += strspn(at, BLANKS);
	}
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "7f454c46" into bytes; how many there were. */
static size_t take_bytes(const char *text, unsigned char bytes[SHEBANG_READ])
{
	size_t nr = 0;

	for (; nr < SHEBANG_READ && hex(text[0]) >= 0 && hex(text[1]) >= 0; text += 2)
		bytes[nr++] = (unsigned char)(hex(text[0]) << 4 | hex(text[1]));
	return nr;
}

/* What stands behind a word at the start of a line, NULL: it is another line. */
static const char *behind(const char *line, const char *word)
{
	size_t len = strlen(word);

	return strncmp(line, word, len) == 0 ? line + len : NULL;
}

static void copy_line(char *buf, size_t size, const char *line)
{
	size_t len = strcspn(line, "\n");

	copy(buf, line, len < size ? len : size - 1);
}

static void take_binfmt_line(const char *line, struct binfmt *binfmt)
{
	const char *value;

	if (strncmp(line, "enabled\n", 8) == 0)
		binfmt->enabled = true;
	else if ((value = behind(line, "interpreter ")))
		copy_line(binfmt->interpreter, sizeof(binfmt->interpreter), value);
	else if ((value = behind(line, "extension .")))
		copy_line(binfmt->extension, sizeof(binfmt->extension), value);
	else if ((value = behind(line, "offset ")))
		binfmt->offset = strtoul(value, NULL, 10);
	else if ((value = behind(line, "magic ")))
		binfmt->magic_len = take_bytes(value, binfmt->magic);
	else if ((value = behind(line, "mask ")))
		take_bytes(value, binfmt->mask);
}

bool binfmt_parse(const char *text, struct binfmt *ret_binfmt)
{
	*ret_binfmt = (struct binfmt){0};
	memset(ret_binfmt->mask, 0xff, sizeof(ret_binfmt->mask));
	while (*text) {
		take_binfmt_line(text, ret_binfmt);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return ret_binfmt->interpreter[0] &&
	       (ret_binfmt->extension[0] || ret_binfmt->magic_len > 0);
}

bool binfmt_is(const struct binfmt *binfmt, const char *path, const char *head, size_t len)
{
	const char *dot = strrchr(path, '.');

	if (!binfmt->enabled)
		return false;
	if (binfmt->extension[0])
		return dot && strcmp(dot + 1, binfmt->extension) == 0;
	if (binfmt->offset > len || binfmt->magic_len > len - binfmt->offset)
		return false;
	for (size_t i = 0; i < binfmt->magic_len; i++) {
		if (((unsigned char)head[binfmt->offset + i] ^ binfmt->magic[i]) & binfmt->mask[i])
			return false;
	}
	return true;
}

/* "4:cpuset:/a:b": the path is all behind the second colon. */
bool cgroup_next(const char **text, struct cgroup_line *ret_line)
{
	while (**text) {
		const char *line = *text;
		size_t len = strcspn(line, "\n"), path_len;
		const char *one = memchr(line, ':', len), *two;

		*text += len + (line[len] == '\n');
		two = one ? memchr(one + 1, ':', len - (size_t)(one + 1 - line)) : NULL;
		if (!two)
			continue;
		path_len = (size_t)(line + len - (two + 1));
		if (path_len >= sizeof(ret_line->path))
			continue;
		ret_line->controllers = one + 1;
		ret_line->controllers_len = (size_t)(two - (one + 1));
		copy(ret_line->path, two + 1, path_len);
		return true;
	}
	return false;
}

bool cgroup_has(const struct cgroup_line *line, const char *controller, size_t len)
{
	const char *at = line->controllers, *end = at + line->controllers_len;

	if (len == 2 && memcmp(controller, "v2", 2) == 0)
		return at == end;
	while (at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		size_t one = (size_t)((comma ? comma : end) - at);

		if (one == len && memcmp(at, controller, len) == 0)
			return true;
		at += one + 1;
	}
	return false;
}

bool numbers_have(const char *text, unsigned first, unsigned last)
{
	char *end;

	while (isdigit((unsigned char)*(text += strspn(text, BLANKS)))) {
		unsigned long number = strtoul(text, &end, 10);

		if (number >= first && number <= last)
			return true;
		text = end;
	}
	return false;
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
