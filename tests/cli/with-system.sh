#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# with-system.sh SETTING=VALUE... -- COMMAND...
# Runs COMMAND while the SYSTEM'S transparent huge page settings are as asked. It WRITES below
# /sys/kernel/mm/transparent_hugepage, where SETTING is a path ("enabled",
# "hugepages-2048kB/enabled"), and RESTORES what was there on every way out that a program can take:
# end, failure, HUP, INT, TERM. Not on KILL.
# A lock lets one writer at a time in; where the settings are as asked already nothing is written,
# and several can share them. Exit status: COMMAND's, or 77 if the settings cannot be had here.
set -u

thp=/sys/kernel/mm/transparent_hugepage
lock=/run/lock/thp-sysfs.lock
wanted=()
saved=()
child=

while [ $# -gt 0 ] && [ "$1" != -- ]; do
	wanted+=("$1")
	shift
done
if [ $# -lt 2 ]; then
	echo "usage: with-system.sh SETTING=VALUE... -- COMMAND..." >&2
	exit 99
fi
shift

# The chosen word of a file of words, or the number of a file of numbers.
current() {
	sed 's/.*\[\(.*\)\].*/\1/' "$thp/$1" 2>/dev/null
}

as_wanted() {
	local pair

	for pair in "${wanted[@]}"; do
		[ "$(current "${pair%%=*}")" = "${pair#*=}" ] || return 1
	done
}

# The last one changed is the first one restored.
# shellcheck disable=SC2317 # called by traps
restore() {
	local i

	for ((i = ${#saved[@]} - 1; i >= 0; i--)); do
		echo "${saved[i]#*=}" >"$thp/${saved[i]%%=*}"
	done
	saved=()
}

# shellcheck disable=SC2317 # called by traps
give_up() {
	trap '' HUP INT TERM
	[ -z "$child" ] || kill -TERM "$child" 2>/dev/null
	[ -z "$child" ] || wait "$child"
	restore
	exit "$1"
}

# Reading is enough for a lock; only who creates it needs to write.
[ -e "$lock" ] || { : >"$lock"; } 2>/dev/null
[ -r "$lock" ] || exit 77
exec 9<"$lock"
flock -s 9
if ! as_wanted; then
	flock -u 9
	flock -x 9
	trap 'give_up 129' HUP
	trap 'give_up 130' INT
	trap 'give_up 143' TERM
	trap restore EXIT
	for pair in "${wanted[@]}"; do
		name=${pair%%=*}
		before=$(current "$name")
		[ -n "$before" ] || exit 77
		saved+=("$name=$before")
		{ echo "${pair#*=}" >"$thp/$name"; } 2>/dev/null || exit 77
	done
	as_wanted || exit 77
fi

# In the background, so that a signal is answered at once; with our standard input all the same.
"$@" <&0 9<&- &
child=$!
wait "$child"
status=$?
child=
exit "$status"
