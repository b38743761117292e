// SPDX-License-Identifier: MIT
/*
 * A program of somebody else's: it knows the installed header and library only. Compiled as C11,
 * C17 and C++, linked with the shared and the static library. It uses each function once and prints
 * what it found; it fails if the library's answers do not fit together.
 */
#include <thp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static void check(int good, const char *what, struct thp_ctx *ctx)
{
	if (good)
		return;
	printf("wrong: %s (%s)\n", what, ctx ? thp_reason(ctx) : "");
	failures++;
}

static void modes(struct thp_ctx *ctx)
{
	enum thp_basis basis = THP_BASIS_NONE;
	enum thp_mode mode = THP_MODE_UNKNOWN;

	check(thp_mode_parse("never", &mode) == 0 && mode == THP_MODE_NEVER, "mode_parse", NULL);
	check(strcmp(thp_mode_name(mode), "never") == 0, "mode_name", NULL);
	check(thp_self_set(ctx, mode, &basis) == 0 && basis == THP_BASIS_FLAG, "self_set", ctx);
	check(thp_self_get(ctx, &mode) == 0 && mode == THP_MODE_NEVER, "self_get", ctx);
	check(thp_self_verify(ctx, THP_MODE_NEVER, NULL) == 1, "self_verify", ctx);
	check(thp_self_set(ctx, THP_MODE_DEFAULT, NULL) == 0, "self_set default", ctx);
}

static void kernel(struct thp_ctx *ctx)
{
	struct thp_caps caps;
	struct thp_system system;

	memset(&caps, 0, sizeof(caps));
	caps.size = sizeof(caps);
	check(thp_caps_read(ctx, &caps) == 0 && caps.flag == THP_YES, "caps_read", ctx);

	memset(&system, 0, sizeof(system));
	system.size = sizeof(system);
	check(thp_system_read(ctx, &system) == 0, "system_read", ctx);
	printf("anonymous memory: %s, shared memory: %s\n",
	       thp_setting_name(thp_system_anon(&system, system.pmd_bytes)),
	       thp_setting_name(thp_system_shmem(&system, system.pmd_bytes)));
	check(thp_effective(&system, THP_MODE_BIT(THP_MODE_NEVER)) == 1u << THP_SETTING_NEVER,
	      "effective", NULL);
}

static void processes(struct thp_ctx *ctx)
{
	struct thp_process process;
	pid_t *pids;
	ssize_t nr = thp_process_list(ctx, &pids);
	int found = 0;

	check(nr > 0, "process_list", ctx);
	for (ssize_t i = 0; i < nr; i++)
		found += pids[i] == getpid();
	check(found == 1, "process_list without this process", ctx);
	if (nr > 0)
		free(pids);

	memset(&process, 0, sizeof(process));
	process.size = sizeof(process);
	check(thp_process_read(ctx, getpid(), THP_READ_HUGE, &process) == 0, "process_read", ctx);
	check(process.mode == THP_MODE_DEFAULT && process.resident > 0, "process_read's answer",
	      ctx);
	check(thp_process_huge(&process) != THP_BYTES_UNKNOWN, "process_huge", ctx);
}

int main(void)
{
	struct thp_ctx *ctx;

	if (thp_open(&ctx, NULL) < 0)
		return 1;
	modes(ctx);
	kernel(ctx);
	processes(ctx);
	thp_close(ctx);
	printf("libthp " THP_VERSION ": %d wrong\n", failures);
	return failures != 0;
}
