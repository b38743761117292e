// SPDX-License-Identifier: MIT
#include "target-arg.h"

#include "cli.h"

#include "../common/escape.h"
#include "../common/number.h"
#include "../common/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse_id(const char *text, uint64_t *ret_id)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*ret_id = strtoull(text, &end, 10);
	return errno || *end || *ret_id == 0 ? -EINVAL : 0;
}

int target_arg_parse(const char *verb, const char *text, struct target_arg *ret_arg)
{
	struct target_arg arg = {0};
	char shown[CLI_SHOWN_MAX];
	char number[16] = "";
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : strlen(text);

	if (len < sizeof(number))
		memcpy(number, text, len);
	if (number_pid(number, &arg.pid) < 0 || (colon && parse_id(colon + 1, &arg.id) < 0)) {
		say("%s: '%s' is not a process: PID, or PID:INODE as 'thpctl set --json' tells it",
		    verb, escape_text(shown, sizeof(shown), text));
		return -EINVAL;
	}
	*ret_arg = arg;
	return 0;
}
