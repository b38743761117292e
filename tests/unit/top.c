// SPDX-License-Identifier: MIT
/* thpctl top: what is shown in which order. */
#include "unit.h"

#include "../../cli/top.h"

#include <stdio.h>
#include <string.h>

#define MIB (1ull << 20)

/* pid 1 -> 10 -> (11, 12), 20 -> 21; by huge memory: 12, 21, 10, 11; 20 is not measured. */
static struct top_row rows[] = {
	{.process = {.pid = 1, .ppid = 0, .comm = "init", .resident = 5 * MIB}, .measured = true},
	{.process = {.pid = 2, .ppid = 0, .comm = "kthreadd"}},
	{.process = {.pid = 10, .ppid = 1, .comm = "shell", .resident = 4 * MIB},
	 .counts = {.resident = 4 * MIB, .huge_anon = 2 * MIB},
	 .measured = true},
	{.process = {.pid = 11, .ppid = 10, .comm = "alpha", .resident = 9 * MIB},
	 .counts = {.resident = 9 * MIB},
	 .measured = true},
	{.process = {.pid = 12, .ppid = 10, .comm = "beta", .resident = 8 * MIB},
	 .counts = {.resident = 8 * MIB, .huge_anon = 4 * MIB, .huge_shmem = 2 * MIB},
	 .measured = true},
	{.process = {.pid = 20, .ppid = 1, .comm = "shell", .resident = 7 * MIB}},
	{.process = {.pid = 21, .ppid = 20, .comm = "gamma", .resident = 4 * MIB},
	 .counts = {.resident = 4 * MIB, .huge_file = 4 * MIB},
	 .measured = true},
};

static struct top_model model = {.rows = rows, .nr = NR(rows)};

static char *order(struct top_view *view)
{
	static char text[256];
	size_t len = 0;

	for (size_t i = 0; i < NR(rows); i++)
		rows[i].process.kind = rows[i].process.pid == 2 ? THP_KIND_KERNEL : THP_KIND_USER;
	ck_assert_int_eq(top_view_arrange(view, &model), 0);
	text[0] = '\0';
	for (size_t i = 0; i < view->nr; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s%d", i ? " " : "",
					(int)view->lines[i].depth, "......",
					view->lines[i].row->process.pid);
	return text;
}

START_TEST(sorts)
{
	static const char *const wanted[TOP_SORTS] = {
		[TOP_BY_HUGE] = "12 21 10 11 1 20",  [TOP_BY_RESIDENT] = "11 12 20 1 10 21",
		[TOP_BY_SHARE] = "21 12 10 11 20 1", [TOP_BY_PID] = "1 10 11 12 20 21",
		[TOP_BY_NAME] = "11 12 21 1 10 20",
	};
	struct top_view view = {0};
	enum top_sort parsed;

	for (enum top_sort sort = 0; sort < TOP_SORTS; sort++) {
		view.sort = sort;
		ck_assert_str_eq(order(&view), wanted[sort]);
		ck_assert_int_eq(top_sort_parse(top_sort_name(sort), &parsed), 0);
		ck_assert_int_eq(parsed, sort);
	}
	ck_assert_int_lt(top_sort_parse("", &parsed), 0);
	top_view_free(&view);
}
END_TEST

START_TEST(tree)
{
	struct top_view view = {.tree = true, .sort = TOP_BY_HUGE};

	ck_assert_str_eq(order(&view), "1 .10 ..12 ..11 .20 ..21");
	/* Whose parent is filtered out is a root. */
	strcpy(view.filter, "a");
	ck_assert_str_eq(order(&view), "12 11 21");
	top_view_free(&view);
}
END_TEST

START_TEST(filters)
{
	struct top_view view = {.sort = TOP_BY_PID};

	strcpy(view.filter, "shell");
	ck_assert_str_eq(order(&view), "10 20");
	strcpy(view.filter, "21");
	ck_assert_str_eq(order(&view), "21");
	strcpy(view.filter, "nobody");
	ck_assert_str_eq(order(&view), "");
	top_view_move(&view, 1);
	ck_assert_uint_eq(top_view_selected(&view), 0);
	top_view_free(&view);
}
END_TEST

START_TEST(selection)
{
	struct top_view view = {.sort = TOP_BY_PID};

	order(&view);
	top_view_move(&view, 2);
	ck_assert_int_eq(view.selected, 11);
	view.sort = TOP_BY_RESIDENT; /* it stays with its process */
	order(&view);
	ck_assert_int_eq(view.selected, 11);
	ck_assert_uint_eq(top_view_selected(&view), 0);
	top_view_move(&view, -5);
	ck_assert_int_eq(view.selected, 11);
	top_view_move(&view, 100);
	ck_assert_int_eq(view.selected, 21);
	top_view_free(&view);
}
END_TEST

START_TEST(text)
{
	struct top_view view = {0};
	char buf[TOP_TEXT_MAX];

	order(&view);
	top_text_line(buf, &model, &view.lines[0]);
	ck_assert_ptr_nonnull(strstr(buf, "6 MiB"));
	ck_assert_ptr_nonnull(strstr(buf, "75%"));
	/* What was not looked into is no zero. */
	top_text_line(buf, &model, &view.lines[5]);
	ck_assert_ptr_nonnull(strstr(buf, " ? "));
	for (unsigned i = 0; i < TOP_HEADINGS; i++)
		ck_assert_uint_gt(strlen(top_text_heading(buf, &model, i)), 10);
	top_view_free(&view);
}
END_TEST

START_TEST(rates)
{
	struct top_model look = {.at = 12, .before_at = 10};

	ck_assert_double_eq(top_model_rate(&look, 110, 100), 5);
	ck_assert_double_lt(top_model_rate(&look, THP_COUNT_UNKNOWN, 100), 0);
	look.before_at = 0;
	ck_assert_double_lt(top_model_rate(&look, 110, 100), 0);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("top");

	unit_add(suite, sorts);
	unit_add(suite, tree);
	unit_add(suite, filters);
	unit_add(suite, selection);
	unit_add(suite, text);
	unit_add(suite, rates);
	return suite;
}
