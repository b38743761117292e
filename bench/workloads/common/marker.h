/* SPDX-License-Identifier: MIT */
/*
 * How a program tells the counter of an emulated machine (lab/plugin) what to count: two no-ops
 * that no compiler emits, recognised by their displacement. On a real machine they do nothing.
 */
#ifndef WL_MARKER_H
#define WL_MARKER_H

#include <stdint.h>

/* 0f 1f 84 00 disp32: nopl disp32(%rax,%rax,1) */
#define MARKER_LENGTH 8
#define MARKER_START  0x7a1c0b01U
#define MARKER_STOP   0x7a1c0b02U

#if defined(__x86_64__)
#define MARKER_(disp) __asm__ volatile("nopl " #disp "(%%rax,%%rax,1)" ::: "memory")
static inline void marker_start(void)
{
	MARKER_(0x7a1c0b01);
}
static inline void marker_stop(void)
{
	MARKER_(0x7a1c0b02);
}
#else
/* Only the x86-64 guests are counted. */
static inline void marker_start(void)
{
}
static inline void marker_stop(void)
{
}
#endif

#endif
