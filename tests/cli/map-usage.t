#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl map: its command line, its forms of output, and what it says when it cannot.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

bad() { # NAME REGEX ARG...
	local name=$1 regex=$2

	shift 2
	run "$THPCTL" map "$@"
	is "$name: status 2" "$STATUS" 2
	like "$name: says what" "$ERR" "$regex"
	is "$name: one line, and nothing else" "$(wc -l <<<"$ERR") $OUT" "1 "
}

bad "no PID" 'give one PID'
bad "three operands" 'give one PID' 1 2 3
bad "no number" "'x\\\\ny' is not a process id" $'x\ny'
bad "no range" "'zz' is not a range of addresses" $$ zz
bad "empty range" "is not a range" $$ 2000-1000
bad "unknown option" "unknown option '--frob'" --frob
bad "a value is missing" "needs a value" --svg
bad "colour" "always, never or auto" --color=perhaps $$
bad "tree and cgroup" "exclude each other" --tree 1 --cgroup /
bad "tree with sizes" "totals only" --tree 1 --sizes

run "$THPCTL" map 999999999
is "no such process: status 1" "$STATUS" 1
like "no such process" "$ERR" '^thpctl: PID 999999999: no such process'
run "$THPCTL" map 2
if [ -d /proc/2 ] && grep -q 'Kthread:.*1' /proc/2/status; then
	is "a kernel thread: status 1" "$STATUS" 1
	like "a kernel thread" "$ERR" 'has no memory of its own'
else
	skip "a kernel thread" "PID 2 is none here"
fi
if is_root && id nobody >/dev/null 2>&1; then
	sleep 60 &
	PID=$!
	STARTED+=("$PID")
	run setpriv --reuid=nobody --clear-groups "$THPCTL" map "$PID"
	is "not permitted: status 1" "$STATUS" 1
	like "not permitted: says which file" "$ERR" "/proc/$PID/.*: Permission denied"
else
	skip "not permitted" "needs root, to be somebody else"
fi

sleep 60 &
PID=$!
STARTED+=("$PID")
wait_until grep -q sleep "/proc/$PID/comm"
run "$THPCTL" map "$PID"
is "text: status 0, no errors" "$STATUS $ERR" "0 "
like "text: the heading" "$OUT" "^PID $PID \\(sleep\\), a whole huge page is"
like "text: the total" "$OUT" 'total, [0-9]+ mappings'
unlike "text: no colour into a pipe" "$OUT" $'\033'
like "text: colour where it is asked for" "$("$THPCTL" map --color=always "$PID")" $'\033\\[0m'
unlike "NO_COLOR is heard on a terminal" \
	"$(NO_COLOR=1 script -qec "$THPCTL map $PID" /dev/null </dev/null)" $'\033'
run "$THPCTL" map --json "$PID"
ok "JSON is JSON" jq -e ".schema == 1 and .pid == $PID and .command == \"sleep\"" "$T/out"
ok "JSON: a total for all mappings" \
	jq -e '.total.resident_bytes == ([.mappings[].resident_bytes] | add)' "$T/out"
heap=$(grep -F '[heap]' "/proc/$PID/maps")
range=${heap%% *}
is "RANGE: one mapping" "$("$THPCTL" map --json "$PID" "$range" | jq -r '.mappings[].name')" '[heap]'
is "RANGE: an address with 0x" \
	"$("$THPCTL" map --json "$PID" "0x${range%%-*}" | jq -r '.mappings[0].start')" "0x${range%%-*}"
is "RANGE: an address is the whole of its mapping" \
	"$("$THPCTL" map --json "$PID" "$(printf '%x' $((0x${range#*-} - 1)))" |
		jq -r '.mappings[0].start')" "0x${range%%-*}"
is "RANGE: where nothing is" "$("$THPCTL" map --json "$PID" 1000-2000 | jq '.mappings | length')" 0
run "$THPCTL" map --svg "$T/map.svg" "$PID"
ok "SVG is XML" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$T/map.svg"
if command -v rsvg-convert >/dev/null; then
	ok "SVG can be drawn" rsvg-convert -o "$T/map.png" "$T/map.svg"
else
	skip "SVG can be drawn" "rsvg-convert is missing"
fi
run "$THPCTL" map --svg /nonexistent/map.svg "$PID"
is "SVG cannot be written: status 1" "$STATUS" 1
like "SVG cannot be written: says where" "$ERR" 'cannot write /nonexistent/map.svg: No such file'
run "$THPCTL" map "$PID" >/dev/full
"$THPCTL" map "$PID" >/dev/full 2>"$T/err"
is "a full disk: status 1" "$?" 1
like "a full disk" "$(cat "$T/err")" 'cannot write the output: No space left'

# ---- groups -------------------------------------------------------------------------------------

sh -c 'sleep 60 & echo $!; wait' >"$T/child" &
top=$!
STARTED+=("$top")
wait_until test -s "$T/child"
STARTED+=("$(cat "$T/child")")
run "$THPCTL" map --tree "$top"
like "--tree: both" "$OUT" "$top.*sh"$'\n'".*$(cat "$T/child").*sleep"
like "--tree: shared memory is labelled" "$OUT" 'SHARE counts memory that several processes share once'
run "$THPCTL" map --tree "$top" --json
ok "--tree: the total is that of its lines" jq -e '.total.processes == 2 and
	.total.proportional_bytes == ([.processes[].proportional_bytes] | add)' "$T/out"
# Others that share its libraries come and go meanwhile.
pss=$(awk '$1 == "Pss:" { print $2 }' "/proc/$top/smaps_rollup")
ok "--tree: Pss as the kernel says ($pss KiB)" \
	jq -e "(.processes[0].proportional_bytes / 1024 - $pss | fabs) < $pss / 4 + 1" "$T/out"
group=$(head -n 1 "/proc/$top/cgroup" | cut -d: -f3)
run "$THPCTL" map --cgroup "$group" --json
ok "--cgroup: it is in" jq -e "[.processes[].pid] | index($top)" "$T/out"
run "$THPCTL" map --cgroup "/no such group"
is "--cgroup: nobody: status 1" "$STATUS" 1
like "--cgroup: nobody" "$ERR" "no process in control group '/no such group'"

done_testing
