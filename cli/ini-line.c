// SPDX-License-Identifier: MIT
#include "ini-line.h"

#include <stdio.h>
#include <string.h>

char *ini_line(char *line, int size, void *stream)
{
	char *got = fgets(line, size, stream);

	if (got && !strchr(got, '\n') && !feof((FILE *)stream))
		strcpy(line, "[\n"); /* no INI: inih then names the line */
	return got;
}
