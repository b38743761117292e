#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What thpctl show costs others: reading smaps_rollup walks a process's page tables under its lock,
# so that is done at most once per process, not at all with --no-size; and full smaps never.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

strace -o /dev/null true 2>/dev/null || skip_all "no strace, or it may not trace here"
# A sanitizer's leak check cannot run under strace.
export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
start "$BIN/being" name target

# trace ARG...: thpctl show ARG... with its opens in $T/trace.
trace() {
	strace -f -qq -o "$T/trace" -e trace=open,openat,openat2 "$THPCTL" show "$@" >"$T/out" || echo "status $?"
}

# opens NAME: how often files of that name were opened.
opens() {
	grep -c "/$1\"" "$T/trace"
}

# The most that one process's file of that name was opened.
most_opens() {
	grep -o "\"[^\"]*/$1\"" "$T/trace" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }'
}

for words in --all "--all --json" "--tree 1" "$PID" "--json $PID $$"; do
	# shellcheck disable=SC2086 # words
	trace $words
	ok "show $words: reads smaps_rollup" test "$(opens smaps_rollup)" -gt 0
	is "show $words: of each process once" "$(most_opens smaps_rollup)" 1
	is "show $words: never full smaps" "$(opens smaps)" 0
	is "show $words: no numa_maps, no pagemap of others" \
		"$(grep -E '/(numa_maps|pagemap|maps)"' "$T/trace" | grep -v '"/proc/self/')" ""
	# shellcheck disable=SC2086 # words
	trace --no-size $words
	is "show --no-size $words: no smaps_rollup" "$(opens smaps_rollup)" 0
	is "show --no-size $words: no smaps" "$(opens smaps)" 0
	ok "show --no-size $words: has an answer" grep -q "$PID" "$T/out"
done
trace
is "show alone: no process's memory is read" "$(opens smaps_rollup)" 0

done_testing
