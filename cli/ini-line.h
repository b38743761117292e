/* SPDX-License-Identifier: MIT */
#ifndef CLI_INI_LINE_H
#define CLI_INI_LINE_H

/*
 * A reader for ini_parse_stream(): fgets(3), but a line that inih would cut in two is turned into
 * one that it refuses, with its number.
 */
char *ini_line(char *line, int size, void *stream);

#endif /* CLI_INI_LINE_H */
