// SPDX-License-Identifier: MIT
/* Keys. */
#include "top.h"

#include <ctype.h>
#include <ncurses.h>
#include <string.h>

static enum top_action type_filter(struct top_view *view, int key)
{
	size_t len = strlen(view->typed);

	switch (key) {
	case '\n':
	case KEY_ENTER:
		strcpy(view->filter, view->typed);
		view->prompt = TOP_NO_PROMPT;
		return TOP_REDRAW;
	case 27: /* escape */
		view->prompt = TOP_NO_PROMPT;
		return TOP_REDRAW;
	case KEY_BACKSPACE:
	case '\b':
	case 127:
		if (len > 0)
			view->typed[len - 1] = '\0';
		return TOP_REDRAW;
	default:
		if (key >= ' ' && key < 256 && len + 1 < sizeof(view->typed)) {
			view->typed[len] = (char)key;
			view->typed[len + 1] = '\0';
		}
		return TOP_REDRAW;
	}
}

static enum top_action choose_mode(struct top_view *view, int key)
{
	for (enum thp_mode mode = THP_MODE_DEFAULT; mode <= THP_MODE_ALWAYS; mode++) {
		if (key == thp_mode_name(mode)[0])
			top_set_mode(view->message, thp_mode_name(mode), view->selected);
	}
	view->prompt = TOP_NO_PROMPT;
	return TOP_REFRESH;
}

static enum top_action sort_by(struct top_view *view, int sort)
{
	view->sort = (enum top_sort)((sort + TOP_SORTS) % TOP_SORTS);
	return TOP_REDRAW;
}

static enum top_action step(struct top_view *view, long lines)
{
	top_view_move(view, lines);
	return TOP_REDRAW;
}

/* Puts another process under the cursor if the selected one has gone. */
static void keep_selection(struct top_view *view)
{
	top_view_move(view, 0);
}

enum top_action top_input(struct top_view *view, const struct top_model *model, int key)
{
	const long page = LINES > TOP_HEADINGS + 4 ? LINES - TOP_HEADINGS - 4 : 1;

	if (view->prompt == TOP_PROMPT_FILTER)
		return type_filter(view, key);
	if (view->prompt == TOP_PROMPT_MODE)
		return choose_mode(view, key);
	view->message[0] = '\0';
	switch (key) {
	case 'q':
		return TOP_QUIT;
	case KEY_UP:
	case 'k':
		return step(view, -1);
	case KEY_DOWN:
	case 'j':
		return step(view, 1);
	case KEY_PPAGE:
		return step(view, -page);
	case KEY_NPAGE:
		return step(view, page);
	case KEY_HOME:
		return step(view, -(long)model->nr);
	case KEY_END:
		return step(view, (long)model->nr);
	case '>':
		return sort_by(view, (int)view->sort + 1);
	case '<':
		return sort_by(view, (int)view->sort - 1);
	case 'H':
		return sort_by(view, TOP_BY_HUGE);
	case 'R':
		return sort_by(view, TOP_BY_RESIDENT);
	case 'S':
		return sort_by(view, TOP_BY_SHARE);
	case 'P':
		return sort_by(view, TOP_BY_PID);
	case 'N':
		return sort_by(view, TOP_BY_NAME);
	case '/':
		view->prompt = TOP_PROMPT_FILTER;
		view->typed[0] = '\0';
		return TOP_REDRAW;
	case 't':
		view->tree = !view->tree;
		return TOP_REDRAW;
	case '\n':
	case KEY_ENTER:
		keep_selection(view);
		view->detail = !view->detail;
		return TOP_REDRAW;
	case 'm':
		keep_selection(view);
		if (view->nr > 0)
			view->prompt = TOP_PROMPT_MODE;
		return TOP_REDRAW;
	case '?':
	case 'h':
		view->help = !view->help;
		return TOP_REDRAW;
	case 27: /* escape */
		view->help = view->detail = false;
		return TOP_REDRAW;
	case ' ':
		return TOP_REFRESH;
	case KEY_RESIZE:
		return TOP_REDRAW;
	default:
		return TOP_STAY;
	}
}
