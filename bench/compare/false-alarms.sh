#!/bin/sh
# SPDX-License-Identifier: MIT
# How often thpctl compare sees a difference where there is none: a mode against itself, many times.
# false-alarms.sh THPCTL [REPETITIONS] [RUNS]
set -eu

thpctl=$1
repetitions=${2:-200}
runs=${3:-20}
alarms=0

i=0
while [ "$i" -lt "$repetitions" ]; do
	i=$((i + 1))
	verdict=$("$thpctl" compare -q --json -m never,never -n "$runs" -- /bin/true |
		jq -r '.programs[0].comparisons[0].verdict')
	case $verdict in
	faster | slower) alarms=$((alarms + 1)) ;;
	same | unresolved) ;;
	*) echo "false-alarms: verdict '$verdict'" >&2; exit 1 ;;
	esac
done
printf 'false alarms: %d of %d comparisons of a mode with itself (/bin/true, %d pairs): %s %%\n' \
	"$alarms" "$repetitions" "$runs" "$(echo "$alarms $repetitions" | awk '{ print 100 * $1 / $2 }')"
