/* SPDX-License-Identifier: MIT */
/*
 * What the guest sends over its second serial line, all lines of text:
 *
 *   ==== command<TAB>NAME<TAB>RC<TAB>MILLISECONDS      one per command run
 *   ==== file<TAB>MODE<TAB>BYTES<TAB>PATH               then base64 lines
 *   ==== link<TAB>TARGET<TAB>PATH
 *   ==== end<TAB>FAILED                                 the last line; without it the guest died
 *
 * Text, because one transport then serves every machine type, and a person can read what came
 * when a guest died half way.
 */
#ifndef LAB_RESULTS_H
#define LAB_RESULTS_H

#define RESULTS_COMMAND "==== command\t"
#define RESULTS_END     "==== end\t"

/* isa-debug-exit; any two values that QEMU itself does not use. */
#define LAB_EXIT_PORT   0xf4
#define LAB_EXIT_GOOD   0x20
#define LAB_EXIT_FAILED 0x21

/* Opens the line (NULL: the default one) in raw mode; -errno on failure. */
int results_open(const char *device);

/* Sends every regular file and symbolic link below dir, named relative to it. */
void results_send_files(int line, const char *dir);

/* Waits until all is sent. */
void results_close(int line);

#endif
