// SPDX-License-Identifier: MIT
#include "output.h"

#include "cli.h"

#include "../common/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int output_end(const char *verb, int status)
{
	int err = errno; /* of an earlier write, if one failed: musl writes at each newline */

	if (fflush(stdout) != 0)
		err = errno;
	else if (!ferror(stdout))
		return status;
	say("%s: cannot write the output: %s", verb, strerror(err ? err : EIO));
	return CLI_FAILURE;
}

int output_usage(const char *verb, const char *usage)
{
	fputs(usage, stdout);
	return output_end(verb, CLI_OK);
}
