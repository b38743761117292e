/* SPDX-License-Identifier: MIT */
#ifndef THP_SYS_APART_H
#define THP_SYS_APART_H

/*
 * Runs fn in a task of its own that shares this process's memory, and waits for its end. Being a
 * process of its own it can trace without the caller's SIGCHLD handlers, waits and other threads
 * getting to know, and its end detaches it from whatever it could not detach from by itself. It
 * outlives the caller: only a SIGKILL to itself stops it half-way. All signals are blocked in it,
 * SIGCHLD has its default action. The same care as after vfork(2) is due in fn: no memory
 * allocation, no stdio, no change of the process's own state.
 * -ECANCELED: it was killed.
 */
int sys_run_apart(void (*fn)(void *), void *arg);

#endif /* THP_SYS_APART_H */
