// SPDX-License-Identifier: MIT
#include "numa.h"

#include "../../common/file.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

unsigned numa_nodes(void)
{
	DIR *dir = opendir("/sys/devices/system/node");
	struct dirent *entry;
	unsigned nodes = 0;

	if (!dir)
		return 1;
	while ((entry = readdir(dir)) != NULL)
		nodes += strncmp(entry->d_name, "node", 4) == 0 &&
			 strspn(entry->d_name + 4, "0123456789") > 0;
	closedir(dir);
	return nodes ? nodes : 1;
}

static void add_line(struct numa *numa, const char *line, const char *end)
{
	uint64_t pages[NUMA_NODES_MAX];
	unsigned long nodes[NUMA_NODES_MAX], kilobytes = 4;
	size_t nr = 0;

	while (line < end) {
		size_t len = strcspn(line, " \n");
		char *stop;

		if (line[0] == 'N' && line[1] >= '0' && line[1] <= '9' && nr < NUMA_NODES_MAX) {
			nodes[nr] = strtoul(line + 1, &stop, 10);
			if (*stop == '=' && nodes[nr] < NUMA_NODES_MAX)
				pages[nr++] = strtoull(stop + 1, NULL, 10);
		} else if (strncmp(line, "kernelpagesize_kB=", 18) == 0) {
			kilobytes = strtoul(line + 18, NULL, 10); /* last on its line */
		}
		line += len + 1;
	}
	for (size_t i = 0; i < nr; i++)
		numa->bytes[nodes[i]] += pages[i] * kilobytes * 1024;
}

void numa_add_maps(struct numa *numa, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		add_line(numa, text, text + len);
		text += len + (text[len] == '\n');
	}
}

/* Field 39 of /proc/PID/task/TID/stat, counted behind the name, which may hold anything. */
static int last_cpu(pid_t pid, const char *tid)
{
	char path[64], *text, *at;
	int cpu = -1;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", (int)pid, tid);
	if (file_read(path, &text) < 0)
		return -1;
	at = strrchr(text, ')');
	for (int field = 2; at && field < 39; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	if (at)
		cpu = (int)strtol(at, NULL, 10);
	free(text);
	return cpu;
}

static int node_of_cpu(int cpu)
{
	char path[64];
	struct dirent *entry;
	int node = -1;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (node < 0 && (entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, "node", 4) == 0)
			node = (int)strtol(entry->d_name + 4, NULL, 10);
	}
	closedir(dir);
	return node < NUMA_NODES_MAX ? node : -1;
}

void numa_add_process(struct numa *numa, pid_t pid)
{
	char path[64], *text;
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", (int)pid);
	if (file_read(path, &text) < 0)
		return;
	numa_add_maps(numa, text);
	free(text);
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL) {
		int cpu = entry->d_name[0] == '.' ? -1 : last_cpu(pid, entry->d_name);
		int node = cpu < 0 ? -1 : node_of_cpu(cpu);

		if (node >= 0)
			numa->threads[node]++;
	}
	closedir(dir);
}

double numa_remote(const struct numa *numa)
{
	double all = 0, remote = 0;
	bool seen = false;

	for (size_t i = 0; i < NUMA_NODES_MAX; i++) {
		all += (double)numa->bytes[i];
		seen = seen || numa->threads[i] > 0;
		if (numa->threads[i] == 0)
			remote += (double)numa->bytes[i];
	}
	return seen && all > 0 ? remote / all : NAN;
}
