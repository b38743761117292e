/* SPDX-License-Identifier: MIT */
/*
 * Nobody is left with our settings. Whoever writes below /sys/kernel/mm/transparent_hugepage holds
 * an exclusive lock meanwhile, and the old values come back on every way out:
 *  - normally: guard_end();
 *  - a signal that ends the program, also its own crash: a handler, which then dies of the signal;
 *  - SIGKILL: a watchdog child sees the end of a pipe and restores; it shares the lock until then.
 * The experiments themselves run in children, so that their crash is a result and not a way out.
 */
#ifndef CONFORMANCE_GUARD_H
#define CONFORMANCE_GUARD_H

#include <stdbool.h>

#define GUARD_LOCK_PATH "/run/lock/thp-sysfs.lock"

/*
 * Take the lock (exclusive if `write`, else shared: readers depend on the value too), save the
 * settings and start the watchdog. A lock file that cannot be made, as in a bare guest, is only
 * mentioned. Returns 0 or -errno.
 */
int guard_begin(const char *lock_path, bool write);

/* Restore and let the watchdog go. Returns how many settings could not be restored. */
int guard_end(void);

/*
 * In a child, right after fork: give up lock, pipe and handlers, and die with the parent, so that
 * no child keeps the watchdog waiting.
 */
void guard_child(void);

#endif
