#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The system's setting is the administrator's: nothing that thpctl run or show does writes there.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

# What is watched: each way of calling, also those that fail half-way.
calls=(
	"run never -- true" "run madvise -- true" "run default -- true" "run always -- true"
	"run --best-effort always -- true" "run never -- /no/such/command" "run never" "run nevr true"
	"show" "show --json" "show 1" "show --tree 1" "show --all" "show --all --json" "show 4194304"
	"help"
)

# ---- no call that could write -------------------------------------------------------------------

if ! strace -o /dev/null true 2>/dev/null; then
	skip "no file is opened for writing" "no strace, or it may not trace here"
else
	# A sanitizer's leak check cannot run under strace.
	export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
	for call in "${calls[@]}"; do
		# shellcheck disable=SC2086 # words
		strace -f -qq -o "$T/trace" -e trace=file,write,pwrite64,writev,ftruncate \
			"$THPCTL" $call >/dev/null 2>&1
		is "$call: opens nothing for writing, makes and removes nothing" "$(grep -E \
			'O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|(creat|truncate|unlink|rename|mkdir|mount)[a-z0-9]*\(' \
			"$T/trace" | grep -v '"/dev/tty"')" ""
		is "$call: writes to standard output and error only" \
			"$(grep -E ' (p?write(64)?|writev)\(' "$T/trace" | grep -vE 'writev?\([12],')" ""
	done
	strace -f -qq -o "$T/trace" -e trace=file "$THPCTL" run always -- true 2>/dev/null
	ok "and the trace does see what is read there" grep -q "$THP/enabled" "$T/trace"
fi

# ---- every value stays --------------------------------------------------------------------------

has_thp || {
	skip "all values stay the same" "no $THP here"
	done_testing
	exit
}

# All settings, without what the kernel counts by itself.
values() {
	find "$THP" -type f ! -path '*/stats/*' ! -name pages_collapsed ! -name full_scans \
		-exec grep -H '' {} + 2>/dev/null | sort
}

# Under the lock for readers, since other tests may write meanwhile.
watch() {
	local before after call

	before=$(values)
	for call in "${calls[@]}"; do
		# shellcheck disable=SC2086 # words
		"$THPCTL" $call >/dev/null 2>&1
		after=$(values)
		[ "$before" = "$after" ] || {
			echo "changed by: thpctl $call"
			diff <(echo "$before") <(echo "$after")
			return 1
		}
	done
	# While a command runs, and after it or thpctl itself was killed at any moment.
	for ((i = 0; i < 20; i++)); do
		"$THPCTL" run never -- sleep 100 &
		pid=$!
		sleep "0.00$((i % 10))"
		[ "$before" = "$(values)" ] || return 1
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
		"$THPCTL" show --all >/dev/null &
		pid=$!
		sleep "0.00$((i % 10))"
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
		[ "$before" = "$(values)" ] || return 1
	done
	[ "$(wc -l <<<"$before")" -gt 5 ]
}

under_lock() (
	exec 9</run/lock/thp-sysfs.lock || exit
	flock -s 9
	watch 9<&-
)
with_system -- true # makes the lock's file if nobody did yet
if [ -r /run/lock/thp-sysfs.lock ]; then
	ok "all values stay the same before, while and after, also after kill -9" under_lock
else
	skip "all values stay the same" "no /run/lock/thp-sysfs.lock to keep other tests out"
fi

done_testing
