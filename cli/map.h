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
	unsigned use; /* THP_USE_* in force */
	struct thp_process process;
	uint64_t block;     /* bytes of a whole huge page */
	uint64_t page_size; /* of a single one */
	struct thp_counts total;
	struct thp_why why;
	uint64_t nr_mappings;
	struct picture picture; /* for the terminal */
};

void map_text_begin(const struct map *map);
void map_text_mapping(const struct map *map, const struct thp_mapping *mapping);
void map_text_end(const struct map *map);

/* The schema is in thpctl-map(1). -ENOMEM; what a failed write left undone shows at the end. */
int map_json_begin(const struct map *map);
int map_json_mapping(const struct map *map, const struct thp_mapping *mapping);
int map_json_end(const struct map *map);

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
int map_group(struct thp_ctx *ctx, const struct map_request *request);

#endif /* CLI_MAP_H */
