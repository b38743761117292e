// SPDX-License-Identifier: MIT
#include "merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *merge_value(const struct merge_style *style, const char *list, const char *name,
			char ret_value[MERGE_VALUE_MAX])
{
	const char between[] = {style->between, '\0'};
	size_t name_len = strlen(name);
	const char *found = NULL;

	while (list) {
		size_t len = strcspn(list, between);

		if (len > name_len && strncmp(list, name, name_len) == 0 &&
		    list[name_len] == style->equals) {
			snprintf(ret_value, MERGE_VALUE_MAX, "%.*s", (int)(len - name_len - 1),
				 list + name_len + 1);
			found = ret_value;
		}
		list = list[len] ? list + len + 1 : NULL;
	}
	return found;
}

char *merge_add(const struct merge_style *style, const char *list, const struct merge_pair *pairs,
		size_t nr)
{
	size_t room = list ? strlen(list) + 1 : 1, len = room - 1;
	char *merged;

	for (size_t i = 0; i < nr; i++)
		room += strlen(pairs[i].name) + strlen(pairs[i].value) + 2;
	merged = malloc(room);
	if (!merged)
		return NULL;
	memcpy(merged, list ? list : "", len + 1);
	for (size_t i = 0; i < nr; i++) {
		char value[MERGE_VALUE_MAX];

		if (list && merge_value(style, list, pairs[i].name, value))
			continue;
		if (len > 0 && merged[len - 1] != style->between)
			merged[len++] = style->between;
		len += (size_t)snprintf(merged + len, room - len, "%s%c%s", pairs[i].name,
					style->equals, pairs[i].value);
	}
	return merged;
}
