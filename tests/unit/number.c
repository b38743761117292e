// SPDX-License-Identifier: MIT
#include "unit.h"

#include "../../common/number.h"

#include <errno.h>
#include <limits.h>

START_TEST(pid)
{
	static const struct {
		const char *text;
		pid_t pid; /* 0: refused */
	} rows[] = {
		{"1", 1},
		{"4194304", 4194304},
		{"0012", 12},
		{"2147483647", INT_MAX},
		{"2147483648", 0},
		{"4294967297", 0}, /* 2^32 + 1 is not PID 1 */
		{"99999999999", 0},
		{"18446744073709551617", 0},
		{"0", 0},
		{"000", 0},
		{"", 0},
		{"-1", 0},
		{"+1", 0},
		{" 1", 0},
		{"1 ", 0},
		{"1x", 0},
		{"0x10", 0},
		{"1.0", 0},
		{"abc", 0},
		{"\xff", 0},
	};

	for (size_t i = 0; i < NR(rows); i++) {
		pid_t got = -7;
		int r = number_pid(rows[i].text, &got);

		ck_assert_msg(r == (rows[i].pid ? 0 : -EINVAL), "\"%s\"", rows[i].text);
		ck_assert_int_eq(got, rows[i].pid ? rows[i].pid : -7);
	}
}
END_TEST

START_TEST(bytes)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{0, "0"},
		{1, "1 bytes"},
		{1023, "1023 bytes"},
		{1024, "1 KiB"},
		{1025, "1.0 KiB"},
		{1536, "1.5 KiB"},
		{4096, "4 KiB"},
		{64 << 10, "64 KiB"},
		{(1 << 20) - 1, "1.0 MiB"}, /* never "1024.0 KiB" */
		{1 << 20, "1 MiB"},
		{2 << 20, "2 MiB"},
		{32 << 20, "32 MiB"},
		{(2 << 20) + (512 << 10), "2.5 MiB"},
		{(1ull << 30) + (1ull << 29), "1.5 GiB"},
		{1ull << 40, "1 TiB"},
		{1ull << 50, "1 PiB"},
		{1ull << 60, "1 EiB"},
		{15ull << 60, "15 EiB"},
		{UINT64_MAX - 1, "16.0 EiB"},
		{UINT64_MAX, "unknown"},
	};

	for (size_t i = 0; i < NR(rows); i++) {
		char buf[NUMBER_BYTES_MAX];

		ck_assert_str_eq(number_bytes(buf, rows[i].bytes), rows[i].text);
	}
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("number");

	unit_add(suite, pid);
	unit_add(suite, bytes);
	return suite;
}
