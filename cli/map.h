/* SPDX-License-Identifier: MIT */
/* thpctl map: what was asked for, and its forms of answer, each written mapping by mapping. */
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "picture.h"

#include "thp.h"

#include <stdbool.h>
#include <stdio.h>

struct map_request {
	bool json, colour;
	unsigned use; /* THP_USE_*, as asked for */
	pid_t pid, tree;
	const char *cgroup, *svg, *sysroot;
	uint64_t start, end; /* end 0: everything */
};

/* What every answer is made from. */
struct map {
	struct thp_ctx *ctx;
	const struct map_request *request;
	struct thp_usage_info info;
	struct thp_counts total;
	struct thp_why why;
	uint64_t nr_mappings;
	struct picture picture; /* for the terminal */
};

/* Sums over processes. */
struct map_group {
	unsigned nr;
	unsigned nr_unknown; /* of them, those whose sizes are hidden */
	uint64_t resident, proportional, huge;
};

/*
 * Text is the front's, which starts fast and so disturbs less; JSON needs a library, and is a
 * program of its own. Each function returns 0 or -ENOMEM; failed writes show at the end of the
 * output.
 */
struct map_form {
	bool json;
	int (*begin)(const struct map *map);
	int (*mapping)(const struct map *map, const struct thp_mapping *mapping);
	int (*end)(const struct map *map);
	int (*group_begin)(void);
	int (*group_member)(const struct map_group *group, const struct thp_process *process);
	int (*group_end)(const struct map_group *group);
};
extern const struct map_form map_text, map_json;

/* The whole verb; JSON that is not this program's is handed on. Returns an exit status. */
int map_main(int argc, char **argv, const struct map_form *form);

/* A picture in a file, whose size is known only at the end. */
struct map_svg {
	FILE *body;
	unsigned rows;
	uint64_t nr_small; /* mappings too small for a row, and their memory */
	uint64_t small_bytes;
	uint64_t nr_empty; /* with nothing in memory */
	struct picture picture;
};

/* 0 or -errno. */
int map_svg_begin(struct map_svg *svg);
void map_svg_range(struct map_svg *svg, const struct map *map, const struct thp_mapping *mapping,
		   uint64_t start, uint64_t end, enum thp_range_kind kind);
void map_svg_mapping(struct map_svg *svg, const struct map *map, const struct thp_mapping *mapping);
int map_svg_end(struct map_svg *svg, const struct map *map, const char *path);

/* Totals of a process tree or a control group. Returns an exit status. */
int map_group(struct thp_ctx *ctx, const struct map_request *request, const struct map_form *form);

#endif /* CLI_MAP_H */
