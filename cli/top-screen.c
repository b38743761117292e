// SPDX-License-Identifier: MIT
#include "top.h"

#include <errno.h>
#include <locale.h>
#include <ncurses.h>
#include <string.h>

enum { PAIR_HEADING = 1, PAIR_COLUMNS, PAIR_HUGE, PAIR_NEVER, PAIR_MESSAGE };

static SCREEN *screen;

void top_screen_close(void)
{
	endwin();
	delscreen(screen);
}

int top_screen_open(void)
{
	setlocale(LC_CTYPE, "");
	/* newterm and not initscr: an unknown terminal is told, and does not end the program. */
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return -ENOTTY;
	if (!tigetstr("cup")) { /* "dumb": it cannot put text anywhere */
		top_screen_close();
		return -ENOTTY;
	}
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	set_escdelay(25);
	if (has_colors()) {
		start_color();
		use_default_colors();
		init_pair(PAIR_HEADING, COLOR_CYAN, -1);
		init_pair(PAIR_COLUMNS, COLOR_BLACK, COLOR_GREEN);
		init_pair(PAIR_HUGE, COLOR_GREEN, -1);
		init_pair(PAIR_NEVER, COLOR_YELLOW, -1);
		init_pair(PAIR_MESSAGE, COLOR_MAGENTA, -1);
	}
	return 0;
}

int top_screen_key(int wait_ms)
{
	int key;

	timeout(wait_ms);
	key = getch();
	return key == ERR ? -1 : key;
}

/* A line of text, cut at the screen's width, the rest of the line blank. */
static void put(int y, attr_t attributes, const char *text)
{
	attr_on(attributes, NULL);
	mvaddnstr(y, 0, text, COLS);
	clrtoeol();
	if (attributes & A_REVERSE)
		mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
	attr_off(attributes, NULL);
}

/* The same on as many lines as it takes, broken between words. Returns the line below. */
static int put_all(int y, attr_t attributes, const char *text)
{
	char line[TOP_TEXT_MAX];

	while (*text && y < LINES - 2) {
		size_t len = strlen(text), width = COLS > 0 ? (size_t)COLS : 1;

		if (len > width) {
			for (len = width; len > 0 && text[len] != ' ';)
				len--;
			if (len == 0)
				len = width;
		}
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		put(y++, attributes, line);
		text += len + strspn(text + len, " ");
	}
	return y;
}

static const char *const help_lines[] = {
	"Keys",
	"  up, down, page up, page down, home, end   select a process",
	"  > <         sort by the next or the last column; * marks it",
	"  H R S P N   sort by huge, resident, share, PID, name",
	"  /           filter by a part of the name, or a PID; empty: all",
	"  t           tree of parents and children",
	"  enter       the selected process in detail",
	"  m           change its mode (thpctl set)",
	"  space       look again now",
	"  ?           this text",
	"  q           quit",
	"",
	"HUGE is memory mapped by huge page entries; ? was not looked into yet, within the budget.",
};

static void draw_help(int y)
{
	for (size_t i = 0; i < sizeof(help_lines) / sizeof(help_lines[0]) && y < LINES - 1; i++)
		put(y++, A_NORMAL, help_lines[i]);
}

static attr_t attributes_of(const struct top_row *row)
{
	if (row->process.mode == THP_MODE_NEVER)
		return (attr_t)COLOR_PAIR(PAIR_NEVER);
	if (row->measured && thp_counts_huge(&row->counts) > 0)
		return (attr_t)COLOR_PAIR(PAIR_HUGE);
	return A_NORMAL;
}

static void draw_lines(struct top_view *view, const struct top_model *model, int y, int end)
{
	size_t selected = top_view_selected(view), room = end > y ? (size_t)(end - y) : 0;
	char text[TOP_TEXT_MAX];

	if (selected < view->first)
		view->first = selected;
	if (room > 0 && selected >= view->first + room)
		view->first = selected - room + 1;
	if (view->nr <= room)
		view->first = 0;
	for (size_t i = view->first; i < view->nr && y < end; i++, y++) {
		const struct top_line *line = &view->lines[i];

		line->row->wanted = true;
		put(y, i == selected ? A_REVERSE : attributes_of(line->row),
		    top_text_line(text, model, line));
	}
}

static void draw_detail(const struct top_view *view, const struct top_model *model, int y)
{
	static struct top_detail detail;
	const struct top_row *row = top_model_find(model, view->selected);

	if (!row) {
		put(y, A_BOLD, "no process is selected");
		return;
	}
	top_detail_read(&detail, model->ctx, &row->process);
	for (unsigned i = 0; i < detail.nr && y < LINES - 1; i++)
		put(y++, i == 0 ? A_BOLD : A_NORMAL, detail.lines[i]);
}

static void draw_foot(const struct top_view *view)
{
	char text[TOP_TEXT_MAX];

	switch (view->prompt) {
	case TOP_PROMPT_FILTER:
		snprintf(text, sizeof(text), "filter: %s_", view->typed);
		break;
	case TOP_PROMPT_MODE:
		snprintf(text, sizeof(text),
			 "mode for PID %d: n never, m madvise, a always, d default, other keys: "
			 "none",
			 view->selected);
		break;
	default:
		if (view->message[0])
			snprintf(text, sizeof(text), "%s", view->message);
		else
			snprintf(text, sizeof(text),
				 "?:help q:quit /:filter%s%s t:tree enter:detail m:mode >:sort",
				 view->filter[0] ? "=" : "", view->filter);
	}
	put(LINES - 1, (attr_t)COLOR_PAIR(PAIR_MESSAGE), text);
}

void top_screen_draw(struct top_view *view, struct top_model *model)
{
	char text[TOP_TEXT_MAX];
	int y = 0, end = LINES - 1;

	erase();
	for (unsigned i = 0; i < TOP_HEADINGS; i++)
		y = put_all(y, (attr_t)COLOR_PAIR(PAIR_HEADING), top_text_heading(text, model, i));
	if (view->help) {
		draw_help(y + 1);
	} else {
		/* The detail takes the lower half. */
		if (view->detail)
			end = y + 1 + (LINES - y - 2) / 2;
		put(y, (attr_t)COLOR_PAIR(PAIR_COLUMNS), top_text_columns(text, view));
		mvchgat(y, 0, -1, A_NORMAL, PAIR_COLUMNS, NULL);
		draw_lines(view, model, y + 1, end);
		if (view->detail)
			draw_detail(view, model, end);
	}
	draw_foot(view);
	refresh();
}
