// SPDX-License-Identifier: MIT
/*
 * What the live tests of injection do, in one static program for machines without a shell:
 * battery DIR INJECTIONS KILLS
 * DIR has the programs blocked, storm, inject and killer. Every state that blocked knows is
 * injected into; then storm under its own storm, by each of its threads; then storm while the
 * tracer is killed. Prints a line each, exits 1 if something was wrong.
 */
#include "thp.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *dir;
static int failures;

static void check(int good, const char *name, const char *detail)
{
	printf("%s - %s: %s\n", good ? "ok" : "not ok", name, detail);
	fflush(stdout);
	failures += !good;
}

struct child {
	pid_t pid;
	int to;
	FILE *from;
};

static struct child start(const char *program, char **args)
{
	struct child child;
	int to[2], from[2];
	char path[256];

	if (pipe2(to, 02000000) < 0 || pipe2(from, 02000000) < 0) /* O_CLOEXEC */
		exit(2);
	snprintf(path, sizeof(path), "%s/%s", dir, program);
	args[0] = path;
	child.pid = fork();
	if (child.pid == 0) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		execv(path, args);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	child.to = to[1];
	child.from = fdopen(from[0], "r");
	return child;
}

static char *line_of(struct child *child, char line[256])
{
	if (!fgets(line, 256, child->from))
		return strcpy(line, "nothing");
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static int end(struct child *child)
{
	int status;

	fclose(child->from);
	waitpid(child->pid, &status, 0);
	return status;
}

/* Injections until the process ends, at most so many: how many failed. */
static int inject(struct thp_ctx *ctx, pid_t pid, int count, char detail[256])
{
	static const enum thp_mode modes[] = {THP_MODE_NEVER, THP_MODE_DEFAULT};
	int failed = 0, done = 0;

	detail[0] = '\0';
	for (int i = 0; i < count; i++) {
		struct thp_remote remote = {.size = sizeof(remote)};
		struct thp_target *target;
		int r = thp_target_open(ctx, pid, 0, &target);

		if (r == 0) {
			r = thp_remote_set(ctx, target, modes[i % 2], &remote);
			thp_target_close(target);
		}
		if (r == -ESRCH)
			break;
		done += r == 0;
		failed += r < 0;
		if (r < 0)
			snprintf(detail, 256, "%s", thp_reason(ctx));
	}
	if (!failed)
		snprintf(detail, 256, "%d injections", done);
	return failed;
}

static void try_state(struct thp_ctx *ctx, char *name, int timed, int count)
{
	char *args[] = {NULL, name, NULL};
	char line[256], detail[256];
	struct child child = start("blocked", args);

	if (strcmp(line_of(&child, line), "ready") != 0) {
		check(0, name, line);
		end(&child);
		return;
	}
	check(inject(ctx, child.pid, timed ? 1000000 : count, detail) == 0, name, detail);
	close(child.to);
	line_of(&child, line);
	check(strcmp(line, "ok") == 0, name, line);
	end(&child);
}

static void try_states(struct thp_ctx *ctx, int count)
{
	char *args[] = {NULL, "list", NULL};
	char line[256];
	struct child list = start("blocked", args);

	while (fgets(line, sizeof(line), list.from)) {
		char *space = strpbrk(line, " \n");
		int timed = *space == ' ';

		*space = '\0';
		try_state(ctx, line, timed, count);
	}
	end(&list);
}

/* Storm with another program at work on it. */
static void try_storm(char *name, char *storm_args[], const char *program, char *args[], int pid_at)
{
	struct child storm = start("storm", storm_args), other;
	char pid[16], line[256], last[256] = "nothing";

	line_of(&storm, line);
	snprintf(pid, sizeof(pid), "%d", storm.pid);
	args[pid_at] = pid;
	other = start(program, args);
	while (fgets(line, sizeof(line), other.from))
		memcpy(last, line, sizeof(last));
	last[strcspn(last, "\n")] = '\0';
	check(end(&other) == 0, name, last);
	kill(storm.pid, SIGTERM);
	line_of(&storm, line);
	check(strncmp(line, "ok", 2) == 0, name, line);
	end(&storm);
}

int main(int argc, char **argv)
{
	char *stormy[] = {NULL, NULL}, *killed[] = {NULL, "killed", NULL};
	char inject_path[256];
	struct thp_ctx *ctx;

	if (argc != 4 || thp_open(&ctx, NULL) < 0)
		return 2;
	dir = argv[1];
	snprintf(inject_path, sizeof(inject_path), "%s/inject", dir);
	try_states(ctx, 20);

	char *injections[] = {NULL, "-t", NULL, argv[2], "never", "default", NULL};

	try_storm("storm", stormy, "inject", injections, 2);

	char *kills[] = {NULL, argv[3],  "200000", inject_path, "-t",
			 NULL, "100000", "never",  "default",   NULL};

	try_storm("kill", killed, "killer", kills, 5);
	thp_close(ctx);
	return failures != 0;
}
