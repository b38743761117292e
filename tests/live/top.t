#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl top: its batch form, and the screen in a real terminal.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

run "$THPCTL" top --batch
is "batch: status 0, no errors" "$STATUS $ERR" "0 "
like "batch: its own cost" "$OUT" 'This program: [0-9.]+ ms for this look'
like "batch: free huge pages of a node" "$OUT" 'Free in one piece: (node [0-9]+: [0-9]+ huge pages|unknown)'
unlike "batch: nothing for a terminal" "$OUT" $'\033'
start "$BIN/shapes" anon
run "$THPCTL" top --batch --filter "$PID"
huge=$(awk '$1 == "AnonHugePages:" { print $2 / 1024 }' "/proc/$PID/smaps_rollup")
like "batch: a process with its huge memory" "$OUT" "$PID .* ${huge/#0/0}( MiB)? .*  shapes"
is "batch: --filter: nobody else" "$(grep -c '' <<<"$OUT")" 6
run "$THPCTL" top --batch --sort pid
is "batch: --sort pid" "$(sed 1,5d "$T/out" | awk '{ print $1 }')" \
	"$(sed 1,5d "$T/out" | awk '{ print $1 }' | sort -n)"
run "$THPCTL" top --batch --sort resident
like "batch: the column that it is sorted by is marked" "$OUT" 'RESIDENT\*'
run "$THPCTL" top --batch --iterations 2 --delay 0.1
is "batch: --iterations" "$(grep -c 'This program' "$T/out")" 2
like "batch: rates from the second on" "$OUT" 'Per second: [0-9.]+ huge faults'
for args in "--delay x" "--delay -1" "--delay nan" "--budget 101" "--sort size" "--iterations 0" "1"; do
	# shellcheck disable=SC2086 # words
	run "$THPCTL" top --batch $args
	is "batch: $args: status 2" "$STATUS" 2
done
"$THPCTL" top --batch >/dev/full 2>"$T/err"
is "batch: a full disk: status 1" "$?" 1
run "$THPCTL" top </dev/null
is "no terminal: status 1" "$STATUS" 1
like "no terminal: what helps" "$ERR" '--batch prints once'
if strace -o /dev/null true 2>/dev/null; then
	strace -f -e trace=openat -o "$T/trace" "$THPCTL" top --batch >/dev/null 2>&1
	is "no smaps of anybody, not even a rollup" "$(grep -c 'smaps' "$T/trace")" 0
else
	skip "no smaps of anybody" "strace does not work here"
fi

# ---- the screen ---------------------------------------------------------------------------------

if ! command -v tmux >/dev/null; then
	skip "the screen" "tmux is missing"
	done_testing
	exit
fi

socket=$T/tmux
tmux() {
	command tmux -S "$socket" -f /dev/null "$@"
}
end_screen() {
	tmux kill-server 2>/dev/null
	end_test
}
trap end_screen EXIT

screen() {
	tmux capture-pane -p
}
shows() { # REGEX
	screen | grep -qE -- "$1"
}

tmux new-session -d -x 140 -y 40 "TERM=screen $THPCTL top --delay 0.3; echo status \$?; cat"
ok "screen: heading, columns and foot" wait_until shows 'System says'
ok "screen: the foot tells the keys" shows '^\?:help q:quit'
ok "screen: sorted by huge memory" shows 'HUGE\*'
ok "screen: rates come with the second look" wait_until shows 'Per second: [0-9]'
tmux send-keys /
ok "filter: asks" wait_until shows '^filter: _'
tmux send-keys "shapex"
tmux send-keys BSpace
tmux send-keys "s"
ok "filter: typed and corrected" wait_until shows '^filter: shapes_'
tmux send-keys Enter
only_shapes() {
	shows "$PID .* shapes" && ! screen | sed -n '6,38p' | grep '[^ ]' | grep -qv shapes
}
ok "filter: by a name" wait_until only_shapes
tmux send-keys / "$PID" Enter
only_one() {
	[ "$(screen | sed -n '6,38p' | grep -c '[^ ]')" = 1 ] && shows "^ *$PID .* shapes"
}
ok "filter: by a PID" wait_until only_one
tmux send-keys Enter
ok "detail: the process" wait_until shows "^PID $PID \\(shapes\\), by mapping"
ok "detail: a picture of its memory" wait_until shows '\|[#o]{10} +\| 2 MiB each'
ok "detail: why not more" wait_until shows '[KM]iB no aligned block'
tmux send-keys Escape
tmux send-keys R
ok "sort: by resident" wait_until shows 'RESIDENT\*'
tmux send-keys '>'
ok "sort: the next column" wait_until shows 'SHARE\*'
tmux send-keys '?'
ok "help" wait_until shows '^Keys'
tmux send-keys '?'
tmux send-keys / Enter
more() {
	[ "$(screen | sed -n '6,38p' | grep -c '[^ ]')" -gt 2 ]
}
ok "filter: an empty one shows all" wait_until more
tmux send-keys t
tmux send-keys P
deeper() {
	shows '%  +[0-9]+  {3,}[a-z]'
}
ok "tree: children stand below and to the right" wait_until deeper
tmux send-keys m
ok "mode: asks" wait_until shows '^mode for PID [0-9]+: n never'
tmux send-keys x
ok "mode: another key changes nothing" wait_until shows '^\?:help'
if [ -x "$BUILD/thpctl-set" ]; then
	tmux send-keys / "$PID" Enter
	wait_until only_one
	tmux send-keys m
	wait_until shows '^mode for PID'
	tmux send-keys n
	is_never() {
		grep -q 'THP_enabled:.*0' "/proc/$PID/status"
	}
	ok "mode: the process has it" wait_until is_never
	ok "mode: the screen shows it" wait_until shows "$PID never .* shapes"
	tmux send-keys / Enter
else
	skip "mode: the process has it" "this build has no thpctl set"
fi
tmux resize-window -x 80 -y 24
ok "80 columns: what is wider goes on below" wait_until shows 'looked into within 10 s'
tmux resize-window -x 60 -y 14
ok "a small terminal" wait_until shows 'MODE'
tmux resize-window -x 20 -y 3
tmux resize-window -x 140 -y 40
ok "and back" wait_until shows 'COMMAND\*|PID\*'
tmux send-keys q
ok "q: ends with status 0, the terminal as before" wait_until shows '^status 0'

tmux new-window "TERM=nonsense $THPCTL top; echo status \$?; cat"
ok "an unknown terminal: says so" wait_until shows "the terminal 'nonsense' cannot show it"
ok "an unknown terminal: status 1" wait_until shows '^status 1'

tmux new-window "TERM=dumb $THPCTL top; echo status \$?; cat"
ok "a terminal that cannot place text: says so" wait_until shows "the terminal 'dumb' cannot show it"

tmux new-window "sh -c 'echo \$\$ >$T/top.pid; exec $THPCTL top'"
wait_until shows 'System says'
kill -TERM "$(cat "$T/top.pid")"
# Ended, be it still to be waited for: under timeout(1) tmux leaves that for later.
gone() {
	! grep -q '^State:.[^Z]' "/proc/$(cat "$T/top.pid")/status"
}
ok "TERM ends it" wait_until gone

done_testing
