#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl compare: interrupted, it tells what it has; resumed, it goes on as if nothing had happened.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

order='[.runs[] | [.program, .round, .position, .arm]]'
modes=(-q -m "never,default")

# A setting that another test changes meanwhile would be another machine to a checkpoint.
exec 9>>/run/lock/thp-sysfs.lock && flock -s 9

# Lines of a checkpoint that may not be there yet.
lines() { # FILE
	{ wc -l <"$1"; } 2>/dev/null || echo 0
}

# has_lines FILE N: more than N
has_lines() {
	[ "$(lines "$1")" -gt "$2" ]
}

# ---- interrupt --------------------------------------------------------------------------------------

for signal in INT TERM; do
	"$THPCTL" compare "${modes[@]}" -n 1000 -w 0 -c "$T/$signal" --export "json:$T/$signal.json" \
		-- sleep 0.02 >"$T/out" 2>"$T/err" &
	pid=$!
	STARTED+=("$pid")
	ok "$signal: runs are recorded" wait_until has_lines "$T/$signal" 9
	kill -s "$signal" "$pid"
	wait "$pid" 2>/dev/null
	is "$signal: it ends by the signal" $? $((128 + $(kill -l "$signal")))
	like "$signal: it tells that it is partial" "$(cat "$T/out")" 'partial +[0-9]+ runs were finished .*; go on with --resume /'
	like "$signal: with a ratio" "$(cat "$T/out")" 'ratio +[0-9.]+ \['
	ok "$signal: exports say so too" jq -e '.interrupted and (.runs | length) >= 9' "$T/$signal.json"
done

# The command is ended too: it is a group of its own, which a terminal's ^C does not reach.
"$THPCTL" compare "${modes[@]}" -n 3 -- sleep 654.5 >"$T/out" 2>&1 &
pid=$!
STARTED+=("$pid")
wait_until pgrep -f '^sleep 654\.5' >/dev/null
kill -INT "$pid"
wait "$pid" 2>/dev/null
is "the command ends with the interrupt" "$(pgrep -f '^sleep 654\.5' | wc -l)" 0

# ---- resume -----------------------------------------------------------------------------------------

run "$THPCTL" compare "${modes[@]}" -n 6 -w 0 --seed 42 --json -- sleep 0.01
jq -c "$order" "$T/out" >"$T/whole"

# Killed where it stands, in the middle of writing for all it knows.
"$THPCTL" compare "${modes[@]}" -n 6 -w 0 --seed 42 -c "$T/ck" -- sleep 0.01 >/dev/null 2>&1 &
pid=$!
STARTED+=("$pid")
until has_lines "$T/ck" 5; do :; done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
ok "killed before its end" test "$(lines "$T/ck")" -lt 13
printf '{"program":"sleep","arm":"nev' >>"$T/ck" # a line that the crash cut off
kept=$(sed -n 2,5p "$T/ck")
run "$THPCTL" compare -q -r "$T/ck" --json
is "resumed: status" "$STATUS" 0
is "... in the order that was planned" "$(jq -c "$order" "$T/out")" "$(cat "$T/whole")"
is "... what was measured stays" "$(sed -n 2,5p "$T/ck")" "$kept"
is "... the checkpoint is whole" "$(jq -c . "$T/ck" | wc -l)" 13

run "$THPCTL" compare -q -r "$T/ck" --export "csv:$T/again.csv"
is "nothing left to run: status" "$STATUS" 0
is "... the same runs are exported anew" "$(wc -l <"$T/again.csv")" 13
run "$THPCTL" compare -q -r "$T/ck" -n 8 --json
is "more runs than at first" "$(jq '.runs | length' "$T/out")" 16
run "$THPCTL" compare -q -r "$T/ck" -m never,madvise
is "other modes are refused: status" "$STATUS" 2
run "$THPCTL" compare -q -r "$T/ck" -- true
is "another command is refused: status" "$STATUS" 2

run "$THPCTL" compare "${modes[@]}" -n 6 -c "$T/ck" -- true
is "a checkpoint is never overwritten: status" "$STATUS" 1
like "... and says what helps" "$ERR" '--resume goes on with it'
sed 's/"enabled":"[a-z]*"/"enabled":"strange"/' "$T/ck" >"$T/other"
run "$THPCTL" compare -q -r "$T/other"
is "another setting is not mixed in: status" "$STATUS" 1
like "... and says so" "$ERR" "'thp' differs"
run "$THPCTL" compare -q -r "$T/whole"
is "no checkpoint: status" "$STATUS" 1
like "... and says so" "$ERR" 'is no checkpoint'
run "$THPCTL" compare -q -r "$T/nothing"
like "a missing checkpoint" "$ERR" 'cannot read checkpoint .*No such file'

done_testing
