// SPDX-License-Identifier: MIT
#include "escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Marks that reorder what stands around them (UAX #9) could make a name read as another. */
static bool is_bidi_control(uint32_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

size_t utf8_printable(const char *text)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)text;
	uint32_t c = p[0];
	size_t len;

	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	if (c >= 0xc2 && c <= 0xdf)
		len = 2;
	else if (c >= 0xe0 && c <= 0xef)
		len = 3;
	else if (c >= 0xf0 && c <= 0xf4)
		len = 4;
	else
		return 0;
	c &= 0x7fu >> len;
	for (size_t i = 1; i < len; i++) {
		if (!is_tail(p[i]))
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	if (c < 0xa0 || is_bidi_control(c) || c == 0x2028 || c == 0x2029)
		return 0; /* C1 controls and line separators move the cursor too */
	return len;
}

char *escape_text(char *buf, size_t size, const char *text)
{
	size_t len = 0;

	while (*text) {
		char piece[5];
		size_t taken = utf8_printable(text), n;

		if (*text == '\\' || *text == '\n' || *text == '\t') {
			char letter = *text;

			if (letter != '\\')
				letter = letter == '\n' ? 'n' : 't';
			n = (size_t)snprintf(piece, sizeof(piece), "\\%c", letter);
			taken = 1;
		} else if (taken) {
			memcpy(piece, text, taken);
			n = taken;
		} else {
			n = (size_t)snprintf(piece, sizeof(piece), "\\x%02x", (unsigned char)*text);
			taken = 1;
		}
		if (len + n >= size)
			break;
		memcpy(buf + len, piece, n);
		len += n;
		text += taken;
	}
	buf[len] = '\0';
	return buf;
}
