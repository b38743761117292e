#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Processes come and go while thpctl show reads them: 300 forks a second, 100 answers.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

# many NAME ARG...: 100 answers without one failure or word of error.
many() {
	local name=$1 failures=0 i

	shift
	: >"$T/all-errors"
	for ((i = 0; i < 100; i++)); do
		"$THPCTL" show "$@" >"$T/out" 2>>"$T/all-errors" || failures=$((failures + 1))
	done
	is "$name: none failed" "$failures" 0
	is "$name: not a word of error" "$(head -n 5 "$T/all-errors")" ""
	ok "$name: the last one has an answer" grep -q "$churn" "$T/out"
}

start "$BIN/churn" 300
churn=$PID
many "--all" --all
many "--tree" --tree "$churn"
many "--all --json --no-size" --all --json --no-size
ok "processes did come and go" test "$(tail -n 1 "$T/started.0")" -ge 100

done_testing
