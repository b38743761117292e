// SPDX-License-Identifier: MIT
#include "subject.h"

#include "script.h"
#include "subject-text.h"

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

/* ---- files of a process ------------------------------------------------------------------------
 */

static void make_path(const struct subject *subject, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/proc/%d/%s", subject->root ? subject->root : "",
		 (int)subject->pid, name);
}

/*
 * Reads a small file of a process, ends it with NUL. Its length or -errno. The files that are read
 * here come as a whole by one read(2), or are not needed beyond.
 */
static ssize_t read_file(const struct subject *subject, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];
	ssize_t len;
	int fd, err;

	make_path(subject, name, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, buf, size - 1);
	err = errno;
	close(fd);
	if (len < 0)
		return -err;
	buf[len] = '\0';
	return len;
}

/* The same for a file that each process has. */
static ssize_t read_always(const struct subject *subject, const char *name, char *buf, size_t size)
{
	ssize_t len = read_file(subject, name, buf, size);

	return len == -ENOENT ? -ESRCH : len;
}

static void cut_newline(char *text, ssize_t len)
{
	if (len > 0 && text[len - 1] == '\n')
		text[len - 1] = '\0';
}

/* ---- executable --------------------------------------------------------------------------------
 */

static bool is_exe(const struct subject *subject, const char *link, const char *path)
{
	char name[2 * PATH_MAX];
	struct stat one, other;

	snprintf(name, sizeof(name), "%s%s", link, path);
	if (stat(name, &one) < 0)
		return false;
	make_path(subject, "exe", name);
	return stat(name, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/*
 * The kernel puts " (deleted)" behind the path of a file that has no name any more. But a name can
 * end so as well: that of the file itself, in our tree or in that of the process.
 */
static void take_off_deleted(struct subject *subject, size_t len)
{
	static const char mark[] = " (deleted)";
	size_t mark_len = sizeof(mark) - 1;
	char root[PATH_MAX];

	if (len <= mark_len || strcmp(subject->exe + len - mark_len, mark) != 0)
		return;
	make_path(subject, "root", root);
	if (!is_exe(subject, "", subject->exe) && !is_exe(subject, root, subject->exe))
		subject->exe[len - mark_len] = '\0';
}

static int read_exe(struct subject *subject)
{
	char path[PATH_MAX];
	ssize_t len;

	make_path(subject, "exe", path);
	len = readlink(path, subject->exe, sizeof(subject->exe) - 1);
	if (len < 0 && errno == ENAMETOOLONG)
		len = 0; /* no pattern could name it */
	if (len < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	subject->exe[len] = '\0';
	take_off_deleted(subject, (size_t)len);
	return 0;
}

static int read_comm(struct subject *subject)
{
	ssize_t len = read_always(subject, "comm", subject->comm, sizeof(subject->comm));

	cut_newline(subject->comm, len);
	return len < 0 ? (int)len : 0;
}

static int read_argv(struct subject *subject)
{
	ssize_t len = read_always(subject, "cmdline", subject->argv, sizeof(subject->argv));

	if (len < 0)
		return (int)len;
	subject->argv_len = (size_t)len;
	return 0;
}

static int read_script(struct subject *subject)
{
	int r = subject_know(subject, SUBJECT_EXE | SUBJECT_ARGV);

	return r < 0 ? r : script_read(subject);
}

/* ---- user and groups ---------------------------------------------------------------------------
 */

/* What stands behind a field's name, NULL: there is no such field. */
static const char *field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? at + strlen(name) : NULL;
}

/* The second number: the effective one of "Uid:" and "Gid:". */
static unsigned second(const char *numbers)
{
	unsigned one = 0, two = 0;

	if (numbers)
		sscanf(numbers, "%u %u", &one, &two);
	return two;
}

static int read_status(struct subject *subject)
{
	char text[4096];
	const char *ppid;
	ssize_t len = read_always(subject, "status", text, sizeof(text));

	if (len < 0)
		return (int)len;
	/* A name is escaped here: no newline of it can forge a field. */
	ppid = field(text, "\nPPid:");
	subject->ppid = ppid ? (pid_t)strtol(ppid, NULL, 10) : 0;
	subject->uid = second(field(text, "\nUid:"));
	subject->gid = second(field(text, "\nGid:"));
	return 0;
}

static int read_members(struct subject *subject)
{
	char *members = subject->members;
	const char *groups;
	ssize_t len = read_always(subject, "status", members, sizeof(subject->members));
	size_t found;

	if (len < 0)
		return (int)len;
	groups = field(members, "\nGroups:");
	groups += groups ? strspn(groups, " \t") : 0;
	found = groups ? strcspn(groups, "\n") : 0;
	/* A number that was cut would be another group. */
	while (found > 0 && groups[found] == '\0' && groups[found - 1] != ' ')
		found--;
	if (groups)
		memmove(members, groups, found);
	members[found] = '\0';
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
static int read_ids(struct subject *subject)
{
	struct pidfd_info info = {.mask = PIDFD_INFO_PID_ALWAYS | PIDFD_INFO_CREDS_ALWAYS};
	int fd, r;

	if (subject->root)
		return read_status(subject);
	fd = (int)syscall(SYS_pidfd_open, subject->pid, 0);
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

static int read_user(struct subject *subject)
{
	int r = read_ids(subject);

	if (r == 0)
		subject->known |= SUBJECT_USER | SUBJECT_GROUP;
	return r;
}

static int read_parent(struct subject *subject)
{
	int r = subject_know(subject, SUBJECT_USER);

	if (r < 0)
		return r;
	if (!subject->rule_of)
		return -EAGAIN;
	subject->parent_rule = subject->rule_of(subject->arg, subject->ppid);
	return subject->parent_rule ? 0 : -EAGAIN;
}

/* ---- control groups ----------------------------------------------------------------------------
 */

static int read_groups(struct subject *subject)
{
	ssize_t len = read_always(subject, "cgroup", subject->groups, sizeof(subject->groups));

	return len < 0 ? (int)len : 0;
}

/* The group of the controller in version 1, else in version 2. */
static int cpuset_of_groups(struct subject *subject)
{
	struct cgroup_line line;
	const char *text = subject->groups;
	bool found = false;
	int r = subject_know(subject, SUBJECT_CGROUP);

	if (r < 0)
		return r;
	subject->cpuset[0] = '\0';
	while (!found && cgroup_next(&text, &line)) {
		found = cgroup_has(&line, "cpuset", 6);
		if (found || cgroup_has(&line, "v2", 2))
			snprintf(subject->cpuset, sizeof(subject->cpuset), "%s", line.path);
	}
	return 0;
}

static int read_cpuset(struct subject *subject)
{
	ssize_t len = read_file(subject, "cpuset", subject->cpuset, sizeof(subject->cpuset));

	/* Not there without CONFIG_PROC_PID_CPUSET, which kernels with version 2 alone lack. */
	if (len == -ENOENT)
		return cpuset_of_groups(subject);
	cut_newline(subject->cpuset, len);
	return len < 0 ? (int)len : 0;
}

/* ---- all of it ---------------------------------------------------------------------------------
 */

void subject_start(struct subject *subject, pid_t pid)
{
	subject->pid = pid;
	subject->known = 0;
	subject->err = 0;
}

int subject_know(struct subject *subject, unsigned what)
{
	static const struct {
		unsigned what;
		int (*read)(struct subject *subject);
	} readers[] = {
		{SUBJECT_EXE, read_exe},       {SUBJECT_USER, read_user},
		{SUBJECT_GROUP, read_user},    {SUBJECT_COMM, read_comm},
		{SUBJECT_CPUSET, read_cpuset}, {SUBJECT_CGROUP, read_groups},
		{SUBJECT_ARGV, read_argv},     {SUBJECT_MEMBER, read_members},
		{SUBJECT_SCRIPT, read_script}, {SUBJECT_PARENT, read_parent},
	};

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		int r;

		if (!(what & ~subject->known & readers[i].what))
			continue;
		r = subject->pid ? readers[i].read(subject) : -ENODATA;
		if (r < 0) {
			subject->err = r;
			return r;
		}
		subject->known |= readers[i].what;
	}
	return 0;
}
