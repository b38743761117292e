// SPDX-License-Identifier: MIT
/* mode PID...: the mode of each process, asked inside it: default, never, madvise. */
#include "thp.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct thp_ctx *ctx;

	if (thp_open(&ctx, NULL) < 0)
		return 1;
	for (int i = 1; i < argc; i++) {
		enum thp_mode mode = THP_MODE_UNKNOWN;
		struct thp_target *target;

		if (thp_target_open(ctx, (pid_t)strtol(argv[i], NULL, 10), 0, &target) == 0) {
			thp_remote_get(ctx, target, &mode);
			thp_target_close(target);
		}
		puts(thp_mode_name(mode));
	}
	thp_close(ctx);
	return 0;
}
