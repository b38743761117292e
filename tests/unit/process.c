// SPDX-License-Identifier: MIT
/* thp_process_read() in a captured tree of processes, and on this process itself. */
#include "unit.h"

#include "thp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define KIB 1024ull

static struct thp_process read_from(const char *root, pid_t pid, unsigned flags)
{
	struct thp_process process = {.size = sizeof(process)};
	struct thp_ctx *ctx;

	ck_assert_int_eq(thp_open(&ctx, root), 0);
	ck_assert_int_eq(thp_process_read(ctx, pid, flags, &process), 0);
	thp_close(ctx);
	return process;
}

static struct thp_process read_one(pid_t pid)
{
	return read_from(TESTS_ROOTS "/processes", pid, THP_READ_HUGE);
}

START_TEST(user)
{
	struct thp_process process = read_one(120);

	ck_assert_int_eq(process.pid, 120);
	ck_assert_int_eq(process.ppid, 100);
	ck_assert_int_eq(process.tracer, 111);
	ck_assert_uint_eq(process.uid, 1000);
	ck_assert_int_eq(process.kind, THP_KIND_USER);
	ck_assert_str_eq(process.comm, "odd\n) R 1 (\x1b[1m\\\xff");
	ck_assert_int_eq(process.mode, THP_MODE_UNKNOWN);
	ck_assert_uint_eq(process.possible,
			  THP_MODE_BIT(THP_MODE_DEFAULT) | THP_MODE_BIT(THP_MODE_MADVISE));
	ck_assert_uint_eq(process.resident, 1048576 * KIB);
	ck_assert_uint_eq(process.huge_anon, 524288 * KIB);
	ck_assert_uint_eq(process.huge_shmem, 8192 * KIB);
	ck_assert_uint_eq(process.huge_file, 2048 * KIB);
	ck_assert_uint_eq(thp_process_huge(&process), 534528 * KIB);
}
END_TEST

START_TEST(flagged)
{
	ck_assert_int_eq(read_one(110).mode, THP_MODE_NEVER);
	ck_assert_uint_eq(read_one(110).possible, THP_MODE_BIT(THP_MODE_NEVER));
}
END_TEST

START_TEST(sizes_unasked)
{
	struct thp_process process = read_from(TESTS_ROOTS "/processes", 120, 0);

	ck_assert_uint_eq(process.resident, 1048576 * KIB);
	ck_assert_uint_eq(process.huge_anon, THP_BYTES_UNKNOWN);
	ck_assert_uint_eq(process.huge_shmem, THP_BYTES_UNKNOWN);
	ck_assert_uint_eq(process.huge_file, THP_BYTES_UNKNOWN);
	ck_assert_uint_eq(thp_process_huge(&process), THP_BYTES_UNKNOWN);
}
END_TEST

START_TEST(sizes_unreadable)
{
	struct thp_process process = read_one(150);

	ck_assert_int_eq(process.kind, THP_KIND_USER);
	ck_assert_uint_eq(process.resident, 300000 * KIB);
	ck_assert_uint_eq(thp_process_huge(&process), THP_BYTES_UNKNOWN);
}
END_TEST

START_TEST(without_memory)
{
	struct thp_process kernel = read_one(9), zombie = read_one(130);

	ck_assert_int_eq(kernel.kind, THP_KIND_KERNEL);
	ck_assert_str_eq(kernel.comm, "kworker/R-rcu_gp-long-name-of-a-kernel-thread");
	ck_assert_int_eq(zombie.kind, THP_KIND_ZOMBIE);
	ck_assert_int_eq(zombie.mode, THP_MODE_UNKNOWN);
	ck_assert_uint_eq(zombie.possible, 0);
}
END_TEST

/* The main thread has exited, the first thread listed too; another has the memory. */
START_TEST(dead_leader)
{
	struct thp_process process = read_one(140);

	ck_assert_int_eq(process.kind, THP_KIND_USER);
	ck_assert_int_eq(process.pid, 140);
	ck_assert_str_eq(process.comm, "dead-leader");
	ck_assert_int_eq(process.mode, THP_MODE_NEVER);
	ck_assert_uint_eq(process.resident, 65536 * KIB);
	ck_assert_uint_eq(process.huge_anon, 32768 * KIB);
}
END_TEST

/* Before Linux 5.0 nothing tells the mode from outside; nor had it PR_THP_DISABLE_EXCEPT_ADVISED.
 */
START_TEST(before_5_0)
{
	struct thp_process process = read_from(TESTS_ROOTS "/linux-4.9", 50, THP_READ_HUGE);

	ck_assert_int_eq(process.mode, THP_MODE_UNKNOWN);
	ck_assert_uint_eq(process.possible,
			  THP_MODE_BIT(THP_MODE_DEFAULT) | THP_MODE_BIT(THP_MODE_NEVER));
	ck_assert_uint_eq(thp_process_huge(&process), THP_BYTES_UNKNOWN);
}
END_TEST

/* A process that is about to exit has no memory any more, and is no kernel thread for that. */
START_TEST(exiting)
{
	struct thp_process process = read_one(131);

	ck_assert_int_eq(process.kind, THP_KIND_ZOMBIE);
	ck_assert_uint_eq(process.possible, 0);
}
END_TEST

/* A kernel built without THP writes "THP_enabled: 0" for everyone: no flag was set. */
START_TEST(without_thp)
{
	struct thp_process process = read_from(TESTS_ROOTS "/no-thp", 50, THP_READ_HUGE);

	ck_assert_int_eq(process.mode, THP_MODE_UNKNOWN);
	ck_assert_uint_eq(process.possible, THP_MODE_BIT(THP_MODE_DEFAULT) |
						    THP_MODE_BIT(THP_MODE_NEVER) |
						    THP_MODE_BIT(THP_MODE_MADVISE));
	ck_assert_uint_eq(thp_process_huge(&process), 0);
}
END_TEST

START_TEST(before_6_8)
{
	ck_assert_int_eq(read_from(TESTS_ROOTS "/linux-4.9", 2, 0).kind, THP_KIND_KERNEL);
	ck_assert_int_eq(read_from(TESTS_ROOTS "/linux-4.9", 3, 0).kind, THP_KIND_KERNEL);
	ck_assert_int_eq(read_from(TESTS_ROOTS "/linux-4.9", 51, 0).kind, THP_KIND_ZOMBIE);
}
END_TEST

START_TEST(failures)
{
	static const struct {
		pid_t pid;
		unsigned flags;
		int err;
	} rows[] = {
		{31337, 0, -ESRCH}, {0, 0, -ESRCH},     {-1, 0, -ESRCH},
		{160, 0, -EBADMSG}, {170, 0, -EBADMSG}, {120, 2, -EINVAL},
	};
	struct thp_process process = {.size = sizeof(process), .pid = 99};
	struct thp_ctx *ctx;

	ck_assert_int_eq(thp_open(&ctx, TESTS_ROOTS "/processes"), 0);
	for (size_t i = 0; i < NR(rows); i++) {
		ck_assert_int_eq(thp_process_read(ctx, rows[i].pid, rows[i].flags, &process),
				 rows[i].err);
		ck_assert_str_ne(thp_reason(ctx), "");
		ck_assert_int_eq(process.pid, 99);
	}
	process.size = 8;
	ck_assert_int_eq(thp_process_read(ctx, 120, 0, &process), -EINVAL);
	ck_assert_int_eq(process.pid, 99);
	thp_close(ctx);
}
END_TEST

START_TEST(list)
{
	static const pid_t wanted[] = {1, 2, 9, 100, 110, 111, 120, 130, 131, 140, 150, 160, 170};
	struct thp_ctx *ctx;
	pid_t *pids;

	ck_assert_int_eq(thp_open(&ctx, TESTS_ROOTS "/processes"), 0);
	ck_assert_int_eq(thp_process_list(ctx, &pids), NR(wanted));
	for (size_t i = 0; i < NR(wanted); i++)
		ck_assert_int_eq(pids[i], wanted[i]);
	free(pids);
	thp_close(ctx);
	ck_assert_int_eq(thp_open(&ctx, TESTS_ROOTS "/linux-6.18"), 0);
	ck_assert_int_eq(thp_process_list(ctx, &pids), -ENOENT);
	thp_close(ctx);
}
END_TEST

/* One's own mode is known exactly, madvise too. */
START_TEST(self)
{
	ck_assert_int_eq(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
	ck_assert_int_eq(read_from(NULL, getpid(), 0).mode, THP_MODE_DEFAULT);
	ck_assert_int_eq(read_from(NULL, getpid(), 0).ppid, getppid());
	ck_assert_uint_gt(read_from(NULL, getpid(), THP_READ_HUGE).resident, 0);
	if (prctl(PR_SET_THP_DISABLE, 1, 2, 0, 0) == 0)
		ck_assert_int_eq(read_from(NULL, getpid(), 0).mode, THP_MODE_MADVISE);
	ck_assert_int_eq(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	ck_assert_int_eq(read_from(NULL, getpid(), 0).mode, THP_MODE_NEVER);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("process");

	unit_add(suite, user);
	unit_add(suite, flagged);
	unit_add(suite, sizes_unasked);
	unit_add(suite, sizes_unreadable);
	unit_add(suite, without_memory);
	unit_add(suite, dead_leader);
	unit_add(suite, before_5_0);
	unit_add(suite, exiting);
	unit_add(suite, without_thp);
	unit_add(suite, before_6_8);
	unit_add(suite, failures);
	unit_add(suite, list);
	unit_add(suite, self);
	return suite;
}
