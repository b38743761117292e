/* SPDX-License-Identifier: MIT */
/*
 * Runs any command as one counted region, and says what can be seen of it from outside:
 *
 *	counted [--placement] COMMAND [ARG...]
 *
 * Its faults; with --placement also how its pages lay over the nodes when it had most of them, read
 * from numa_maps of the whole tree ten times a second. Looking is work of ours that a plugin would
 * count as the command's: hence only on demand. Prints "key value" lines; exit status is the
 *command's.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marker.h"

#define MAX_NODES 1024

struct placement {
	size_t total, on_node[MAX_NODES];
};

/* Adds " N3=17 ... kernelpagesize_kB=4" of one mapping, in 4 KiB pages. */
static void add_line(struct placement *sum, char *line)
{
	size_t pages[MAX_NODES] = {0}, scale = 1, top = 0;
	char *word, *rest = line;

	while ((word = strsep(&rest, " \n"))) {
		size_t node, count;

		if (sscanf(word, "N%zu=%zu", &node, &count) == 2 && node < MAX_NODES) {
			pages[node] = count;
			top = node > top ? node : top;
		} else if (!strncmp(word, "kernelpagesize_kB=", 18)) {
			scale = strtoul(word + 18, NULL, 10) / 4;
		}
	}
	for (size_t node = 0; node <= top; node++) {
		sum->on_node[node] += pages[node] * scale;
		sum->total += pages[node] * scale;
	}
}

static void add_process(struct placement *sum, const char *pid)
{
	char path[300], *line = NULL;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/numa_maps", pid);
	maps = fopen(path, "re");
	while (maps && getline(&line, &size, maps) > 0)
		/* Memory of its own: files shared with us are not the command's. */
		if (strstr(line, " anon="))
			add_line(sum, line);
	free(line);
	if (maps)
		fclose(maps);
}

/* The command leads a process group; what left it is not counted. */
static void sample(pid_t group, struct placement *most)
{
	struct placement now = {0};
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc)))
		if (atoi(entry->d_name) > 0 && getpgid(atoi(entry->d_name)) == group)
			add_process(&now, entry->d_name);
	if (proc)
		closedir(proc);
	if (now.total > most->total)
		*most = now;
}

static void report_placement(const struct placement *most)
{
	printf("pages_seen %zu\npages_on_node", most->total);
	for (size_t node = 0; node < MAX_NODES; node++)
		if (most->on_node[node])
			printf(" %zu:%zu", node, most->on_node[node]);
	printf("\n");
}

int main(int argc, char **argv)
{
	static struct placement most;
	struct rusage usage;
	bool look = argc > 1 && !strcmp(argv[1], "--placement");
	char **command = argv + 1 + look;
	int status;
	pid_t pid;

	if (argc < 2 + look) {
		fprintf(stderr, "usage: counted [--placement] COMMAND [ARG...]\n");
		return 2;
	}
	marker_start();
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		execvp(command[0], command);
		fprintf(stderr, "counted: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	setpgid(pid, pid);
	while (wait4(pid, &status, look ? WNOHANG : 0, &usage) == 0) {
		sample(pid, &most);
		usleep(100 * 1000);
	}
	marker_stop();
	printf("faults %ld\n", usage.ru_minflt);
	if (look)
		report_placement(&most);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
