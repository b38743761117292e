// SPDX-License-Identifier: MIT
/* thpctl collapse: makes huge pages of the memory that a process has. */
#include "change.h"

static const char usage[] =
	"usage: thpctl collapse [--max-rate BYTES] [--report] [--json] [--dry-run] PID[:INODE] "
	"[RANGE]\n"
	"Make huge pages of memory that is in small ones, now, whatever the system's setting.\n"
	"\n"
	"  RANGE                 addresses as in /proc/PID/maps: START-END, or one address\n"
	"  -m, --max-rate BYTES  no more than so many bytes a second, such as 512M\n"
	"  -r, --report          each range of mappings, with what kept blocks small\n"
	"  -n, --dry-run         only say how many blocks there are\n"
	"  -q, --quiet           no progress bar\n"
	"  -j, --json            as JSON, see man thpctl-collapse\n"
	"  -h, --help            show this text\n"
	"\n"
	"Exit status: 0, 1 some blocks failed or all, 2 wrong usage, 3 the kernel lacks it.\n";

int main(int argc, char **argv)
{
	static const struct change_verb verb = {
		.name = "collapse",
		.usage = usage,
		.collapse = true,
		.change = thp_collapse,
	};

	return change_main(&verb, argc, argv);
}
