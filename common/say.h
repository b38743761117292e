/* SPDX-License-Identifier: MIT */
/* The one way in which thpctl speaks to a person: whole lines on standard error. */
#ifndef COMMON_SAY_H
#define COMMON_SAY_H

/* Writes "thpctl: ", the text and a newline in one write(2), so that lines never mix. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* COMMON_SAY_H */
