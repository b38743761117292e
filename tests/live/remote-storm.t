#!/bin/bash
# SPDX-License-Identifier: MIT
# Injections by every thread of a busy process under a storm of real-time signals; the process
# tells if a signal was lost, doubled or reordered, a per-CPU count lost, a sum wrong, or a call
# ended by EINTR. SOAK=1: ten times as many.
# shellcheck source=tests/live/tap.sh
. "$(dirname "$0")/tap.sh"

count=10000
[ -z "${SOAK:-}" ] || count=100000

start "$live/storm"
until_true says_ready
report=$("$live/inject" -t "$pid" $count never default madvise 2>&1)
like "$report" "^done=$count failed=0 " "$count injections ($report)"
kill -TERM "$pid"
wait "$pid"
is $? 0 "the process ended well"
like "$(tail -1 "$work/out")" '^ok signals=[0-9]{4,} counts=[0-9]{4,}' \
	"nothing was lost: $(tail -1 "$work/out")"

done_testing
