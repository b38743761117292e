# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # what is set here is for those that source it
# What the daemon's tests share. Sourced. Rules name nothing but what a test made itself: the
# machine is not ours alone.
set -u

# shellcheck source=tests/cli/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"

TARGETS=$BUILD/daemon
RULES=$T/rules.d
SOCKET=$T/socket
LOG=$T/log
D= # PID of thpd
UID_OF_TEST=61234
CPUSET=/sys/fs/cgroup/cpuset
FREEZER=/sys/fs/cgroup/freezer
UNIFIED=/sys/fs/cgroup/unified
[ -e /sys/fs/cgroup/cgroup.procs ] && UNIFIED=/sys/fs/cgroup
GROUP=thpd-test-$$
GROUPS_MADE=()
mkdir "$RULES"

is_root || skip_all 'needs root'

end_daemon_test() {
	local i group

	[ -z "$D" ] || kill -KILL "$D" 2>/dev/null
	for pid in "${STARTED[@]}"; do
		kill -KILL "$pid" 2>/dev/null
	done
	wait 2>/dev/null
	for ((i = ${#GROUPS_MADE[@]} - 1; i >= 0; i--)); do
		group=${GROUPS_MADE[i]}
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			rmdir "$group" 2>/dev/null && break
			xargs -r -n 1 kill -KILL <"$group/cgroup.procs" 2>/dev/null
			sleep 0.05
		done
	done
	end_test
}
trap end_daemon_test EXIT

# rules TEXT: these are the rules.
rules() {
	printf '%s\n' "$1" >"$RULES/50-test.conf"
}

# thpd OPTION...: starts the daemon and waits until it is ready.
thpd() {
	: >"$LOG"
	"$BUILD/thpd" --rules "$RULES" --socket "$SOCKET" "$@" 2>>"$LOG" &
	D=$!
	wait_until grep -q 'thpd: ready' "$LOG" || diag "$(cat "$LOG")"
}

# thpd_stop: ends it; its status is in STATUS.
thpd_stop() {
	kill -TERM "$D"
	wait "$D"
	STATUS=$?
	D=
}

# thpd_reload: rules are read anew; waits until they are in force.
thpd_reload() {
	local before

	before=$(grep -c -e 'thpd: ready' -e 'stay in force' "$LOG")
	kill -HUP "$D"
	wait_until more_than "$before"
}

more_than() {
	[ "$(grep -c -e 'thpd: ready' -e 'stay in force' "$LOG")" -gt "$1" ]
}

# ask REQUEST: what thpd answers.
ask() {
	/usr/bin/python3 "$TESTS/daemon/ask.py" "$SOCKET" "$1"
}

# metric NAME[{LABELS}]: its value
metric() {
	ask metrics | sed -n "s/^$1 //p"
}

# flag PID: what /proc tells of full disable: 0 never, 1 not
flag() {
	sed -n 's/^THP_enabled:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null
}

has_flag() { # PID VALUE
	[ "$(flag "$1")" = "$2" ]
}

# make_group DIRECTORY: a control group that is removed at the end
make_group() {
	mkdir -p "$1" || return 1
	GROUPS_MADE+=("$1")
	if [ -e "$1/cpuset.cpus" ]; then
		cat "$CPUSET/cpuset.cpus" >"$1/cpuset.cpus"
		cat "$CPUSET/cpuset.mems" >"$1/cpuset.mems"
	fi
}

# $ENTER GROUP COMMAND...: executes it in a group. A program, so that $! is the command's own.
ENTER=$T/enter
cat >"$ENTER" <<'END'
#!/bin/sh
echo $$ >"$1/cgroup.procs" || exit 1
shift
exec "$@"
END
chmod +x "$ENTER"

# sleeper [COMMAND...]: something that stays, by default a sleep; its id is in PID.
sleeper() {
	if [ $# -eq 0 ]; then
		sleep 1000 &
	else
		"$@" &
	fi
	PID=$!
	STARTED+=("$PID")
}

# mode_of PID: asked inside it: default, never, madvise
mode_of() {
	"$TARGETS/mode" "$1"
}

has_mode() { # PID MODE
	[ "$(mode_of "$1")" = "$2" ]
}
