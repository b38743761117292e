// SPDX-License-Identifier: MIT
#include "json.h"

#include "escape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *copy = malloc(3 * strlen(text) + 1), *out = copy;
	json_t *value;

	if (!copy)
		return NULL;
	while (*text) {
		/* JSON has its own escapes for control characters: they stay what they are. */
		size_t len = (unsigned char)*text < 0x80 ? 1 : utf8_printable(text);

		if (len) {
			memcpy(out, text, len);
			out += len;
			text += len;
		} else {
			memcpy(out, replacement, 3);
			out += 3;
			text++;
		}
	}
	*out = '\0';
	value = json_string(copy);
	free(copy);
	return value;
}

json_t *json_bytes(uint64_t bytes)
{
	return bytes > INT64_MAX ? json_null() : json_integer((json_int_t)bytes);
}

int json_print(json_t *value)
{
	if (!value)
		return -ENOMEM;
	/* A failed write is found by whoever ends the output. */
	json_dumpf(value, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(value);
	return 0;
}
