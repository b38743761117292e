// SPDX-License-Identifier: MIT
/*
 * state FILE [ARG...]: writes to FILE what a process is given by whoever starts it, one item a
 * line, so that two ways of starting it can be compared byte for byte. The last line is the THP
 * flag. FILE is opened last: all descriptors may be closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *text;
static size_t text_len;

static void hex(FILE *out, const char *what, const char *bytes)
{
	fprintf(out, "%s ", what);
	for (; *bytes; bytes++)
		fprintf(out, "%02x", (unsigned char)*bytes);
	fputc('\n', out);
}

static void descriptors(FILE *out)
{
	for (int fd = 0; fd < 256; fd++) {
		char path[64], target[512];
		ssize_t len;

		if (fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = '\0';
		fprintf(out, "fd %d flags %x status %x at %lld %s\n", fd,
			(unsigned)fcntl(fd, F_GETFD), (unsigned)fcntl(fd, F_GETFL),
			(long long)lseek(fd, 0, SEEK_CUR), target);
	}
}

static void limits(FILE *out)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit = {0};

		getrlimit(i, &limit);
		fprintf(out, "limit %d %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
			(unsigned long long)limit.rlim_max);
	}
}

/* Signals, capabilities, ids and processors, as the kernel writes them. */
static void status(FILE *out)
{
	static const char *const keys[] = {
		"SigPnd",  "ShdPnd", "SigBlk", "SigIgn", "SigCgt",       "Cap",         "NoNew",
		"Seccomp", "Uid",    "Gid",    "Groups", "Cpus_allowed", "Mems_allowed"};
	FILE *file = fopen("/proc/self/status", "re");
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			if (strncmp(line, keys[i], strlen(keys[i])) == 0)
				fputs(line, out);
		}
	}
	if (file)
		fclose(file);
}

static void small_things(FILE *out)
{
	mode_t mask = umask(0);
	int death = 0;
	char cwd[4096] = "?";

	umask(mask);
	prctl(PR_GET_PDEATHSIG, &death);
	hex(out, "cwd", getcwd(cwd, sizeof(cwd)) ? cwd : "?");
	errno = 0;
	fprintf(out, "umask %o nice %d policy %ld ioprio %ld\n", mask, getpriority(PRIO_PROCESS, 0),
		syscall(SYS_sched_getscheduler, 0), syscall(SYS_ioprio_get, 1, 0));
	fprintf(out, "parent %d\n", getppid());
	fprintf(out, "group %d session %d\n", getpgrp(), getsid(0));
	fprintf(out, "personality %x timerslack %d death signal %d secure %lu\n",
		(unsigned)personality(0xffffffff), prctl(PR_GET_TIMERSLACK), death,
		getauxval(AT_SECURE));
	fprintf(out, "ids %u %u %u %u\n", getuid(), geteuid(), getgid(), getegid());
}

int main(int argc, char **argv)
{
	FILE *out = open_memstream(&text, &text_len);
	int fd;

	if (argc < 2 || !out)
		return 99;
	descriptors(out); /* first: what follows opens some */
	for (int i = 0; i < argc; i++)
		hex(out, "argv", argv[i]);
	for (char **variable = environ; *variable; variable++)
		hex(out, "env", *variable);
	limits(out);
	status(out);
	small_things(out);
	fprintf(out, "thp %d\n", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
	fclose(out);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	return fd >= 0 && write(fd, text, text_len) == (ssize_t)text_len ? 0 : 99;
}
