# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # what is set here is for those that source it
# What the tests of the command line share: TAP, a scratch directory, processes that end with the
# test. Sourced. BUILD is the build directory; it defaults to build.
set -u

BUILD=$(cd "${BUILD:-build}" && pwd) || exit 99
TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
THPCTL=$BUILD/thpctl
BIN=$BUILD/tests
THP=/sys/kernel/mm/transparent_hugepage
export LC_ALL=C
# A sanitized build shall change no limits.
export ASAN_OPTIONS=disable_coredump=0

T=$(mktemp -d) || exit 99
chmod 755 "$T" # other users' tests read it
STARTED=()
TESTS_DONE=0

end_test() {
	local pid

	for pid in "${STARTED[@]}"; do
		kill -KILL "$pid" 2>/dev/null
	done
	wait 2>/dev/null
	rm -rf "$T"
}
trap end_test EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---- TAP ----------------------------------------------------------------------------------------

# diag TEXT...: says something on a failure, each line marked.
diag() {
	printf '%s\n' "$@" | sed 's/^/#   /'
}

report() { # VERDICT NAME
	TESTS_DONE=$((TESTS_DONE + 1))
	printf '%s %d - %s\n' "$1" "$TESTS_DONE" "$2"
}

# ok NAME COMMAND...: passes if COMMAND succeeds.
ok() {
	local name=$1 output

	shift
	if output=$("$@" 2>&1); then
		report ok "$name"
	else
		report 'not ok' "$name"
		diag "failed: $*" "$output"
		return 1
	fi
}

# is NAME GOT WANTED: passes if both are the same text.
is() {
	if [ "$2" = "$3" ]; then
		report ok "$1"
	else
		report 'not ok' "$1"
		diag "got:    $2" "wanted: $3"
		return 1
	fi
}

# like NAME GOT REGEX: passes if the extended regular expression is found in GOT.
like() {
	if [[ $2 =~ $3 ]]; then
		report ok "$1"
	else
		report 'not ok' "$1"
		diag "got:    $2" "wanted: /$3/"
		return 1
	fi
}

# unlike NAME GOT REGEX
unlike() {
	if [[ $2 =~ $3 ]]; then
		report 'not ok' "$1"
		diag "got:      $2" "unwanted: /$3/"
		return 1
	fi
	report ok "$1"
}

# skip NAME REASON: what this machine cannot show.
skip() {
	report ok "$1 # SKIP $2"
}

# skip_all REASON: nothing in this file can be shown here.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

done_testing() {
	echo "1..$TESTS_DONE"
}

# ---- running ------------------------------------------------------------------------------------

# run COMMAND...: runs it and leaves its status, output and errors in STATUS, OUT and ERR.
run() {
	"$@" >"$T/out" 2>"$T/err"
	STATUS=$?
	OUT=$(tr -d '\0' <"$T/out")
	ERR=$(tr -d '\0' <"$T/err")
}

# start COMMAND...: runs it in the background until the test ends, and waits for its first line.
# Leaves its id in PID and the line in LINE.
start() {
	local out=$T/started.${#STARTED[@]}

	: >"$out"
	"$@" >"$out" 2>&1 &
	PID=$!
	STARTED+=("$PID")
	until [ -s "$out" ]; do
		kill -0 "$PID" 2>/dev/null || break
		sleep 0.01
	done
	LINE=$(head -n 1 "$out")
}

# wait_until COMMAND...: until it succeeds, for a minute at most.
wait_until() {
	local i

	for ((i = 0; i < 6000; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.01
	done
	echo "waited in vain for: $*"
	return 1
}

# field NAME LINE: the word behind NAME in a line of pairs.
field() {
	sed -n "s/.*\\b$1 \\([^ ]*\\).*/\\1/p" <<<"$2"
}

# with_system SETTING=VALUE... -- COMMAND...: see with-system.sh. Functions cannot be run there.
with_system() {
	"$TESTS/cli/with-system.sh" "$@"
}

# ---- what this machine has ----------------------------------------------------------------------

is_root() {
	[ "$(id -u)" = 0 ]
}

is_sanitized() {
	[[ $BUILD == */san ]]
}

has_thp() {
	[ -e "$THP/enabled" ]
}

# Linux 6.18: asked of the kernel, not of its version.
has_except_advised() {
	"$BIN/launcher" 3 true 2>/dev/null
}

# Whether the system can be made to say SETTING=VALUE... here: it does so already, or we may write.
can_system() {
	with_system "$@" -- true 2>/dev/null
}
CANNOT_SYSTEM="the system's THP settings cannot be written here (needs root and a writable /sys)"
