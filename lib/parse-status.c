// SPDX-License-Identifier: MIT
/* /proc/PID/status, see proc_pid_status(5). */
#include "parse.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* The text behind "Key:" and its blanks, or NULL where line has another key. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0 || line[len] != ':')
		return NULL;
	line += len + 1;
	while (*line == ' ' || *line == '\t')
		line++;
	return line;
}

static int parse_id(const char *text, int *ret_id)
{
	uint64_t value;
	int r = parse_u64(text, &value, NULL);

	if (r < 0 || value > INT_MAX)
		return -EBADMSG;
	*ret_id = (int)value;
	return 0;
}

/*
 * The kernel writes a newline as \n and a backslash as \\ (proc_task_name() of fs/proc/array.c),
 * all other bytes as they are.
 */
static void unescape_comm(const char *text, char comm[THP_COMM_MAX + 1])
{
	size_t len = 0;

	while (*text && len < THP_COMM_MAX) {
		char c = *text++;

		if (c == '\\' && (*text == 'n' || *text == '\\'))
			c = *text++ == 'n' ? '\n' : '\\';
		comm[len++] = c;
	}
	comm[len] = '\0';
}

int parse_status_line(const char *line, struct parse_status *status)
{
	const char *value;
	uint64_t number;
	int r;

	switch (line[0]) {
	case 'N':
		/* One blank only: a name may start with blanks itself. */
		if (strncmp(line, "Name:\t", 6) == 0)
			unescape_comm(line + 6, status->comm);
		return 0;
	case 'S':
		value = value_of(line, "State");
		if (value)
			status->state = *value;
		value = value_of(line, "Seccomp");
		if (value && *value >= '0' && *value <= '2')
			status->seccomp = *value - '0';
		return 0;
	case 'P':
		value = value_of(line, "PPid");
		return value ? parse_id(value, &status->ppid) : 0;
	case 'U':
		value = value_of(line, "Uid");
		if (!value)
			return 0;
		r = parse_u64(value, &number, NULL);
		if (r < 0 || number > UINT32_MAX)
			return -EBADMSG;
		status->uid = (uid_t)number;
		return 0;
	case 'V':
		value = value_of(line, "VmRSS");
		if (!value)
			return 0;
		r = parse_u64(value, &number, NULL);
		if (r < 0 || number > UINT64_MAX / 1024)
			return -EBADMSG;
		status->resident = number * 1024;
		status->has_vm = true;
		return 0;
	case 'K':
		value = value_of(line, "Kthread");
		if (value)
			status->kthread = *value == '1';
		return 0;
	case 'T':
		value = value_of(line, "Tgid");
		if (value)
			return parse_id(value, &status->tgid);
		value = value_of(line, "TracerPid");
		if (value)
			return parse_id(value, &status->tracer);
		value = value_of(line, "THP_enabled");
		if (!value)
			return 0;
		if ((value[0] != '0' && value[0] != '1') || value[1] != '\0')
			return -EBADMSG;
		status->thp_enabled = value[0] - '0';
		return 0;
	default:
		return 0;
	}
}
