/* SPDX-License-Identifier: MIT */
/*
 * Unit tests: one file is one suite and one program, linked with main.c. Check runs each test in a
 * process of its own, so that a crash or an endless loop fails one test and not the run.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>
#include <stddef.h>

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* The suite of a file. */
Suite *unit_suite(void);

/* Adds a test to it. */
void unit_add(Suite *suite, const TTest *test);

/* Adds a test that runs once for each _i of 0 to nr - 1: the rows of a table. */
void unit_add_rows(Suite *suite, const TTest *test, size_t nr);

#endif /* TESTS_UNIT_H */
