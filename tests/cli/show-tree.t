#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl show --tree names the process from which on the flag is set: sh -> launcher (sets the flag)
# -> sh -> sleep. A person who finds THP off in a shell finds who did it.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

# Prints the last one's PID; each shell stays, since it has something to do after its child.
# shellcheck disable=SC2016 # for the inner shells
start sh -c '"$0" 1 sh -c "sh -c \"echo \\\$\\\$; exec sleep 100\"; :"; :' "$BIN/launcher"
last=$LINE
shell=$(awk '/^PPid/ { print $2 }' "/proc/$last/status")
launcher=$(awk '/^PPid/ { print $2 }' "/proc/$shell/status")
top=$PID
wait_until grep -qx sleep "/proc/$last/comm"

# row PID: the line of a process in the table.
row() {
	awk -v pid="$1" '$1 == pid' "$T/out"
}

for asked in "$top" "$launcher" "$shell" "$last"; do
	run "$THPCTL" show --tree "$asked"
	is "tree of $(<"/proc/$asked/comm"): status" "$STATUS$ERR" 0
	like "the launcher is marked" "$(row "$launcher")" " never .* launcher +<- never starts here$"
	is "nobody else is marked" "$(grep -c 'never starts here' "$T/out")" 1
	unlike "the shell before it has no flag" "$(row "$top")" " never "
	is "from the top down" "$(awk '{ print $1 }' "$T/out" |
		grep -xE "$top|$launcher|$shell|$last" | tr '\n' ' ')" "$top $launcher $shell $last "
done
like "the one asked for is there" "$(row "$last")" " never .* sleep$"
like "its parent too" "$(row "$shell")" " never .* sh$"

# Deeper processes stand further to the right.
indent() {
	row "$1" | sed 's/.*%  //; s/[^ ].*//' | awk '{ print length }'
}
ok "each level is indented more" test "$(indent "$top")" -lt "$(indent "$launcher")" -a \
	"$(indent "$launcher")" -lt "$(indent "$shell")" -a "$(indent "$shell")" -lt "$(indent "$last")"

run "$THPCTL" show --tree "$launcher"
ok "the tree has all descendants" test -n "$(row "$shell")" -a -n "$(row "$last")"
run "$THPCTL" show --tree "$$"
ok "the tree has the ancestors" test -n "$(row "$PPID")"
is "each process once" "$(awk 'NR > 1 { print $1 }' "$T/out" | sort | uniq -d)" ""

run "$THPCTL" show "$last"
like "show PID has the chain" "$OUT" "$launcher +never +launcher +<- the flag starts here"
is "show PID: one origin" "$(grep -c 'flag starts' "$T/out")" 1
is "show --json has the origin" \
	"$("$THPCTL" show --json "$last" | jq -c '.processes[0].flag_from')" \
	"{\"pid\":$launcher,\"command\":\"launcher\"}"
is "show --tree --json too" "$("$THPCTL" show --tree "$top" --json | jq -c \
	"[.processes[] | select(.flag_from.pid == $launcher) | .pid] | sort")" \
	"$(jq -cn "[$launcher, $shell, $last] | sort")"
run "$THPCTL" show --all
like "show --all marks it as well" "$(row "$launcher")" "<- never starts here$"

# ---- the culprit has exited ---------------------------------------------------------------------

# Then the mark goes to the oldest descendant that is left.
# shellcheck disable=SC2016 # for the inner shell
start "$THPCTL" run never -- sh -c 'sleep 100 >/dev/null & echo $!'
STARTED+=("$LINE")
wait "$PID"
run "$THPCTL" show "$LINE"
is "an orphan: status" "$STATUS$ERR" 0
like "an orphan is where its flag starts, as far as can be seen" "$OUT" \
	"$LINE +never +sleep +<- the flag starts here"

done_testing
