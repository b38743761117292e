/* SPDX-License-Identifier: MIT */
/*
 * thpctl top: the model reads the system within a budget, the view is what the user wants to see
 * of it, the screen draws it, input changes the view. Arrows: input, screen -> view -> model.
 */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include "thp.h"

#include <stdbool.h>

/* ---- model --------------------------------------------------------------------------------- */

struct top_row {
	struct thp_process process; /* its resident is always fresh; huge is in counts */
	struct thp_counts counts;   /* valid if measured */
	bool measured;
	bool denied;        /* not permitted to look into it */
	bool wanted;        /* on the screen: measured first */
	bool seen;          /* in the last list of processes */
	double measured_at; /* seconds, monotonic */
	double cost;        /* CPU seconds that it took */
};

struct top_model {
	struct thp_ctx *ctx;
	struct thp_system system;
	struct top_row *rows; /* ascending by PID */
	size_t nr;
	struct thp_activity activity, before;
	double at, before_at; /* when they were read; before_at 0: there is no before */
	double percent;       /* budget: of one processor's time */
	double allowance;     /* CPU seconds that may be spent now; below 0 after a large process */
	size_t next;          /* row to go on with */
	double refresh_cost;  /* CPU seconds of the last refresh */
	double own_share;     /* CPU of this program since the refresh before, in percent */
	double own_cpu;       /* at the last refresh */
	size_t nr_users;      /* rows that have memory */
	size_t nr_fresh;      /* of them, those measured within the last ten seconds */
};

/* The caller keeps ctx. 0 or -errno. */
int top_model_init(struct top_model *model, struct thp_ctx *ctx, double percent);

/* Reads what is new and as much of the rest as the budget allows. 0 or -errno. */
int top_model_refresh(struct top_model *model);

/* The same with every process looked into, whatever the budget. */
int top_model_refresh_all(struct top_model *model);

void top_model_free(struct top_model *model);

struct top_row *top_model_find(const struct top_model *model, pid_t pid);

/* Change of a counter per second between the last two refreshes, below 0 if unknown. */
double top_model_rate(const struct top_model *model, int64_t now, int64_t before);

/* ---- view ---------------------------------------------------------------------------------- */

enum top_sort { TOP_BY_HUGE, TOP_BY_RESIDENT, TOP_BY_SHARE, TOP_BY_PID, TOP_BY_NAME };
#define TOP_SORTS (TOP_BY_NAME + 1)

enum top_prompt { TOP_NO_PROMPT, TOP_PROMPT_FILTER, TOP_PROMPT_MODE };

struct top_line {
	struct top_row *row;
	unsigned depth;
};

struct top_view {
	enum top_sort sort;
	bool tree, detail, help;
	char filter[64]; /* in the name, or the PID; "" all */
	enum top_prompt prompt;
	char typed[64];
	char message[256]; /* what the last action said */
	pid_t selected;
	size_t first; /* line at the top of the screen */
	struct top_line *lines;
	size_t nr;
};

/* The name of a column to sort by, and back. -EINVAL: none such. */
const char *top_sort_name(enum top_sort sort);
int top_sort_parse(const char *name, enum top_sort *ret_sort);

/* Filters, sorts, arranges as a tree. 0 or -ENOMEM. Lines are valid until the next refresh. */
int top_view_arrange(struct top_view *view, const struct top_model *model);

/* The line of the selected process, or 0. */
size_t top_view_selected(const struct top_view *view);

/* Moves the selection by so many lines; it stays within. */
void top_view_move(struct top_view *view, long lines);

void top_view_free(struct top_view *view);

/* Huge memory in percent of resident memory, below 0 if unknown. */
double top_row_share(const struct top_row *row);

/* ---- text: one line of the heading or of a process, for screen and batch -------------------- */

#define TOP_TEXT_MAX 512

/* Heading lines, 0 to TOP_HEADINGS - 1. Each returns buf. */
#define TOP_HEADINGS 4
char *top_text_heading(char buf[TOP_TEXT_MAX], const struct top_model *model, unsigned line);
char *top_text_columns(char buf[TOP_TEXT_MAX], const struct top_view *view);
char *top_text_line(char buf[TOP_TEXT_MAX], const struct top_model *model,
		    const struct top_line *line);

/* ---- screen and input ---------------------------------------------------------------------- */

/* 0 or -errno: no terminal that can show it. */
int top_screen_open(void);
void top_screen_close(void);
void top_screen_draw(struct top_view *view, struct top_model *model);

/* Waits so many milliseconds for a key: ncurses' code, or -1. */
int top_screen_key(int wait_ms);

/* What a key asked for. */
enum top_action { TOP_STAY, TOP_REDRAW, TOP_REFRESH, TOP_QUIT };
enum top_action top_input(struct top_view *view, const struct top_model *model, int key);

/* ---- detail -------------------------------------------------------------------------------- */

#define TOP_DETAIL_LINES 24
struct top_detail {
	char lines[TOP_DETAIL_LINES][TOP_TEXT_MAX];
	unsigned nr;
};

/* The mappings of a process with the most memory, in pictures, and why not more is huge. */
void top_detail_read(struct top_detail *detail, struct thp_ctx *ctx,
		     const struct thp_process *process);

/* ---- changing a process -------------------------------------------------------------------- */

/* Runs "thpctl set MODE PID" and keeps the last line that it said. */
void top_set_mode(char message[256], const char *mode, pid_t pid);

#endif /* CLI_TOP_H */
