/* SPDX-License-Identifier: MIT */
/* The pieces of OpenMetrics 1.0 text. */
#ifndef COMMON_OPENMETRICS_H
#define COMMON_OPENMETRICS_H

#include <stdio.h>

/* The head of a metric family; the unit is taken from its name ("_bytes", "_seconds"). */
void openmetrics_family(FILE *file, const char *name, const char *type, const char *help);

/* A label's value, without the quotes around it: names made by others are escaped. */
void openmetrics_label(FILE *file, const char *text);

/* The end of it all. */
void openmetrics_end(FILE *file);

#endif /* COMMON_OPENMETRICS_H */
