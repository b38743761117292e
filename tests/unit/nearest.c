// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../common/nearest.h"

#include <string.h>

static const char *const modes[] = {"never", "madvise", "always", "default"};

static const struct {
	const char *typed, *meant; /* NULL: nothing near */
} rows[] = {
	{"nevr", "never"},
	{"neverr", "never"},
	{"nveer", "never"},
	{"ever", "never"},
	{"Never", "never"},
	{"madvice", "madvise"},
	{"advise", "madvise"},
	{"mdavise", "madvise"},
	{"allways", "always"},
	{"alway", "always"},
	{"awlays", "always"},
	{"defualt", "default"},
	{"defaults", "default"},
	{"never", "never"},
	{"on", NULL},
	{"off", NULL},
	{"", NULL},
	{"xyzzy", NULL},
	{"sleep", NULL},
	{"alwaysdefault", NULL},
	{"\xff\xfe", NULL},
};

START_TEST(meant)
{
	const char *found = nearest(rows[_i].typed, modes, NR(modes));

	if (rows[_i].meant)
		ck_assert_pstr_eq(found, rows[_i].meant);
	else
		ck_assert_ptr_null(found);
}
END_TEST

START_TEST(long_words)
{
	char typed[5000];

	memset(typed, 'n', sizeof(typed) - 1);
	typed[sizeof(typed) - 1] = '\0';
	ck_assert_ptr_null(nearest(typed, modes, NR(modes)));
	for (size_t len = 30; len <= 34; len++) {
		typed[len] = '\0';
		ck_assert_ptr_null(nearest(typed, modes, NR(modes)));
		typed[len] = 'n';
	}
	ck_assert_ptr_null(nearest("never", modes, 0));
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("nearest");

	unit_add_rows(suite, meant, NR(rows));
	unit_add(suite, long_words);
	return suite;
}
