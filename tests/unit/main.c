// SPDX-License-Identifier: MIT
/* Runs the suite that it is linked with, and answers in TAP. */
#include "unit.h"

/* Seconds: far more than any test takes, for a machine under load or a sanitizer. */
#define TIME_LIMIT 60

static TCase *add_case(Suite *suite, const TTest *test)
{
	TCase *tcase = tcase_create(test->name);

	tcase_set_timeout(tcase, TIME_LIMIT);
	suite_add_tcase(suite, tcase);
	return tcase;
}

void unit_add(Suite *suite, const TTest *test)
{
	tcase_add_test(add_case(suite, test), test);
}

void unit_add_rows(Suite *suite, const TTest *test, size_t nr)
{
	tcase_add_loop_test(add_case(suite, test), test, 0, (int)nr);
}

int main(void)
{
	SRunner *runner = srunner_create(unit_suite());
	int failed;

	srunner_set_fork_status(runner, CK_FORK);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
