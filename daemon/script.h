/* SPDX-License-Identifier: MIT */
/*
 * Scripts. Of a process that runs one the kernel shows its interpreter; the script is an argument.
 * Not every argument is one: it must be a file that names this interpreter on its first line, or is
 * of a format that binfmt_misc has it for.
 */
#ifndef DAEMON_SCRIPT_H
#define DAEMON_SCRIPT_H

#include "subject.h"

/* Fills in subject->script; exe and argv must be known. 0, -errno: it cannot be told. */
int script_read(struct subject *subject);

/*
 * Who runs a file when it is executed: its interpreter, "" the file itself. For what is only
 * thought of. -errno: it cannot be read.
 */
int script_interpreter(const char *path, char interpreter[PATH_MAX]);

#endif /* DAEMON_SCRIPT_H */
