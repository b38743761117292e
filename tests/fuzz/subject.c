// SPDX-License-Identifier: MIT
/* What tells of processes: first lines of scripts, control groups, formats; and patterns. */
#include "fuzz.h"

#include "../../daemon/glob.h"
#include "../../daemon/subject-text.h"

#include <string.h>

static void take_script(const char *data, size_t size)
{
	char name[SHEBANG_READ];
	struct shebang shebang;

	if (!shebang_parse(data, size, &shebang))
		return;
	MUST(shebang.program[0] && !strpbrk(shebang.program, " \t\n"));
	MUST(!strchr(shebang.argument, '\n'));
	shebang_env(&shebang, name);
	MUST(strlen(name) <= strlen(shebang.argument));
}

static void take_groups(const char *text)
{
	struct cgroup_line line;

	while (cgroup_next(&text, &line)) {
		MUST(!memchr(line.controllers, '\n', line.controllers_len));
		MUST(!strchr(line.path, '\n'));
		cgroup_has(&line, "cpuset", 6);
		MUST(cgroup_has(&line, "v2", 2) == (line.controllers_len == 0));
	}
}

static void take_format(const char *text, const char *data, size_t size)
{
	struct binfmt binfmt;

	if (!binfmt_parse(text, &binfmt))
		return;
	MUST(binfmt.magic_len <= SHEBANG_READ);
	binfmt_is(&binfmt, text, data, size);
}

/* The first line is a pattern, the rest what it is held against. */
static void take_pattern(char *text)
{
	char literal[512], pattern[1024];
	char *path = strchr(text, '\n');

	if (!path)
		return;
	*path++ = '\0';
	glob_fault(text);
	/* The path itself is meant by what it is written as; and then what lies below it. */
	glob_unescape(literal, sizeof(literal), path);
	glob_escape(pattern, sizeof(pattern), literal);
	if (glob_path(text, path))
		MUST(glob_within(text, path));
	if (strlen(literal) < sizeof(literal) - 1 && !glob_fault(pattern))
		MUST(glob_path(pattern, literal) && glob_is_literal(pattern));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	MUST(text);
	memcpy(text, data, size);
	text[size] = '\0';
	take_script(text, size);
	take_groups(text);
	take_format(text, text, size);
	numbers_have(text, 4, 1000);
	take_pattern(text);
	free(text);
	return 0;
}
