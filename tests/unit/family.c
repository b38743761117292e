// SPDX-License-Identifier: MIT
/* Origin, children and parents of processes, in families made by hand and in captured trees. */
#include "unit.h"

#include "../../cli/family.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct relation {
	pid_t pid, ppid;
	enum thp_mode mode;
};

/* A family whose members are given ascending by pid. It is asked for origins: no by_parent. */
static struct family of(const struct relation relations[], size_t nr)
{
	struct family family = {.members = calloc(nr, sizeof(*family.members)), .nr = nr};

	for (size_t i = 0; i < nr; i++) {
		family.members[i].pid = relations[i].pid;
		family.members[i].ppid = relations[i].ppid;
		family.members[i].mode = relations[i].mode;
	}
	return family;
}

static pid_t origin(const struct family *family, pid_t pid)
{
	const struct thp_process *found = family_origin(family, pid);

	return found ? found->pid : 0;
}

START_TEST(origin_is_farthest)
{
	static const struct relation relations[] = {
		{1, 0, THP_MODE_UNKNOWN}, {10, 1, THP_MODE_UNKNOWN}, {20, 10, THP_MODE_NEVER},
		{30, 20, THP_MODE_NEVER}, {40, 30, THP_MODE_NEVER},  {50, 40, THP_MODE_UNKNOWN},
		{60, 50, THP_MODE_NEVER}, {70, 999, THP_MODE_NEVER}, {80, 10, THP_MODE_DEFAULT},
	};
	struct family family = of(relations, NR(relations));

	ck_assert_int_eq(origin(&family, 40), 20);
	ck_assert_int_eq(origin(&family, 30), 20);
	ck_assert_int_eq(origin(&family, 20), 20);
	ck_assert_int_eq(origin(&family, 60), 60); /* cleared by 50, set again */
	ck_assert_int_eq(origin(&family, 70), 70); /* its parent has exited */
	ck_assert_int_eq(origin(&family, 50), 0);
	ck_assert_int_eq(origin(&family, 80), 0);
	ck_assert_int_eq(origin(&family, 1), 0);
	ck_assert_int_eq(origin(&family, 12345), 0); /* nobody */
	family_free(&family);
}
END_TEST

/* A recycled id can make a process its own ancestor for the reader: no endless loop. */
START_TEST(ring)
{
	static const struct relation relations[] = {
		{10, 30, THP_MODE_NEVER},
		{20, 10, THP_MODE_NEVER},
		{30, 20, THP_MODE_NEVER},
		{40, 40, THP_MODE_NEVER},
	};
	struct family family = of(relations, NR(relations));

	ck_assert_int_ne(origin(&family, 20), 0);
	ck_assert_int_eq(origin(&family, 40), 40);
	family_free(&family);
}
END_TEST

START_TEST(empty)
{
	struct family family = {0};
	struct thp_process *const *children;

	ck_assert_ptr_null(family_find(&family, 1));
	ck_assert_ptr_null(family_origin(&family, 1));
	ck_assert_uint_eq(family_children(&family, 1, &children), 0);
	family_free(&family);
}
END_TEST

static struct thp_ctx *open_tree(void)
{
	struct thp_ctx *ctx;

	ck_assert_int_eq(thp_open(&ctx, TESTS_ROOTS "/processes"), 0);
	return ctx;
}

START_TEST(children_of)
{
	struct thp_ctx *ctx = open_tree();
	struct thp_process *const *children;
	struct family family;

	ck_assert_int_eq(family_read(ctx, 0, &family), 0);
	ck_assert_uint_eq(family_children(&family, 100, &children), 2);
	ck_assert_int_eq(children[0]->pid, 110);
	ck_assert_int_eq(children[1]->pid, 120);
	ck_assert_uint_eq(family_children(&family, 110, &children), 1);
	ck_assert_int_eq(children[0]->pid, 111);
	ck_assert_uint_eq(family_children(&family, 111, &children), 0);
	ck_assert_uint_eq(family_children(&family, 31337, &children), 0);
	for (size_t i = 1; i < family.nr; i++)
		ck_assert_int_lt(family.members[i - 1].pid, family.members[i].pid);
	family_free(&family);
	thp_close(ctx);
}
END_TEST

static pid_t failed_pid;
static int failed_err;

static void note_failed(struct thp_ctx *ctx, pid_t pid, int err)
{
	ck_assert_ptr_nonnull(thp_reason(ctx));
	ck_assert_int_eq(failed_pid, 0);
	failed_pid = pid;
	failed_err = err;
}

START_TEST(lines)
{
	struct thp_ctx *ctx = open_tree();
	pid_t pids[] = {111, 31337, 120, 111};
	struct family family;

	ck_assert_int_eq(family_read_lines(ctx, pids, NR(pids), note_failed, &family), 0);
	ck_assert_int_eq(failed_pid, 31337);
	ck_assert_int_eq(failed_err, -ESRCH);
	ck_assert_int_eq(pids[0], 111);
	ck_assert_int_eq(pids[1], 0);
	ck_assert_int_eq(pids[2], 120);
	ck_assert_int_eq(pids[3], 111);
	ck_assert_uint_eq(family.nr, 5); /* 1, 100, 110, 111, 120: each once */
	ck_assert_ptr_nonnull(family_find(&family, 1));
	ck_assert_ptr_null(family_find(&family, 31337));
	ck_assert_int_eq(origin(&family, 111), 110);
	family_free(&family);
	thp_close(ctx);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("family");

	unit_add(suite, origin_is_farthest);
	unit_add(suite, ring);
	unit_add(suite, empty);
	unit_add(suite, children_of);
	unit_add(suite, lines);
	return suite;
}
