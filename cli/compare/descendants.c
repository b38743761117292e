// SPDX-License-Identifier: MIT
#include "descendants.h"

#include "../../common/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct pids {
	pid_t *list;
	size_t nr;
	size_t room;
};

static int add(struct pids *pids, pid_t pid)
{
	if (pids->nr == pids->room) {
		size_t room = pids->room ? 2 * pids->room : 64;
		pid_t *grown = realloc(pids->list, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		pids->list = grown;
		pids->room = room;
	}
	pids->list[pids->nr++] = pid;
	return 0;
}

/* /proc/PID/task/TID/children: a list of numbers (CONFIG_PROC_CHILDREN, all distributions). */
static int add_children(struct pids *pids, pid_t pid, const char *tid)
{
	char path[64], *text = NULL, *at, *end;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", (int)pid, tid);
	if (file_read(path, &text) <= 0) {
		free(text);
		return 0; /* none, or gone meanwhile */
	}
	for (at = text;; at = end) {
		long child = strtol(at, &end, 10);

		if (end == at)
			break;
		r = add(pids, (pid_t)child);
		if (r < 0)
			break;
	}
	free(text);
	return r;
}

static int add_below(struct pids *pids, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (r == 0 && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			r = add_children(pids, pid, entry->d_name);
	}
	closedir(dir);
	return r;
}

ssize_t descendants_list(pid_t pid, pid_t **ret_pids)
{
	struct pids pids = {0};
	int r = add_below(&pids, pid);

	for (size_t i = 0; r == 0 && pids.list && i < pids.nr; i++)
		r = add_below(&pids, pids.list[i]);
	if (r < 0) {
		free(pids.list);
		return r;
	}
	*ret_pids = pids.list;
	return (ssize_t)pids.nr;
}
