// SPDX-License-Identifier: MIT
#include "subject.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Reads a small file of a process, ends it with NUL. Its length or -errno. The files that are read
 * here come as a whole by one read(2), or are not needed beyond.
 */
static ssize_t read_file(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	ssize_t len;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	len = read(fd, buf, size - 1);
	err = errno;
	close(fd);
	if (len < 0)
		return -err;
	buf[len] = '\0';
	return len;
}

static int read_exe(struct subject *subject)
{
	static const char gone[] = " (deleted)";
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)subject->pid);
	len = readlink(path, subject->exe, sizeof(subject->exe) - 1);
	if (len < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	subject->exe[len] = '\0';
	if ((size_t)len > sizeof(gone) &&
	    strcmp(subject->exe + len - (sizeof(gone) - 1), gone) == 0 &&
	    access(subject->exe, F_OK) != 0)
		subject->exe[len - (ssize_t)(sizeof(gone) - 1)] = '\0';
	return 0;
}

/* The second number behind a field's name: the effective one of "Uid:" and "Gid:". */
static unsigned second(const char *text, const char *field)
{
	const char *at = strstr(text, field);
	unsigned one = 0, two = 0;

	if (at)
		sscanf(at + strlen(field), "%u %u", &one, &two);
	return two;
}

static int read_comm(struct subject *subject)
{
	ssize_t len = read_file(subject->pid, "comm", subject->comm, sizeof(subject->comm));

	if (len < 0)
		return (int)len;
	if (len > 0 && subject->comm[len - 1] == '\n')
		subject->comm[len - 1] = '\0';
	return 0;
}

static int read_status(struct subject *subject)
{
	char text[4096];
	const char *at;
	ssize_t len = read_file(subject->pid, "status", text, sizeof(text));

	if (len < 0)
		return (int)len;
	/* A name is escaped here: no newline of it can forge a field. */
	at = strstr(text, "\nPPid:");
	subject->ppid = at ? (pid_t)strtol(at + 6, NULL, 10) : 0;
	subject->uid = second(text, "\nUid:");
	subject->gid = second(text, "\nGid:");
	return 0;
}

/* <linux/pidfd.h> of Linux 6.13. */
struct pidfd_info {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t pid, tgid, ppid;
	uint32_t ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
	int32_t exit_code;
};
#define PIDFD_INFO_PID_ALWAYS   1u
#define PIDFD_INFO_CREDS_ALWAYS 2u
#define PIDFD_ASK_INFO          _IOWR(0xff, 11, struct pidfd_info)

/* Where the kernel has it this takes half the time of the file. */
static int read_user(struct subject *subject)
{
	struct pidfd_info info = {.mask = PIDFD_INFO_PID_ALWAYS | PIDFD_INFO_CREDS_ALWAYS};
	int fd = (int)syscall(SYS_pidfd_open, subject->pid, 0), r;

	if (fd < 0)
		return errno == ENOSYS ? read_status(subject) : -ESRCH;
	r = ioctl(fd, PIDFD_ASK_INFO, &info);
	close(fd);
	if (r < 0)
		return read_status(subject);
	subject->ppid = (pid_t)info.ppid;
	subject->uid = info.euid;
	subject->gid = info.egid;
	return 0;
}

/* Whether the first line of a script names a program that is the one at exe. */
static bool is_script_of(const char *script, const char *exe)
{
	char line[256], *program, *end;
	struct stat one, other;
	ssize_t len;
	int fd = open(script, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	len = fstat(fd, &one) == 0 && S_ISREG(one.st_mode) ? read(fd, line, sizeof(line) - 1) : -1;
	close(fd);
	if (len < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[len] = '\0';
	program = line + 2 + strspn(line + 2, " \t");
	end = program + strcspn(program, " \t\n");
	*end = '\0';
	return stat(program, &one) == 0 && stat(exe, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* A script as an argument, as a path of its own. */
static bool resolve(struct subject *subject, const char *argument)
{
	char path[2 * PATH_MAX], found[PATH_MAX];

	if (argument[0] == '/')
		snprintf(path, sizeof(path), "%s", argument);
	else
		snprintf(path, sizeof(path), "/proc/%d/cwd/%s", (int)subject->pid, argument);
	if (!realpath(path, found))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)subject->pid);
	if (!is_script_of(found, path))
		return false;
	memcpy(subject->script, found, strlen(found) + 1);
	return true;
}

/* The kernel starts a script as INTERPRETER [ARGUMENT] SCRIPT...: it is the first or the second. */
static int read_script(struct subject *subject)
{
	char text[3 * PATH_MAX];
	ssize_t len = read_file(subject->pid, "cmdline", text, sizeof(text));
	const char *one, *two;

	subject->script[0] = '\0';
	if (len < 0)
		return (int)len;
	one = text + strlen(text) + 1;
	if (one >= text + len || resolve(subject, one))
		return 0;
	two = one + strlen(one) + 1;
	if (two < text + len && one[0] == '-')
		resolve(subject, two);
	return 0;
}

static int read_cpuset(struct subject *subject)
{
	ssize_t len = read_file(subject->pid, "cpuset", subject->cpuset, sizeof(subject->cpuset));

	if (len > 0)
		subject->cpuset[len - 1] = '\0';
	return len < 0 ? (int)len : 0;
}

static int read_groups(struct subject *subject)
{
	ssize_t len = read_file(subject->pid, "cgroup", subject->groups, sizeof(subject->groups));

	return len < 0 ? (int)len : 0;
}

static int read_parent(struct subject *subject)
{
	int r = subject_know(subject, SUBJECT_USER);

	if (r < 0)
		return r;
	if (!subject->rule_of)
		return -EAGAIN;
	subject->parent_rule = subject->rule_of(subject->arg, subject->ppid);
	return 0;
}

static int read_script_of(struct subject *subject)
{
	int r = subject_know(subject, SUBJECT_EXE);

	return r < 0 ? r : read_script(subject);
}

int subject_know(struct subject *subject, unsigned what)
{
	static const struct {
		unsigned what;
		int (*read)(struct subject *subject);
	} readers[] = {
		{SUBJECT_EXE, read_exe},       {SUBJECT_USER, read_user},
		{SUBJECT_COMM, read_comm},     {SUBJECT_CPUSET, read_cpuset},
		{SUBJECT_CGROUP, read_groups}, {SUBJECT_SCRIPT, read_script_of},
		{SUBJECT_PARENT, read_parent},
	};

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		int r;

		if (!(what & ~subject->known & readers[i].what))
			continue;
		r = readers[i].read(subject);
		if (r < 0) {
			subject->err = r;
			return r;
		}
		subject->known |= readers[i].what;
	}
	return 0;
}
