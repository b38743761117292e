// SPDX-License-Identifier: MIT
#include "descendants.h"

#include "../../common/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool holds(const struct pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->nr; i++) {
		if (pids->list[i] == pid)
			return true;
	}
	return false;
}

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
static int add_children(struct pids *pids, const struct pids *except, pid_t pid, const char *tid)
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
		r = holds(except, (pid_t)child) ? 0 : add(pids, (pid_t)child);
		if (r < 0)
			break;
	}
	free(text);
	return r;
}

static int add_below(struct pids *pids, const struct pids *except, pid_t pid)
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
			r = add_children(pids, except, pid, entry->d_name);
	}
	closedir(dir);
	return r;
}

int descendants_list(pid_t pid, const struct pids *except, struct pids *ret_pids)
{
	struct pids pids = {0};
	int r = add_below(&pids, except, pid);

	for (size_t i = 0; r == 0 && i < pids.nr; i++)
		r = add_below(&pids, except, pids.list[i]);
	if (r < 0)
		free(pids.list);
	else
		*ret_pids = pids;
	return r;
}

int descendants_children(pid_t pid, struct pids *ret_pids)
{
	const struct pids none = {0};
	struct pids pids = {0};
	int r = add_below(&pids, &none, pid);

	if (r < 0)
		free(pids.list);
	else
		*ret_pids = pids;
	return r;
}

void pids_remove(struct pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->nr; i++) {
		if (pids->list[i] == pid)
			pids->list[i] = pids->list[--pids->nr];
	}
}

void pids_free(struct pids *pids)
{
	free(pids->list);
	*pids = (struct pids){0};
}
