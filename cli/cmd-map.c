// SPDX-License-Identifier: MIT
/* thpctl map: which memory of a process is huge, where, and why not more. Part of the front. */
#include "front.h"
#include "map.h"

int cmd_map(int argc, char **argv)
{
	return map_main(argc, argv, &map_text);
}
