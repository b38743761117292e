#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The conformance suite changes the machine's THP settings. Whatever ends it, they must be back.
#
# Reads the settings under a shared lock, so that another writer's temporary values are never
# taken for the machine's own. CONFORMANCE names the program; the lock is the suite's default.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
program=${CONFORMANCE:-$here/../../build/conformance}
sysfs=/sys/kernel/mm/transparent_hugepage
lock=${LOCK:-/run/lock/thp-sysfs.lock}
ulimit -c 0
work=$(mktemp -d)
pid=

cleanup()
{
	if [ -n "$pid" ]; then kill -TERM "$pid" 2>/dev/null || true; fi
	rm -rf "$work"
}
trap cleanup EXIT

skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

[ "$(id -u)" -eq 0 ] || skip_all "changing the settings needs root"
[ -w "$sysfs/enabled" ] || skip_all "no writable $sysfs"
[ -x "$program" ] || skip_all "no program $program (set CONFORMANCE)"

values()
{
	# Statistics and counters change by themselves.
	find "$sysfs" -type f -perm -u+w ! -path '*/stats/*' -exec grep -H . {} + | sort
}

locked_values()
{
	flock -s "$lock" bash -c "$(declare -f values); sysfs=$sysfs; values" >"$1"
}

count=0
report() # NAME: compare after with before
{
	count=$((count + 1))
	locked_values "$work/after"
	if diff "$work/before" "$work/after" >"$work/diff"; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		sed 's/^/# /' "$work/diff"
	fi
}

check() # NAME CONDITION...
{
	local name=$1
	shift
	count=$((count + 1))
	if "$@"; then echo "ok $count - $name"; else echo "not ok $count - $name"; fi
}

# Start the suite and return once it has changed something: then it holds the lock exclusively.
start_and_wait_for_change()
{
	rm -f "$work/out"
	# A shell starts its background jobs with INT and QUIT ignored; the suite respects that.
	env --default-signal=INT,QUIT "$program" --tap --lock "$lock" >"$work/out" 2>&1 &
	pid=$!
	for _ in $(seq 600); do
		# "system never: settings" is printed after its settings were written.
		if grep -q 'system never: settings' "$work/out" 2>/dev/null; then
			values >"$work/middle"
			return 0
		fi
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.05
	done
	return 1
}

end_with() # SIGNAL
{
	local signal=$1 status=0

	check "$signal: the suite is in the middle" start_and_wait_for_change
	check "$signal: it has changed settings" differs "$work/before" "$work/middle"
	kill -"$signal" "$pid"
	wait "$pid" 2>/dev/null || status=$?
	pid=
	check "$signal: it dies of the signal (status $status)" \
		test "$status" -eq $((128 + $(kill -l "$signal")))
	# Its watchdog holds the lock until it is done; locked_values waits for that.
	report "$signal: the settings are as before"
}

differs()
{
	! cmp -s "$1" "$2"
}

locked_values "$work/before"

status=0
"$program" --tap --lock "$lock" >"$work/out" 2>&1 || status=$?
check "a whole run ends by itself (status $status)" test "$status" -ne 2 -a "$status" -lt 128
report "after a whole run the settings are as before"

for signal in INT TERM HUP QUIT SEGV KILL; do
	end_with "$signal"
done

echo "1..$count"
