#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that rules name have their mode from the first instruction on, however they are executed,
# and nobody is harmed by the gate: not those who fail, not those whom it forgets.
# shellcheck source=tests/daemon/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir -p "$T/a b:c" "$T/late" "$T/glob"
cp "$TARGETS/first" "$T/first"
cp "$TARGETS/first" "$T/a b:c/first thing"
cp "$TARGETS/first" "$T/other"
cp "$TARGETS/first" "$T/setuid"
chown "$UID_OF_TEST" "$T/setuid"
chmod 4755 "$T/setuid"
cp "$(command -v bash)" "$T/shell"
ln -s "$T/first" "$T/link"
printf '#!%s\nexec "%s" 8\n' "$T/shell" "$T/other" >"$T/script of a very long name.sh"
printf '#!/bin/sh\necho is a script\n' >"$T/unnamed.sh"
printf 'not a program\n' >"$T/broken"
chmod +x "$T"/*.sh "$T/broken"

rules "[first]
exec = $T/first
mode = never
[spaces]
exec = $T/a b:c/first thing
mode = never
[setuid]
exec = $T/setuid
mode = never
[script]
script = $T/script of a very long name.sh
mode = never
[shell]
exec = $T/shell
user = $UID_OF_TEST
mode = never
[broken]
exec = $T/broken
mode = never
[globs]
exec = $T/glob/*/bin/first*
mode = never
[late]
exec = $T/late/first
mode = never"
thpd --no-events --walk 0
if ! grep -q 'executables watched' "$LOG" || grep -q 'cannot be caught' "$LOG"; then
	skip_all 'no gate here (needs Linux 6.9 and CAP_SYS_ADMIN)'
fi

# Only the gate is at work: no events, no walks.
missed=0 huge=0
for _ in $(seq 50); do
	run "$T/first" 32
	[ "$(field flag "$OUT")" = 1 ] || missed=$((missed + 1))
	huge=$((huge + $(field huge "$OUT")))
done
is '50 of 50 have the flag at their first instruction' "$missed" 0
is 'and nothing of theirs became huge before' "$huge" 0
run "$T/other" 32
like 'another copy of the program is left alone' "$OUT" '^flag 0 later 0 huge 32768 '
run "$T/link" 8
like 'by a symbolic link' "$OUT" '^flag 1 .* huge 0 '
(cd "$T" && ./first 8) >"$T/out"
like 'by a relative path' "$(cat "$T/out")" '^flag 1 .* huge 0 '
run "$T/a b:c/first thing" 8
like 'a path with spaces and colons' "$OUT" '^flag 1 .* huge 0 '
run setpriv --reuid "$UID_OF_TEST" --clear-groups "$T/first" 8
like 'by another user' "$OUT" "^flag 1 .* huge 0 uid $UID_OF_TEST"
run "$T/setuid" 8
like 'a setuid program keeps its rights' "$OUT" "^flag 1 .* huge 0 uid $UID_OF_TEST"
run "$T/script of a very long name.sh"
like 'a script, through its interpreter; what it executes inherits' "$OUT" '^flag 1 .* huge 0 '
run setpriv --reuid "$UID_OF_TEST" --clear-groups "$T/shell" -c "exec '$T/other' 8"
like 'a rule with a user: that user' "$OUT" '^flag 1 .* huge 0 '
run "$T/shell" -c "exec '$T/other' 8"
like 'a rule with a user: not another' "$OUT" '^flag 0 '
printf '#!%s\nexec "%s" 8\n' "$T/shell" "$T/other" >"$T/by-shell.sh"
chmod +x "$T/by-shell.sh"
run setpriv --reuid "$UID_OF_TEST" --clear-groups "$T/by-shell.sh"
like 'a named interpreter of an unnamed script' "$OUT" '^flag 1 .* huge 0 '
run "$T/unnamed.sh"
is 'an unnamed script runs' "$OUT" 'is a script'

run "$TARGETS/execer" thread "$T/first" 8
like 'executed by a thread that is not the main one' "$OUT" '^flag 1 .* huge 0 '
run "$TARGETS/execer" vfork "$T/first" 8
like 'executed in a vfork child' "$OUT" '^flag 1 .* huge 0 '
like 'the vfork parent is not touched' "$OUT" 'parent flag 0'
run "$TARGETS/execer" fail "$T/broken"
like 'a failed execve says so' "$OUT" 'errno 8'
like 'and leaves no tracer and no flag behind' "$OUT" 'tracer 0 flag 0'
run "$TARGETS/execer" signal "$T/first" 8
like 'with a signal pending' "$OUT" '^flag 1 .* huge 0 '
run strace -f -o "$T/strace" -e trace=none "$T/first" 8
like 'one that is traced already starts all the same' "$OUT" '^flag 0 '

# Files that come later
mkdir -p "$T/glob/one/bin" "$T/glob/two/lib"
cp "$TARGETS/first" "$T/glob/one/bin/first-1"
cp "$TARGETS/first" "$T/glob/two/lib/first-1"
cp "$TARGETS/first" "$T/late/first"
marked() {
	[ "$(metric thpd_marks)" -ge "$1" ]
}
ok 'new files that patterns mean are found' wait_until marked 8
run "$T/glob/one/bin/first-1" 8
like 'a new file of a new directory' "$OUT" '^flag 1 .* huge 0 '
run "$T/glob/two/lib/first-1" 8
like 'a star is no slash' "$OUT" '^flag 0 '
run "$T/late/first" 8
like 'a file that was not there' "$OUT" '^flag 1 .* huge 0 '
cp "$TARGETS/first" "$T/late/new"
mv "$T/late/new" "$T/late/first"
ok 'one that is replaced is found' wait_until marked 9
run "$T/late/first" 8
like 'and caught' "$OUT" '^flag 1 .* huge 0 '

# Many at a time
for i in $(seq 100); do
	"$T/first" 2 >"$T/many.$i" &
	waited[i]=$!
done
wait "${waited[@]}"
is 'a hundred at a time' "$(cat "$T"/many.* | grep -c '^flag 1 .* huge 0 ')" 100

# A gate that hangs, and one that dies
gate=$(pgrep -P "$D" -x thpd-gate)
kill -STOP "$gate"
run timeout 30 "$T/first" 8
like 'the gate hangs: programs start' "$OUT" '^flag [01] '
wait_until grep -q 'the gate hangs' "$LOG"
new_gate() {
	local now

	now=$(pgrep -P "$D" -x thpd-gate)
	[ -n "$now" ] && [ "$now" != "$gate" ] && "$T/first" 2 | grep -q '^flag 1 .* huge 0 '
}
ok 'another one takes its place' wait_until new_gate
gate=$(pgrep -P "$D" -x thpd-gate)
kill -KILL "$gate"
run "$T/first" 8
like 'the gate is killed: programs start' "$OUT" '^flag [01] '
ok 'another one takes its place, again' wait_until new_gate

# All of thpd killed while programs come through the gate
for _ in $(seq 5); do
	"$TARGETS/storm" 1 0 "$T/first" 2 >/dev/null &
	storm=$!
	sleep 0.3
	kill -KILL "$D"
	wait "$D" 2>/dev/null
	run timeout 20 "$T/first" 2
	like 'thpd is killed in the midst: programs start' "$OUT" '^flag 0 '
	wait "$storm"
	thpd --no-events --walk 0
done
run "$T/first" 8
like 'after a restart all is right again' "$OUT" '^flag 1 .* huge 0 '

# Both hang
kill -STOP "$D" "$(pgrep -P "$D" -x thpd-gate)"
timeout 60 "$T/first" 2 >"$T/out" &
waiting=$!
sleep 1
kill -CONT "$(pgrep -P "$D" -x thpd-gate)"
wait "$waiting"
like 'the main process hangs: the gate lets programs start' "$(cat "$T/out")" '^flag '
gone() { # ended, but its parent hangs
	[ "$(ps -o stat= -p "$(pgrep -P "$D" -x thpd-gate)" | cut -c1)" = Z ]
}
ok 'and gives up' wait_until gone
run timeout 20 "$T/first" 2
like 'so that nobody waits' "$OUT" '^flag 0 '
kill -CONT "$D"
ok 'it is started anew when the main process goes on' wait_until new_gate

thpd_stop
is 'stops cleanly' "$STATUS" 0
run "$T/first" 8
like 'and then the gate is open' "$OUT" '^flag 0 '
done_testing
