/* SPDX-License-Identifier: MIT */
/*
 * Being PID 1 of a guest whose initial file system holds nothing but this program: mount what the
 * experiments need, run them as an ordinary child, print on the console, switch the machine off.
 */
#ifndef CONFORMANCE_INIT_H
#define CONFORMANCE_INIT_H

/* A file system for the private file that is neither tmpfs nor in need of a disk. */
#define INIT_FILE_DIR "/conformance-files"

/*
 * Run `program` and end the machine with its result: on x86-64 by writing it to QEMU's
 * isa-debug-exit at 0xf4, so that QEMU's status is result * 2 + 1 (1: all match; 0: the guest died
 * before it could say); elsewhere by plain power-off, and the console's last line has the result.
 */
_Noreturn void init_main(int (*program)(int argc, char **argv), int argc, char **argv);

#endif
