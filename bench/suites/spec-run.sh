#!/bin/sh
# SPDX-License-Identifier: MIT
# spec-run.sh ARG... - one benchmark of an installed SPEC tree: runspec ARG..., then the lines of its
# log that tell the outcome:
#
#     Success 363.swim base ref ratio=12.3, runtime=345.678901, ...
#
# So compare takes the program's own time, without runspec's set-up and check of results. Fails if
# runspec does, or if there is no success: a wrong result is no measurement.
set -eu

out=$(runspec "$@" 2>&1) || {
	printf '%s\n' "$out" >&2
	exit 1
}
log=$(printf '%s\n' "$out" | sed -n 's/^The log for this run is in //p')
grep -E 'Success .*runtime=' "$log" || {
	echo "spec-run: no success in $log" >&2
	exit 1
}
