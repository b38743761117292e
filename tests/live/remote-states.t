#!/bin/bash
# SPDX-License-Identifier: MIT
# Calls that a thread is blocked in must neither notice nor end when the mode is set.
# shellcheck source=tests/live/tap.sh
. "$(dirname "$0")/tap.sh"

blocked()
{
	mkfifo "$work/stdin"
	"$live/blocked" "$1" <"$work/stdin" >"$work/out" 2>&1 &
	pid=$!
	targets+=("$pid")
	exec 9>"$work/stdin"
	rm "$work/stdin"
	until_true says_ready
}

# shellcheck disable=SC2317 # called by until_true
ended()
{
	[ "$(wc -l <"$work/out")" -ge 2 ]
}

while read -r name timed; do
	blocked "$name"
	if [ -n "$timed" ]; then
		# Were the limit to begin anew each time, it would never end.
		report=$("$live/inject" "$pid" 100000 never default madvise 2>&1)
	else
		report=$("$live/inject" "$pid" 60 never default madvise 2>&1)
	fi
	exec 9>&-
	until_true ended
	is "$(tail -1 "$work/out")" ok "$name: the call has its own result ($report)"
	like "$report" "done=([6-9][0-9]|[0-9]{3,}) failed=0 " "$name: all injections succeeded"
done < <("$live/blocked" list)

done_testing
