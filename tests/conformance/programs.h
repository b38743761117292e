/* SPDX-License-Identifier: MIT */
/* The two forms of this suite, for the experiments with exec, and the place for its files. */
#ifndef CONFORMANCE_PROGRAMS_H
#define CONFORMANCE_PROGRAMS_H

/*
 * Fill the dynamic and the static program: this one by what it is, the other one, its neighbour
 * "conformance" or "conformance-static", if it is there and is what its name says. NULL otherwise.
 */
void programs_find(const char **ret_dynamic, const char **ret_static);

/*
 * A directory for the private file that is not on tmpfs, whose files are shmem: `wanted`, or else
 * the usual ones. Returns NULL if there is none.
 */
const char *programs_file_dir(const char *wanted);

#endif
