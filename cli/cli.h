/* SPDX-License-Identifier: MIT */
/* What all verbs of thpctl share. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* Exit statuses, see thpctl(1). */
enum {
	CLI_OK = 0,
	CLI_FAILURE = 1,
	CLI_USAGE = 2,
	CLI_UNSUPPORTED = 3, /* the kernel lacks it */
	CLI_RUN_FAILED = 125,
	CLI_CANNOT_EXECUTE = 126,
	CLI_NOT_FOUND = 127,
};

/* Name, operands or wrong option of a user are shown in at most so many bytes. */
#define CLI_SHOWN_MAX 256

#endif /* CLI_CLI_H */
