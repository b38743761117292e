/* SPDX-License-Identifier: MIT */
/* Names made by others - of processes, files, arguments - made safe to show. */
#ifndef COMMON_ESCAPE_H
#define COMMON_ESCAPE_H

#include <stddef.h>

/* Room that the escaped form of len bytes needs at most, NUL included. */
#define ESCAPED_MAX(len) (4 * (len) + 1)

/*
 * Writes text into buf for a terminal: printable UTF-8 as it is, a backslash as \\, newline and tab
 * as \n and \t, every other byte as \xHH. So no name can move the cursor, forge a line, or be
 * mistaken for another. Cut at size. Returns buf.
 */
char *escape_text(char *buf, size_t size, const char *text);

/*
 * Length of the UTF-8 sequence at text that is fit to show: 1 to 4, or 0 for a control character
 * or what is no UTF-8 (RFC 3629).
 */
size_t utf8_printable(const char *text);

#endif /* COMMON_ESCAPE_H */
