#!/bin/bash
# SPDX-License-Identifier: MIT
# The tracer is killed at random moments, with its helper or without; the process must be right
# each time, and open to the next injection. SOAK=1: 1,000 kills instead of 300.
# shellcheck source=tests/live/tap.sh
. "$(dirname "$0")/tap.sh"

count=300
[ -z "${SOAK:-}" ] || count=1000

stopped_threads()
{
	local task n=0
	for task in "/proc/$1/task"/*; do
		[ "$(field State "$1/task/${task##*/}" | cut -c1)" != t ] || n=$((n + 1))
		[ "$(field TracerPid "$1/task/${task##*/}")" = 0 ] || n=$((n + 1))
	done
	echo $n
}

# A stopped process does not run between the kills: what the first left is there at the second.
for load in storm quiet stopped; do
	start "$live/storm" ${load/stopped/quiet} killed
	until_true says_ready
	threads=-t
	[ $load != stopped ] || threads=
	[ $load != stopped ] || kill -STOP "$pid"
	# shellcheck disable=SC2086 # an option or nothing
	report=$("$live/killer" $count 40000 "$live/inject" $threads "$pid" 100000 never default \
		2>"$work/kill-err")
	report=$(tail -1 <<<"$report")
	like "$report" "^killed=[0-9]+ of $count" "$load: $report"
	# What stands still in the midst of a killed call lets nobody else in.
	is "$(grep -v 'killed in the midst' "$work/kill-err")" "" \
		"$load: no injection failed until it was killed"
	kill -CONT "$pid"
	is "$(stopped_threads "$pid")" 0 "$load: no thread is stopped or traced"
	report=$("$live/inject" -t "$pid" 34 madvise never 2>&1)
	like "$report" "^done=34 failed=0 " "$load: each thread can be used again"
	kill -TERM "$pid"
	wait "$pid"
	is $? 0 "$load: the process ended well: $(tail -1 "$work/out")"
	eintr=$(sed -n 's/.*eintr=//p' "$work/out")
	[ "${eintr:-$count}" -le $((count / 20)) ]
	ok $? "$load: calls that EINTR ended: $eintr"
done

done_testing
