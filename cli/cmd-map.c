// SPDX-License-Identifier: MIT
/* thpctl map: which memory of a process is huge, where, and why not more. */
#include "map.h"

int main(int argc, char **argv)
{
	return map_main(argc, argv, &map_text, "map-json");
}
