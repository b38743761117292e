// SPDX-License-Identifier: MIT
/* thpctl map --json: the front hands over to it. */
#include "map.h"

int main(int argc, char **argv)
{
	return map_main(argc, argv, &map_json);
}
