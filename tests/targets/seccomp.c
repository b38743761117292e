// SPDX-License-Identifier: MIT
/*
 * seccomp RULE... -- COMMAND...: runs COMMAND where prctl(2) is refused by a filter. A RULE is
 *   OP=WHAT        for prctl(OP, ...)
 *   OP/FLAGS=WHAT  for prctl(OP, *, FLAGS, ...) alone, and
 * WHAT is EPERM, EINVAL or kill. "41/2=EINVAL" makes a kernel before 6.18 of a later one.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_RULES 8

/* The low half of an argument, on a little-endian machine. */
#define ARG(n) ((unsigned)offsetof(struct seccomp_data, args[n]))

static struct sock_filter program[4 + 6 * MAX_RULES];
static unsigned short len;

static void emit(struct sock_filter instruction)
{
	program[len++] = instruction;
}

static unsigned action_of(const char *what)
{
	if (strcmp(what, "EPERM") == 0)
		return SECCOMP_RET_ERRNO | EPERM;
	if (strcmp(what, "EINVAL") == 0)
		return SECCOMP_RET_ERRNO | EINVAL;
	if (strcmp(what, "kill") == 0)
		return SECCOMP_RET_KILL_PROCESS;
	exit(99);
}

static void add_rule(char *rule)
{
	char *what = strchr(rule, '='), *end;
	unsigned op, flags;

	if (!what)
		exit(99);
	op = (unsigned)strtoul(rule, &end, 10);
	emit((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARG(0)));
	if (*end == '/') {
		flags = (unsigned)strtoul(end + 1, NULL, 10);
		emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, op, 0, 3));
		emit((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARG(2)));
		emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, flags, 0, 1));
	} else {
		emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, op, 0, 1));
	}
	emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action_of(what + 1)));
}

int main(int argc, char **argv)
{
	struct sock_fprog filter = {.filter = program};
	int i;

	emit((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					  offsetof(struct seccomp_data, nr)));
	emit((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 1, 0));
	emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	for (i = 1; i < argc && strcmp(argv[i], "--") != 0 && i <= MAX_RULES; i++)
		add_rule(argv[i]);
	emit((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	if (i + 1 >= argc)
		return 99;
	filter.len = len;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		return 98;
	execvp(argv[i + 1], argv + i + 1);
	return 97;
}
