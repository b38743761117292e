/* SPDX-License-Identifier: MIT */
/*
 * Tells the service manager of states: sd_notify(3)'s protocol, a datagram to $NOTIFY_SOCKET. It is
 * so small that its library, which brings five others with it, is not worth it.
 */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdint.h>

/* Sends "READY=1" or others; without a service manager nothing is sent. */
void notify(const char *state);

/* How often the service manager wants to hear "WATCHDOG=1", nanoseconds; 0: it does not. */
uint64_t notify_watchdog(void);

#endif /* DAEMON_NOTIFY_H */
