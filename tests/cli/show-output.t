#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The forms of thpctl show's answer: JSON that programs can rely on, and what happens to output that
# cannot be written.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

for words in "" "1" "$$" "--all" "--tree $$" "--no-size --all"; do
	# shellcheck disable=SC2086 # words
	run "$THPCTL" show --json $words
	is "JSON of show $words: status" "$STATUS$ERR" 0
	is "JSON of show $words: one valid document" "$(jq -s length "$T/out")" 1
	is "JSON of show $words: schema and version" "$(jq -c '[.schema, .version]' "$T/out")" \
		"[1,\"$("$THPCTL" --version | awk '{ print $2 }')\"]"
done
is "fields of the answer" "$("$THPCTL" show --json 1 | jq -c keys)" \
	'["processes","schema","self_mode","system","version"]'
is "fields of a process" "$("$THPCTL" show --json 1 | jq -c '.processes[0] | keys')" "$(jq -cn '
	["pid", "ppid", "uid", "command", "kind", "tracer", "mode", "possible", "effective",
	"flag_from", "resident_bytes", "huge_bytes", "huge_anon_bytes", "huge_shmem_bytes",
	"huge_file_bytes"] | sort')"
is "short options are the long ones" "$("$THPCTL" show -jn 1 | jq -c .processes[0].pid,.schema)" \
	"$("$THPCTL" show --json --no-size 1 | jq -c .processes[0].pid,.schema)"

# Text is for people: every line ends, none has control characters or blanks at its end.
for words in "" "$$" "--all" "--tree $$"; do
	# shellcheck disable=SC2086 # words
	run "$THPCTL" show $words
	is "text of show $words: status" "$STATUS$ERR" 0
	is "text of show $words: no control characters" "$(grep -c '[[:cntrl:]]' "$T/out")" 0
	is "text of show $words: no blanks at line ends" "$(grep -c ' $' "$T/out")" 0
	is "text of show $words: the last line ends" "$(tail -c 1 "$T/out" | od -An -c | tr -d ' ')" '\n'
done

# ---- output that cannot be written --------------------------------------------------------------

for words in "" "--json" "--all" "--all --json" "1"; do
	if [ -c /dev/full ]; then
		# shellcheck disable=SC2086 # words
		"$THPCTL" show $words >/dev/full 2>"$T/err"
		is "show $words to a full disk: status" $? 1
		is "show $words to a full disk: one line" "$(<"$T/err")" \
			"thpctl: show: cannot write the output: No space left on device"
	else
		skip "show $words to a full disk" "no /dev/full here"
	fi
	# shellcheck disable=SC2086 # words
	"$THPCTL" show $words >&- 2>"$T/err"
	is "show $words to a closed descriptor: status" $? 1
	like "show $words to a closed descriptor: one line" "$(<"$T/err")" \
		"^thpctl: show: cannot write the output: Bad file descriptor$"
done
# A reader that goes away is nobody's failure: SIGPIPE ends it, in silence.
is "show --all to a reader that has gone" \
	"$({ "$THPCTL" show --all --json 2>&1; echo "$?" >"$T/status"; } | true)" ""
like "show --all to a reader that has gone: status" "$(<"$T/status")" "^(0|141)$"

# ---- the verb's program ---------------------------------------------------------------------------

mkdir "$T/alone"
cp "$THPCTL" "$T/alone/"
run "$T/alone/thpctl" show
# It is looked for beside thpctl, in ../libexec/thpctl, and where make install puts it.
if [ -e /usr/local/libexec/thpctl/thpctl-show ]; then
	skip "show without its program" "thpctl is installed on this machine"
else
	is "show without its program: status" "$STATUS" 1
	like "show without its program: says so" "$ERR" \
		"^thpctl: show: cannot execute .*thpctl-show: No such file.*installed completely"
fi
mkdir -p "$T/tree/bin" "$T/tree/libexec/thpctl"
cp "$THPCTL" "$T/tree/bin/"
cp "$BUILD/thpctl-show" "$T/tree/libexec/thpctl/"
run "$T/tree/bin/thpctl" show --json 1
is "show in a tree that was moved" "$STATUS$ERR" 0
run "$T/tree/bin/thpctl" run never -- "$T/tree/bin/thpctl" show
like "show under run never" "$OUT" "this shell +never"

done_testing
