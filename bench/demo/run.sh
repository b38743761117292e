#!/bin/sh
# SPDX-License-Identifier: MIT
# make run: one unmodified program in every mode. BUILD is where thpctl was built.
set -eu

thpctl=$BUILD/thpctl
program=$BUILD/bench/halves

"$thpctl" show | sed '/^Settings/,$d'
echo "The same static program in every mode: 128 MiB it advises, 128 MiB it does not."
echo
printf '%-9s %-10s %8s %9s %9s   %s\n' "mode" "read back" "huge MiB" "faults" "seconds" "result"
for mode in default never madvise always; do
	status=0
	line=$("$thpctl" run "$mode" -- "$program" 2>"$BUILD/run.err") || status=$?
	if [ "$status" = 3 ]; then
		line="not started: $(sed 's/^thpctl: cannot start [^ ]* with [a-z]*: //' "$BUILD/run.err")"
	elif [ "$status" != 0 ]; then
		cat "$BUILD/run.err" >&2
		exit "$status"
	fi
	printf '%-9s %s\n' "$mode" "$line"
done
