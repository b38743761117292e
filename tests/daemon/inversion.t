#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# "[system] default = madvise": the system says always for those whom rules name, and for nobody
# else; and what was is put back, also after thpd was killed. In a PID namespace, so that "everybody"
# is nobody but what this test starts. It WRITES the system's setting, for seconds, alone, and
# restores it.
# shellcheck source=tests/daemon/lib.sh
. "$(dirname "$0")/lib.sh"

lock=/run/lock/thp-sysfs.lock
if [ "${1:-}" != inside ]; then
	has_except_advised || skip_all 'the mode madvise needs Linux 6.18'
	[ -w "$THP/enabled" ] || skip_all "$CANNOT_SYSTEM"
	unshare --pid --fork --mount-proc true 2>/dev/null ||
		skip_all 'no PID namespace can be made here'
	trap - EXIT
	rm -rf "$T"
	[ -e "$lock" ] || : >"$lock"
	exec 9<"$lock"
	flock -x 9
	before=$(sed 's/.*\[\(.*\)\].*/\1/' "$THP/enabled") # under the lock: others write, too
	trap 'echo "$before" >"$THP/enabled"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	unshare --pid --fork --kill-child --mount-proc bash "$0" inside 9<&- &
	wait $!
	exit $?
fi

says() {
	sed 's/.*\[\(.*\)\].*/\1/' "$THP/enabled"
}

state=$T/state
cp "$TARGETS/first" "$T/named"
cp "$TARGETS/first" "$T/setuid"
chown "$UID_OF_TEST" "$T/setuid"
chmod 4755 "$T/setuid"
text="[named]
exec = $T/named
mode = always
[setuid]
exec = $T/setuid
mode = always
[system]
default = madvise"
managed="$text
manage-sysfs = yes"
echo madvise >"$THP/enabled"
sleeper
plain=$PID
sleeper "$BIN/launcher" 3 sleep 1000
kept=$PID
wait_until has_mode "$kept" madvise
start "$T/named" 2 stay
there=$PID

rules "$managed"
thpd --state "$state" --walk 0
is 'the system says always' "$(says)" always
is 'everybody else says madvise' "$(mode_of "$plain")" madvise
is 'this shell too, hence what it starts' "$(mode_of $$)" madvise
is 'not who is named and was there' "$(mode_of "$there")" default
run "$T/named" 32 plain
like 'named: huge without advice, from the first instruction on' "$OUT" '^flag 0 later 0 huge 32768 '
run "$T/setuid" 32 plain
like 'also a static setuid program' "$OUT" "^flag 0 later 0 huge 32768 uid $UID_OF_TEST"
run "$TARGETS/first" 32 plain
like 'not named: nothing without advice' "$OUT" '^flag 3 later 3 huge 0 '
run "$TARGETS/first" 32
like 'not named: all that is advised' "$OUT" '^flag 3 later 3 huge 32768 '
run setpriv --reuid "$UID_OF_TEST" --clear-groups "$T/named" 32 plain
like 'another user' "$OUT" '^flag 0 .* huge 32768 '
like 'what was is written down' "$(cat "$state")" 'enabled madvise'
thpd_stop
is 'at the end: the status' "$STATUS" 0
is 'at the end: the system says what it said' "$(says)" madvise
is 'at the end: everybody has what they had' "$(mode_of "$plain")" default
is 'at the end: this shell too' "$(mode_of $$)" default
is 'at the end: who had the mode before keeps it' "$(mode_of "$kept")" madvise
ok 'at the end: nothing is left to put back' test ! -e "$state"

# Killed
thpd --state "$state" --walk 0
kill -KILL "$D"
wait "$D" 2>/dev/null
is 'killed: the system still says always' "$(says)" always
run "$BUILD/thpd" --state "$state" --restore
is 'thpd --restore: the status' "$STATUS" 0
is 'thpd --restore: the system says what it said' "$(says)" madvise
is 'thpd --restore: everybody has what they had' "$(mode_of "$plain")" default
is 'thpd --restore: who had the mode before keeps it' "$(mode_of "$kept")" madvise
ok 'thpd --restore: nothing is left' test ! -e "$state"
run "$BUILD/thpd" --state "$state" --restore
like 'thpd --restore, twice' "$STATUS $ERR" '^0 .*nothing to put back'

# Killed, and started again
thpd --state "$state" --walk 0
kill -KILL "$D"
wait "$D" 2>/dev/null
thpd --state "$state" --walk 0
is 'started again after it was killed: always' "$(says)" always
thpd_stop
is 'knows what the first one found' "$(says)" madvise
is 'of the processes, too' "$(mode_of "$plain")" default

# Somebody else changes it
thpd --state "$state" --walk 0
echo never >"$THP/enabled"
thpd_stop
is 'what somebody else said meanwhile stays' "$(says)" never
like 'and that is said' "$(cat "$LOG")" 'somebody has changed it to never'

# Never is not overruled
thpd --state "$state" --walk 0
is 'a system that says never is not overruled' "$(says)" never
like 'and that is said' "$(cat "$LOG")" 'the system says never, which thpd does not overrule'
is 'nobody is changed then' "$(mode_of "$plain")" default
thpd_stop
echo madvise >"$THP/enabled"

# Not asked to
rules "$text"
thpd --state "$state" --walk 0
is 'without manage-sysfs the system is left alone' "$(says)" madvise
like 'and it is said that this has no effect' "$(cat "$LOG")" 'manage-sysfs = yes'
rules "$managed"
thpd_reload
is 'a reload can ask for it' "$(says)" always
rules "$text"
thpd_reload
is 'and take it back' "$(says)" madvise
rules "$managed"
thpd_reload
is 'and ask again' "$(says)" always
rules "[named]
exec = $T/named
mode = always"
thpd_reload
is 'and take all of it back' "$(says)" madvise
ok 'with all that was given' wait_until has_mode "$plain" default
thpd_stop
done_testing
