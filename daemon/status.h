/* SPDX-License-Identifier: MIT */
/* What thpd tells of itself. */
#ifndef DAEMON_STATUS_H
#define DAEMON_STATUS_H

#include "thpd.h"

/*
 * Answers "status" (JSON), "metrics" (OpenMetrics) and "processes" (JSON; root sees all, others
 * their own). What a user may not ask is answered with an error.
 */
void status_answer(const struct thpd *thpd, const char *request, uid_t uid, FILE *file);

/* Writes OpenMetrics text into a file, which is there as a whole at any time. */
void status_write_metrics(const struct thpd *thpd, const char *path);

#endif /* DAEMON_STATUS_H */
