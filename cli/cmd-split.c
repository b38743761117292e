// SPDX-License-Identifier: MIT
/* thpctl split: undoes the huge pages that a process has. */
#include "change.h"

static const char usage[] =
	"usage: thpctl split [--bloat] [--report] [--json] [--dry-run] PID[:INODE] [RANGE]\n"
	"Split huge pages into small ones, now, and give back those that hold only zeros.\n"
	"To keep the kernel from making them again: thpctl set never --split PID.\n"
	"\n"
	"  RANGE          addresses as in /proc/PID/maps: START-END, or one address\n"
	"  -b, --bloat    read the memory first and tell how much of it is zero\n"
	"  -r, --report   each range of mappings, with what kept blocks huge\n"
	"  -n, --dry-run  only say how many huge pages there are\n"
	"  -q, --quiet    no progress bar\n"
	"  -j, --json     as JSON, see man thpctl-split\n"
	"  -h, --help     show this text\n"
	"\n"
	"Exit status: 0, 1 some huge pages are left or all, 2 wrong usage, 3 the kernel lacks "
	"it.\n";

int main(int argc, char **argv)
{
	static const struct change_verb verb = {
		.name = "split",
		.usage = usage,
		.change = thp_split,
	};

	return change_main(&verb, argc, argv);
}
