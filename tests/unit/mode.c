// SPDX-License-Identifier: MIT
/* Names of modes, and the calling process's own mode. Each test has a process of its own. */
#include "unit.h"

#include "thp.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int get(void)
{
	return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
}

static void set(unsigned long disable, unsigned long flags)
{
	ck_assert_int_eq(prctl(PR_SET_THP_DISABLE, disable, flags, 0, 0), 0);
}

/* Whether the kernel has "except advised" (Linux 6.18); leaves the flag clear. */
static bool has_except_advised(void)
{
	bool has = prctl(PR_SET_THP_DISABLE, 1, 2, 0, 0) == 0;

	set(0, 0);
	return has;
}

START_TEST(names)
{
	static const char *const words[] = {"unknown", "default", "never", "madvise", "always"};

	for (unsigned i = 0; i < NR(words); i++) {
		enum thp_mode mode = THP_MODE_UNKNOWN;
		int r = thp_mode_parse(words[i], &mode);

		ck_assert_str_eq(thp_mode_name((enum thp_mode)i), words[i]);
		ck_assert_int_eq(r, i == THP_MODE_UNKNOWN ? -EINVAL : 0);
		ck_assert_uint_eq(mode, i);
	}
	ck_assert_str_eq(thp_mode_name((enum thp_mode)5), "unknown");
	ck_assert_str_eq(thp_mode_name((enum thp_mode) - 1), "unknown");
}
END_TEST

START_TEST(no_names)
{
	static const char *const words[] = {"",       "Never",   "never ", " never",
					    "neverr", "nev",     "none",   "1",
					    "advise", "inherit", "\xff",   "never\n"};

	for (size_t i = 0; i < NR(words); i++) {
		enum thp_mode mode = THP_MODE_MADVISE;

		ck_assert_int_eq(thp_mode_parse(words[i], &mode), -EINVAL);
		ck_assert_int_eq(mode, THP_MODE_MADVISE); /* untouched */
	}
}
END_TEST

START_TEST(set_and_clear)
{
	struct thp_ctx *ctx;
	enum thp_basis basis = THP_BASIS_NONE;
	enum thp_mode mode = THP_MODE_UNKNOWN;

	set(0, 0);
	ck_assert_int_eq(thp_open(&ctx, NULL), 0);
	ck_assert_int_eq(thp_self_get(ctx, &mode), 0);
	ck_assert_int_eq(mode, THP_MODE_DEFAULT);
	ck_assert_int_eq(thp_self_set(ctx, THP_MODE_NEVER, &basis), 0);
	ck_assert_int_eq(basis, THP_BASIS_FLAG);
	ck_assert_int_eq(get(), 1);
	ck_assert_int_eq(thp_self_get(ctx, &mode), 0);
	ck_assert_int_eq(mode, THP_MODE_NEVER);
	ck_assert_int_eq(thp_self_verify(ctx, THP_MODE_NEVER, NULL), 1);
	ck_assert_int_eq(thp_self_verify(ctx, THP_MODE_DEFAULT, NULL), 0);
	ck_assert_int_eq(thp_self_set(ctx, THP_MODE_DEFAULT, NULL), 0);
	ck_assert_int_eq(get(), 0);
	ck_assert_int_eq(thp_self_verify(ctx, THP_MODE_DEFAULT, &basis), 1);
	ck_assert_int_eq(thp_self_verify(ctx, THP_MODE_NEVER, &basis), 0);
	thp_close(ctx);
}
END_TEST

START_TEST(set_madvise)
{
	enum thp_basis basis = THP_BASIS_NONE;
	enum thp_mode mode = THP_MODE_UNKNOWN;
	struct thp_ctx *ctx;

	if (!has_except_advised())
		return; /* tests/cli/run-system.t is about those kernels */
	ck_assert_int_eq(thp_open(&ctx, NULL), 0);
	ck_assert_int_eq(thp_self_set(ctx, THP_MODE_MADVISE, &basis), 0);
	ck_assert_int_eq(basis, THP_BASIS_FLAG);
	ck_assert_int_eq(get(), 3);
	ck_assert_int_eq(thp_self_get(ctx, &mode), 0);
	ck_assert_int_eq(mode, THP_MODE_MADVISE);
	/* From one flag to the other and back, without clearing in between. */
	ck_assert_int_eq(thp_self_set(ctx, THP_MODE_NEVER, NULL), 0);
	ck_assert_int_eq(get(), 1);
	ck_assert_int_eq(thp_self_set(ctx, THP_MODE_MADVISE, NULL), 0);
	ck_assert_int_eq(get(), 3);
	thp_close(ctx);
}
END_TEST

START_TEST(bad_modes)
{
	static const int modes[] = {THP_MODE_UNKNOWN, 5, -1, 1 << 20};
	enum thp_basis basis = THP_BASIS_SYSTEM;
	struct thp_ctx *ctx;

	set(1, 0);
	ck_assert_int_eq(thp_open(&ctx, NULL), 0);
	for (size_t i = 0; i < NR(modes); i++) {
		ck_assert_int_eq(thp_self_set(ctx, (enum thp_mode)modes[i], &basis), -EINVAL);
		ck_assert_int_eq(get(), 1);
		ck_assert_int_eq(basis, THP_BASIS_SYSTEM);
		ck_assert_str_ne(thp_reason(ctx), "");
	}
	thp_close(ctx);
}
END_TEST

/* A captured tree has no calling process; above all, nothing may be set through it. */
START_TEST(captured_tree)
{
	enum thp_mode mode = THP_MODE_UNKNOWN;
	struct thp_ctx *ctx;

	set(0, 0);
	ck_assert_int_eq(thp_open(&ctx, "/"), 0);
	ck_assert_int_eq(thp_self_get(ctx, &mode), -EROFS);
	ck_assert_int_eq(thp_self_set(ctx, THP_MODE_NEVER, NULL), -EROFS);
	ck_assert_int_eq(thp_self_verify(ctx, THP_MODE_DEFAULT, NULL), -EROFS);
	ck_assert_int_eq(get(), 0);
	ck_assert_int_eq(mode, THP_MODE_UNKNOWN);
	thp_close(ctx);
}
END_TEST

/* The probe of a flag must not touch the caller's own, nor leave a child or a signal. */
START_TEST(caps_change_nothing)
{
	struct thp_caps caps = {.size = sizeof(caps)};
	struct thp_ctx *ctx;

	set(1, 0);
	ck_assert_int_eq(thp_open(&ctx, NULL), 0);
	ck_assert_int_eq(thp_caps_read(ctx, &caps), 0);
	ck_assert_int_eq(get(), 1);
	ck_assert_int_eq(caps.flag, THP_YES);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_int_eq(caps.except_advised, has_except_advised() ? THP_YES : THP_NO);
	thp_close(ctx);
}
END_TEST

/* The size field decides what is written: older, smaller callers and newer, larger ones. */
START_TEST(caps_sizes)
{
	struct {
		struct thp_caps caps;
		char behind[16];
	} larger = {.caps.size = sizeof(larger)}, smaller = {.caps.size = sizeof(size_t)};
	struct thp_ctx *ctx;

	memset(larger.behind, 'x', sizeof(larger.behind));
	memset(smaller.behind, 'x', sizeof(smaller.behind));
	ck_assert_int_eq(thp_open(&ctx, NULL), 0);
	ck_assert_int_eq(thp_caps_read(ctx, &smaller.caps), -EINVAL);
	ck_assert_int_eq(smaller.caps.flag, 0);
	ck_assert_int_eq(smaller.behind[0], 'x');
	ck_assert_int_eq(thp_caps_read(ctx, &larger.caps), 0);
	ck_assert_uint_eq(larger.caps.size, sizeof(larger));
	for (size_t i = 0; i < sizeof(larger.behind); i++)
		ck_assert_int_eq(larger.behind[i], 0); /* what this library does not know */
	thp_close(ctx);
}
END_TEST

START_TEST(open_fails)
{
	struct thp_ctx *ctx = NULL;

	ck_assert_int_eq(thp_open(&ctx, "/no/such/tree"), -ENOENT);
	ck_assert_int_eq(thp_open(&ctx, "/proc/self/status"), -ENOTDIR);
	ck_assert_ptr_null(ctx);
	thp_close(NULL);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("mode");

	unit_add(suite, names);
	unit_add(suite, no_names);
	unit_add(suite, set_and_clear);
	unit_add(suite, set_madvise);
	unit_add(suite, bad_modes);
	unit_add(suite, captured_tree);
	unit_add(suite, caps_change_nothing);
	unit_add(suite, caps_sizes);
	unit_add(suite, open_fails);
	return suite;
}
