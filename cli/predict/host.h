/* SPDX-License-Identifier: MIT */
/* A machine as the model knows it: what things cost there, each within a range. */
#ifndef CLI_PREDICT_HOST_H
#define CLI_PREDICT_HOST_H

#include <stdbool.h>
#include <stddef.h>

#define HOPS_MAX  8
#define NODES_MAX 1024

struct range {
	double low, high;
};

/* What is uncertain, in the order in which it is told. */
enum parameter {
	ACCESS,      /* ns of a thread for an access that needs no memory */
	OVERLAP,     /* lines that a thread waits for at the same time */
	WALK_SMALL,  /* ns, a TLB miss in pages of 4 KiB */
	WALK_HUGE,   /* ns, in pages of 2 MiB */
	FAULT_SMALL, /* ns, a page fault that brings 4 KiB */
	FAULT_HUGE,  /* ns, one that brings 2 MiB */
	NODE,        /* GB/s of one node's memory */
	LINK,        /* GB/s into one node from others */
	HOP,         /* ns for a line: this one and the next are of the machine's distances */
	PARAMETERS_MAX = HOP + HOPS_MAX,
};

/* A program of the machine's users with its ratio off/on, and the open one of its kind. */
struct measured {
	char *row, *stand_in;
	double ratio;
};

struct host {
	char *name;
	unsigned nodes, threads_per_node;
	/* Nodes of one aligned group of so many are at distance i; the first group is 1. */
	unsigned groups[HOPS_MAX];
	size_t nr_hops;
	unsigned tlb_4k, tlb_2m; /* entries; 0: not told */
	struct range parameters[PARAMETERS_MAX];
	char *sources[PARAMETERS_MAX]; /* NULL: not told */
	char *measured_title;
	struct measured *measured;
	size_t nr_measured;
};

/* Reads a description. 0, or -errno after a message. */
int host_read(const char *path, struct host *ret_host);

void host_free(struct host *host);

/* "access", "hop 16": as messages, text and JSON name it. buf holds 16 bytes. Returns buf. */
char *host_parameter(const struct host *host, size_t parameter, char buf[16]);

const char *host_unit(size_t parameter);

/* Nodes at each distance from one of them, on average. */
void host_neighbours(const struct host *host, double ret_nodes[HOPS_MAX]);

#endif /* CLI_PREDICT_HOST_H */
