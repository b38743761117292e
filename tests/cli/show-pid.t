#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl show PID on processes that are hard to read, and on PIDs that are none.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

# json PID FILTER: what jq finds in the first process of the answer.
json() {
	"$THPCTL" show --json "$1" | jq -c ".processes[0] | $2"
}

# ---- PIDs that are none -------------------------------------------------------------------------

for pid in 0 -1 abc '' 1x 0x1 ' 1' 1.5 99999999999 4294967297 18446744073709551617 $'1\e[2J'; do
	run "$THPCTL" show -- "$pid"
	is "PID '${pid//[^ -~]/?}': status" "$STATUS" 2
	like "PID '${pid//[^ -~]/?}': says so" "$ERR" \
		"^thpctl: show: '.*' is not a process id: a whole number from 1$"
	is "PID '${pid//[^ -~]/?}': one line, nothing else" "$(wc -l <"$T/err")$OUT" 1
	unlike "PID '${pid//[^ -~]/?}': no raw control characters" "$ERR" $'\e'
done
run "$THPCTL" show --tree 4294967297
is "--tree 4294967297: status" "$STATUS" 2

sleep 0 &
gone=$!
wait "$gone"
run "$THPCTL" show "$gone"
is "a PID that is gone: status" "$STATUS" 1
like "a PID that is gone: says so" "$ERR" "^thpctl: PID $gone: no such process"
run "$THPCTL" show --tree "$gone"
is "--tree of a PID that is gone: status" "$STATUS" 1
is "--tree of a PID that is gone: one line" "$(wc -l <"$T/err")" 1
run "$THPCTL" show 2147483647 $$
is "one gone, one there: status" "$STATUS" 1
like "one gone, one there: shows the one" "$OUT" "^PID $$ \\("
run "$THPCTL" show --json 2147483647 $$
is "one gone, one there: JSON" "$STATUS $(jq -c '[.processes[].pid]' <<<"$OUT")" "1 [$$]"

for words in "--all 1" "--all --tree 1" "--tree 1 1"; do
	# shellcheck disable=SC2086 # words
	run "$THPCTL" show $words
	is "$words: status" "$STATUS" 2
	like "$words: says why" "$ERR" "exclude each other"
done
for words in --frob -y --tree --sysroot --json=1; do
	run "$THPCTL" show "$words"
	is "$words: status" "$STATUS" 2
	is "$words: one line, nothing else" "$(wc -l <"$T/err")$OUT" 1
done
run "$THPCTL" show --sysroot /no/such/tree
is "--sysroot of no tree: status" "$STATUS" 1
like "--sysroot of no tree: says why" "$ERR" "cannot open '/no/such/tree': No such file"

# ---- modes, from outside ------------------------------------------------------------------------

start "$BIN/launcher" 1 sh -c 'echo "$$"; exec sleep 100'
is "a flagged process: mode" "$(json "$LINE" '[.mode, .possible, .effective]')" \
	'["never",["never"],["never"]]'
is "a flagged process: from whom" "$(json "$LINE" .flag_from.command)" '"launcher"'
start "$BIN/launcher" 0 sh -c 'echo "$$"; exec sleep 100'
if has_except_advised; then
	is "a process without: unknown, never guessed" "$(json "$LINE" '[.mode, .possible]')" \
		'["unknown",["default","madvise"]]'
	start "$BIN/launcher" 3 sh -c 'echo "$$"; exec sleep 100'
	is "one with the madvise flag looks the same" "$(json "$LINE" '[.mode, .possible]')" \
		'["unknown",["default","madvise"]]'
	like "and the text says so" "$("$THPCTL" show "$LINE")" \
		"mode +default\\|madvise \\(alike from outside\\)"
else
	is "a process without: default" "$(json "$LINE" '[.mode, .possible]')" \
		'["default",["default"]]'
fi
for pair in "0 default" "1 never" "3 madvise"; do
	read -r flag name <<<"$pair"
	if [ "$flag" = 3 ] && ! has_except_advised; then
		skip "this shell: $name" "this kernel is older than Linux 6.18"
		continue
	fi
	run "$BIN/launcher" "$flag" "$THPCTL" show
	like "this shell: $name" "$OUT" "this shell +$name"
done
# shellcheck disable=SC2016 # for the inner shell
run "$BIN/launcher" 1 sh -c '"$0" show; :' "$THPCTL"
like "this shell: tells where never comes from" "$OUT" "the flag starts at PID [0-9]+ \\(launcher\\)"

# ---- odd processes ------------------------------------------------------------------------------

names=(
	$'new\nline' 'a) R 1 (b' $'\e[31mred' '  blanks  ' $'tab\there' 'back\slash' $'\xff\xfe' 'übung'
	'State:' '"quoted"'
)
shown=(
	'new\nline' 'a) R 1 (b' '\x1b[31mred' '  blanks  ' 'tab\there' 'back\\slash' '\xff\xfe' 'übung'
	'State:' '"quoted"'
)
for i in "${!names[@]}"; do
	start "$BIN/being" name "${names[i]}"
	run "$THPCTL" show "$LINE"
	is "name ${shown[i]}: status" "$STATUS$ERR" 0
	is "name ${shown[i]}: as text" "$(head -n 1 "$T/out")" "PID $LINE (${shown[i]}), user $(id -u)"
	is "name ${shown[i]}: in a table" \
		"$("$THPCTL" show --all | awk -v pid="$LINE" '$1 == pid' | wc -l)" 1
	# JSON has all that is UTF-8; what is not becomes U+FFFD.
	is "name ${shown[i]}: as JSON" "$(json "$LINE" .command)" \
		"$(printf %s "${names[i]}" | python3 -c 'import json, sys
print(json.dumps(sys.stdin.buffer.read().decode("utf-8", "replace"), ensure_ascii=False))')"
done

start "$BIN/being" zombie
run "$THPCTL" show "$LINE"
is "zombie: status" "$STATUS$ERR" 0
like "zombie: says so" "$OUT" "memory +none: the process has ended .zombie."
is "zombie: JSON has no sizes" "$(json "$LINE" '[.kind, .mode, .resident_bytes, .huge_bytes]')" \
	'["zombie",null,null,null]'

start "$BIN/being" thread
run "$THPCTL" show "$LINE"
is "a thread's id: status" "$STATUS$ERR" 0
like "a thread's id: shows its process" "$OUT" "^PID $PID \\(being\\)"
is "a thread's id: JSON" "$(json "$LINE" '[.pid, .kind]')" "[$PID,\"user\"]"
is "a thread's id: the tree is its process's" \
	"$("$THPCTL" show --tree "$LINE" | awk -v pid="$PID" '$1 == pid' | wc -l)" 1

kernel=$(awk '/^Kthread:\t1/ { print FILENAME; exit }' /proc/[0-9]*/status 2>/dev/null)
kernel=${kernel//[!0-9]/}
if [ -n "$kernel" ]; then
	run "$THPCTL" show "$kernel"
	is "kernel thread: status" "$STATUS$ERR" 0
	like "kernel thread: says so" "$OUT" "memory +none: a kernel thread"
	is "kernel thread: not among all that have memory" \
		"$("$THPCTL" show --all | awk -v pid="$kernel" '$1 == pid')" ""
else
	skip "kernel thread" "none is visible here (a container, or before Linux 6.8)"
fi

start sh -c 'echo started; exec sleep 100'
kill -STOP "$PID"
run "$THPCTL" show "$PID"
is "a stopped process: status" "$STATUS$ERR" 0
like "a stopped process: stays so" "$(grep ^State "/proc/$PID/status")" "T .stopped"

# ---- without permission -------------------------------------------------------------------------

if is_root; then
	mkdir "$T/bin"
	cp "$THPCTL" "$BUILD/thpctl-show" "$T/bin/"
	start "$BIN/launcher" 1 sh -c 'echo "$$"; exec sleep 100'
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$T/bin/thpctl" show "$LINE"
	is "another user's process: status" "$STATUS$ERR" 0
	like "another user's process: the mode is shown" "$OUT" "mode +never"
	like "another user's process: huge is unknown, not 0" "$OUT" \
		"resident, huge unknown: smaps_rollup cannot be read"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$T/bin/thpctl" show --json "$LINE"
	is "another user's process: JSON" \
		"$(jq -c '.processes[0] | [.mode, .huge_bytes, .resident_bytes > 0]' <<<"$OUT")" \
		'["never",null,true]'
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$T/bin/thpctl" show --all
	is "all processes, as nobody: status" "$STATUS$ERR" 0
	like "all processes, as nobody: others' are ?" \
		"$(awk -v pid="$LINE" '$1 == pid' "$T/out")" " \\? +\\? "
else
	skip "another user's process" "needs root to be another user"
fi

done_testing
