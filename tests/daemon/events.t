#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the kernel's events lead to: users, names, scripts, parents; numbers that are given anew,
# events that are lost, thpd killed and its rules changed while much happens.
# shellcheck source=tests/daemon/lib.sh
. "$(dirname "$0")/lib.sh"

make_group "$CPUSET/$GROUP" || skip_all 'no control group can be made here'
batch=$CPUSET/$GROUP

mkdir "$T/a b"
cp "$(command -v sleep)" "$T/named"
cp "$(command -v sleep)" "$T/gone"
cp "$(command -v sleep)" "$T/container-tool-of-a-long-name"
cp "$TARGETS/first" "$T/first"
cp "$TARGETS/first" "$T/other"
printf '#!/bin/sh\nread -r x\n' >"$T/a b/very-long-script-name.sh"
printf '#!/bin/sh\n"$@"\nread -r x\n' >"$T/family.sh"
chmod +x "$T"/*.sh "$T/a b"/*.sh
mkfifo "$T/never-written"

text="[user]
user = $UID_OF_TEST
mode = never
[renamed]
command = thpd-test-name
mode = never
[gone]
exec = $T/gone
mode = never
[script]
script = $T/a b/very-long-script-name.sh
mode = never
[long]
command = container-tool-of-*-name
mode = never
[family]
script = $T/family.sh
inherit = no
mode = never
[child]
parent = family
exec = $T/named
mode = never
[batch]
cpuset = /$GROUP
mode = never"
rules "$text"
# After start-up only events are at work; without the gate, for it would be first.
thpd --walk 0 --no-gate
if grep -q 'no process events' "$LOG"; then
	skip_all 'no process events here'
fi

quiet() { # COMMAND...: in the background, with an input that never ends
	"$@" <>"$T/never-written" >/dev/null 2>&1 &
	PID=$!
	STARTED+=("$PID")
}

quiet setpriv --reuid "$UID_OF_TEST" --clear-groups sleep 1000
ok 'a user' wait_until has_flag "$PID" 0
start "$TARGETS/changes" "$UID_OF_TEST" thpd-test-name
is 'not another user' "$(flag "$PID")" 1
kill -USR1 "$PID"
ok 'who becomes that user' wait_until has_flag "$PID" 0
start "$TARGETS/changes" "$UID_OF_TEST" thpd-test-name
kill -USR2 "$PID"
ok 'who takes a name' wait_until has_flag "$PID" 0

# Case E of the field: scripts, spaces, long names, deleted files
quiet "$T/a b/very-long-script-name.sh"
ok 'a script with spaces in its path, by its #! line' wait_until has_flag "$PID" 0
quiet sh "$T/a b/very-long-script-name.sh"
ok 'and by its interpreter' wait_until has_flag "$PID" 0
quiet tail -f "$T/a b/very-long-script-name.sh"
sleep 0.3
is 'not a program that has it as an argument' "$(flag "$PID")" 1
quiet sh -c 'read -r x' "$T/a b/very-long-script-name.sh"
sleep 0.3
is 'nor its interpreter with something else to do' "$(flag "$PID")" 1
quiet "$T/container-tool-of-a-long-name" 1000
ok 'a name of more than 15 letters' wait_until has_flag "$PID" 0
quiet "$T/gone" 1000
gone=$PID
wait_until has_flag "$gone" 0
rm "$T/gone"
kill -HUP "$D"
sleep 0.5
is 'a program whose file was deleted stays under its rule' "$(flag "$gone")" 0
is 'as thpd says' "$(ask processes | jq -r ".processes[] | select(.pid == $gone) | .rule")" gone

# Children of those under a rule
quiet "$T/family.sh" "$T/named" 1000
wait_until has_flag "$PID" 0
child=
has_child() {
	child=$(pgrep -P "$PID" -x "$1")
}
wait_until has_child named
ok 'a child whose rule asks for its parent' wait_until has_flag "$child" 0
quiet "$T/family.sh" sleep 1000
wait_until has_flag "$PID" 0
wait_until has_child sleep
ok 'a child that no rule names is free where its parent ends the rule so' \
	wait_until has_flag "$child" 1
quiet "$T/named" 1000
sleep 0.3
is 'the same program of another parent is left alone' "$(flag "$PID")" 1
quiet setpriv --reuid "$UID_OF_TEST" --clear-groups sh -c 'sleep 1000; :'
wait_until has_flag "$PID" 0
wait_until has_child sleep
ok 'elsewhere children inherit' wait_until has_flag "$child" 0

# Back and forth
start "$TARGETS/changes" "$UID_OF_TEST" thpd-test-name
for _ in $(seq 40); do
	kill -USR2 "$PID"
	sleep 0.02
done
ok 'nobody is sent back and forth between rules' wait_until grep -q "PID $PID .*back and forth" "$LOG"
is 'which is said once' "$(grep -c 'back and forth' "$LOG")" 1

# A number that is given anew: the stranger keeps what it has.
if [ -w /proc/sys/kernel/ns_last_pid ]; then
	reused=
	for _ in $(seq 200); do
		quiet setpriv --reuid "$UID_OF_TEST" --clear-groups sleep 1000
		number=$PID
		wait_until has_flag "$number" 0
		kill -KILL "$number"
		wait "$number" 2>/dev/null
		echo $((number - 1)) >/proc/sys/kernel/ns_last_pid
		quiet "$BIN/launcher" 1 sleep 1000
		if [ "$PID" = "$number" ]; then
			reused=$PID
			break
		fi
		kill -KILL "$PID"
	done
	if [ -n "$reused" ]; then
		sleep 0.5
		is 'a stranger with the number of one under a rule' "$(flag "$reused")" 0
		is 'is no longer known' \
			"$(ask processes | jq "[.processes[] | select(.pid == $reused)] | length")" 0
		kill -HUP "$D"
		sleep 0.5
		is 'also after a walk' "$(flag "$reused")" 0
	else
		skip 'a number that is given anew' 'others were faster, 200 times'
	fi
else
	skip 'a number that is given anew' 'ns_last_pid cannot be written'
fi

# The same in a PID namespace would be easier, but there the kernel tells of no events.

# Rules that change while much happens
"$TARGETS/storm" 6 0 "$TARGETS/tiny" >"$T/storm" &
storm=$!
STARTED+=("$storm")
more="$text
[more]
exec = $T/first
mode = never"
for i in 1 2 3 4 5; do
	rules "$more"
	kill -HUP "$D"
	sleep 0.2
	rules "$text"
	kill -HUP "$D"
	sleep 0.2
done
rules "[bad]
exec = $T/first
mode = sometimes"
thpd_reload
like 'a bad rule is said, with its place' "$(cat "$LOG")" "50-test.conf:3: .*sometimes"
like 'and the old ones stay in force' "$(cat "$LOG")" 'the [0-9]+ old ones stay in force'
quiet setpriv --reuid "$UID_OF_TEST" --clear-groups sleep 1000
ok 'as can be seen' wait_until has_flag "$PID" 0
rules "$more"
thpd_reload
wait "$storm"
quiet setpriv --reuid "$UID_OF_TEST" --clear-groups sleep 1000
ok 'old rules after many changes' wait_until has_flag "$PID" 0
run "$T/first" 64
like 'and new ones' "$OUT" 'later 1 '
rules ''
thpd_reload
ok 'whose rule is gone gets back what it had' wait_until has_flag "$PID" 1
thpd_stop

# Events that are lost
rules "$text"
thpd --walk 0 --no-gate --buffer 4K
kill -STOP "$D"
"$TARGETS/storm" 1 0 "$TARGETS/tiny" >/dev/null
lost=()
for _ in $(seq 20); do
	quiet setpriv --reuid "$UID_OF_TEST" --clear-groups sleep 1000
	lost+=("$PID")
done
kill -CONT "$D"
all_lost_flagged() {
	for pid in "${lost[@]}"; do
		has_flag "$pid" 0 || return 1
	done
}
ok 'nobody is missed when events are lost' wait_until all_lost_flagged
like 'and they were' "$(metric thpd_overflows_total)" '^[1-9]'
thpd_stop

# Killed at any moment
lost=()
for i in $(seq 10); do
	thpd --walk 0
	"$TARGETS/storm" 1 0 "$TARGETS/tiny" >/dev/null &
	storm=$!
	for _ in 1 2 3 4 5; do
		quiet setpriv --reuid "$UID_OF_TEST" --clear-groups sleep 1000
		lost+=("$PID")
		quiet "$ENTER" "$batch" sleep 1000
		lost+=("$PID")
	done
	sleep "0.0$((RANDOM % 10))"
	kill -KILL "$D"
	wait "$D" 2>/dev/null
	wait "$storm"
done
thpd --walk 0
ok 'killed ten times at work, and all is right after a restart' wait_until all_lost_flagged
stopped=0
for pid in "${lost[@]}"; do
	grep -q '^State:.[tT]' "/proc/$pid/status" && stopped=$((stopped + 1))
done
is 'nobody was left stopped' "$stopped" 0
is 'nobody died of it' "$(for pid in "${lost[@]}"; do kill -0 "$pid" && echo yes; done | wc -l)" 100
thpd_stop
is 'stops cleanly' "$STATUS" 0
done_testing
