// SPDX-License-Identifier: MIT
#include "../../lib/lines.h"

#include "unit.h" /* behind it: Check has a macro "fail", too */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct fixture {
	struct thp_ctx *ctx;
	struct lines lines;
	char path[64];
};

/* Opens lines over a file in memory; the end of the test's process drops it. */
static void open_text(struct fixture *f, const char *text, size_t len)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	snprintf(f->path, sizeof(f->path), "proc/%d/fd/%d", getpid(), fd);
	ck_assert_int_eq(thp_open(&f->ctx, NULL), 0);
	ck_assert_int_eq(lines_open(&f->lines, f->ctx, f->path), 0);
}

static void close_text(struct fixture *f)
{
	lines_close(&f->lines);
	thp_close(f->ctx);
}

static void expect(const char *text, size_t len, const char *const wanted[], size_t nr)
{
	struct fixture f = {.ctx = NULL};
	char *line;

	open_text(&f, text, len);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_int_eq(lines_next(&f.lines, &line), 1);
		ck_assert_str_eq(line, wanted[i]);
	}
	ck_assert_int_eq(lines_next(&f.lines, &line), 0);
	ck_assert_int_eq(lines_next(&f.lines, &line), 0); /* and stays there */
	close_text(&f);
}

START_TEST(plain)
{
	static const char *const wanted[] = {"one", "", "three"};
	static const char *const empty[] = {"", ""};

	expect("one\n\nthree\n", 11, wanted, NR(wanted));
	expect("one\n\nthree", 10, wanted, NR(wanted)); /* no final newline */
	expect("", 0, NULL, 0);
	expect("\n\n", 2, empty, NR(empty));
}
END_TEST

/* A line is cut at the buffer's end, and what follows is the next line, not the tail. */
START_TEST(long_line)
{
	static const size_t lengths[] = {LINES_MAX - 2, LINES_MAX - 1,   LINES_MAX,
					 LINES_MAX + 1, 2ul * LINES_MAX, 10ul * LINES_MAX + 7};
	size_t len = lengths[_i / 2], room = len + 16;
	bool final_newline = _i % 2;
	char *text = malloc(room), *line;
	size_t used = (size_t)snprintf(text, room, "a\n");
	struct fixture f = {.ctx = NULL};

	memset(text + used, 'x', len);
	used += len;
	used += (size_t)snprintf(text + used, room - used, "\nlast%s", final_newline ? "\n" : "");
	open_text(&f, text, used);

	ck_assert_int_eq(lines_next(&f.lines, &line), 1);
	ck_assert_str_eq(line, "a");
	ck_assert_int_eq(lines_next(&f.lines, &line), 1);
	ck_assert_uint_eq(strlen(line), len < LINES_MAX ? len : LINES_MAX);
	ck_assert_uint_eq(strspn(line, "x"), strlen(line));
	ck_assert_int_eq(lines_next(&f.lines, &line), 1);
	ck_assert_str_eq(line, "last");
	ck_assert_int_eq(lines_next(&f.lines, &line), 0);
	close_text(&f);
	free(text);
}
END_TEST

START_TEST(long_last_line)
{
	size_t len = 3ul * LINES_MAX;
	char *text = malloc(len), *line;
	struct fixture f = {.ctx = NULL};

	memset(text, 'y', len);
	open_text(&f, text, len);
	ck_assert_int_eq(lines_next(&f.lines, &line), 1);
	ck_assert_uint_eq(strlen(line), LINES_MAX);
	ck_assert_int_eq(lines_next(&f.lines, &line), 0);
	close_text(&f);
	free(text);
}
END_TEST

/* Many lines of all lengths, so that line ends fall on every place of the buffer. */
START_TEST(many)
{
	enum { COUNT = 600 };
	char *text = NULL, *line;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	struct fixture f = {.ctx = NULL};

	for (int i = 0; i < COUNT; i++)
		fprintf(stream, "%0*d\n", i + 4, i);
	fclose(stream);
	open_text(&f, text, size);
	for (int i = 0; i < COUNT; i++) {
		ck_assert_int_eq(lines_next(&f.lines, &line), 1);
		ck_assert_int_eq((int)strlen(line), i + 4);
		ck_assert_int_eq(atoi(line), i);
	}
	ck_assert_int_eq(lines_next(&f.lines, &line), 0);
	close_text(&f);
	free(text);
}
END_TEST

START_TEST(nul_bytes)
{
	struct fixture f = {.ctx = NULL};
	char *line;

	open_text(&f, "a\0b\nc\n", 6);
	ck_assert_int_eq(lines_next(&f.lines, &line), 1);
	ck_assert_str_eq(line, "a");
	ck_assert_int_eq(lines_next(&f.lines, &line), 1);
	ck_assert_str_eq(line, "c");
	ck_assert_int_eq(lines_next(&f.lines, &line), 0);
	close_text(&f);
}
END_TEST

START_TEST(failures)
{
	struct thp_ctx *ctx;
	struct lines lines;
	char *line;

	ck_assert_int_eq(thp_open(&ctx, NULL), 0);
	ck_assert_int_eq(lines_open(&lines, ctx, "proc/self/no-such-file"), -ENOENT);
	ck_assert_ptr_nonnull(strstr(thp_reason(ctx), "/proc/self/no-such-file"));
	ck_assert_int_eq(lines_open(&lines, ctx, "proc/self"), 0); /* a directory: cannot be read */
	ck_assert_int_eq(lines_next(&lines, &line), -EISDIR);
	ck_assert_ptr_nonnull(strstr(thp_reason(ctx), "/proc/self: "));
	lines_close(&lines);
	thp_close(ctx);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("lines");

	unit_add(suite, plain);
	unit_add_rows(suite, long_line, 12);
	unit_add(suite, long_last_line);
	unit_add(suite, many);
	unit_add(suite, nul_bytes);
	unit_add(suite, failures);
	return suite;
}
