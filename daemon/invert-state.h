/* SPDX-License-Identifier: MIT */
/* What has to be put back, in a file that outlives thpd, but not the machine's next boot. */
#ifndef DAEMON_INVERT_STATE_H
#define DAEMON_INVERT_STATE_H

#include "thp.h"

#include <stdbool.h>

/* A process that had the mode madvise before, and is to keep it. */
struct invert_keep {
	pid_t pid;
	uint64_t id;
};

struct invert_state {
	enum thp_setting found; /* what the system said; unknown: it was not changed */
	struct invert_keep *keep;
	size_t nr;
};

/* 0; -ENOENT: there is nothing to put back; -EBADMSG; others. */
int invert_state_read(const char *path, struct invert_state *ret_state);

/* The file is there as a whole and on the disk when this returns. 0 or -errno. */
int invert_state_write(const char *path, const struct invert_state *state);

void invert_state_free(struct invert_state *state);

#endif /* DAEMON_INVERT_STATE_H */
