# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # what is set here is for those that source it
# TAP for live tests: sourced first by each. Live targets are started in the test's own directory
# and ended by their process id on every way out.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${BUILD:-$here/../../build}
live=$build/live
work=$(mktemp -d "${TMPDIR:-/tmp}/thp-live-XXXXXX")
targets=()
nr=0
failed=0

cleanup()
{
	local pid
	for pid in "${targets[@]}"; do
		kill -CONT "$pid" 2>/dev/null
		kill -KILL "$pid" 2>/dev/null
	done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# ok STATUS NAME [DETAIL...]
ok()
{
	local status=$1 name=$2
	shift 2
	nr=$((nr + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $nr - $name"
	else
		failed=$((failed + 1))
		echo "not ok $nr - $name"
		[ $# -eq 0 ] || printf '# %s\n' "$@"
	fi
}

# is GOT WANTED NAME
is()
{
	[ "$1" = "$2" ]
	ok $? "$3" "got    '$1'" "wanted '$2'"
}

# like TEXT PATTERN NAME: an extended regular expression
like()
{
	grep -qE -- "$2" <<<"$1"
	ok $? "$3" "got    '$1'" "wanted /$2/"
}

skip()
{
	nr=$((nr + 1))
	echo "ok $nr - $1 # SKIP $2"
}

skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

done_testing()
{
	echo "1..$nr"
	exit $((failed > 0))
}

# start COMMAND...: in the background; its process id is in $pid. Output goes to $work/out.
start()
{
	rm -f "$work/out"
	"$@" >"$work/out" 2>"$work/err" </dev/null &
	pid=$!
	targets+=("$pid")
}

# until COMMAND...: waits for it to succeed; what does not within a minute never will.
until_true()
{
	local tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 6000 ] || return 1
		sleep 0.01
	done
}

says_ready()
{
	grep -q ready "$work/out" 2>/dev/null
}

# field NAME PID: of /proc/PID/status
field()
{
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$2/status" 2>/dev/null
}

state_of()
{
	field State "$1" | cut -c1
}
