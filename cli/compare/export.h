/* SPDX-License-Identifier: MIT */
/* The results as files. */
#ifndef CLI_COMPARE_EXPORT_H
#define CLI_COMPARE_EXPORT_H

#include "report.h"

#include <stdio.h>

/* Each writes one format to an open file and returns 0 or -errno, having said why. */
int export_json(const struct report *report, FILE *out);
int export_csv(const struct report *report, FILE *out);
int export_md(const struct report *report, FILE *out);
int export_html(const struct report *report, FILE *out);

int export_svg(const struct report *report, FILE *out);

/* Pictures are drawn by gnuplot; terminal is its name of a format. */
int export_plot(const struct report *report, const char *terminal, FILE *out);

/* The picture as the text of an SVG file, the JSON as text; the caller frees them. 0 or -errno. */
int export_drawing(const struct report *report, char **ret_svg);
int export_json_text(const struct report *report, char **ret_text);

/* Writes all exports that were asked for. 0, or the first failure, having said why. */
int export_all(const struct report *report);

/* Whether one of them takes standard output, where the page for a terminal then has no place. */
bool export_takes_stdout(const struct settings *settings);

#endif /* CLI_COMPARE_EXPORT_H */
