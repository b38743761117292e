#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command gets from thpctl run exactly what it would have got without: arguments, environment,
# descriptors, signals, limits and so on byte for byte; and thpctl is gone. MODE: that of thpctl run.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

MODE=${MODE:-never}
# The flag as the command finds it, and what the mode adds to the environment.
case $MODE in
always)
	flag=0
	added="^env $(printf %s GLIBC_TUNABLES= | od -An -tx1 | tr -d ' \n')"
	;;
*)
	flag=1
	added=
	;;
esac

# What the command finds is written to $T/state, whose name is the same each time.
STATE=("$BIN/state" "$T/state")

# same NAME SURROUNDING [IGNORED]: SURROUNDING is a function that runs its arguments somehow. It runs
# the command once bare and once under thpctl, and the command finds the same but for the flag (and
# its parent, a subshell of this one; and what matches IGNORED). "env" sets the shell's variable "_"
# to the same word whatever it starts.
same() {
	local name=$1 surrounding=$2 ignored="^(thp|parent)${added:+|$added}${3:+|$3}"

	rm -f "$T/state" "$T/bare" "$T/under"
	"$surrounding" env "${STATE[@]}" 2>"$T/errors"
	mv "${STATE[1]}" "$T/bare"
	mv "$T/errors" "$T/errors-bare"
	"$surrounding" env "$THPCTL" run "$MODE" -- "${STATE[@]}" 2>"$T/errors"
	mv "${STATE[1]}" "$T/under"
	is "$name: the flag is set" "$(tail -n 1 "$T/under")" "thp $flag"
	ok "$name: the rest is the same" \
		diff <(grep -vE "$ignored" "$T/bare") <(grep -vE "$ignored" "$T/under")
	ok "$name: errors are the same" diff "$T/errors-bare" "$T/errors"
}

# How many items of a state there are, for a test that shall not pass for nothing.
items() {
	grep -c "^$1" "$T/under"
}

# ---- arguments and environment ------------------------------------------------------------------

plain() {
	"$@"
}
same "plainly" plain

arguments() {
	"$@" --never "" "a b" $'x\ny' -- -- --best-effort -v "" $'\x01\x7f\xff\xfe' 'ö' '*' "'" \
		'"' "\\" "$(head -c 100000 /dev/zero | tr '\0' x)"
}
same "arguments" arguments
is "arguments: all were there" "$(items argv)" 18

many_arguments() {
	local words

	mapfile -t words < <(seq 20000)
	"$@" "${words[@]}"
}
same "many arguments" many_arguments
is "many arguments: all were there" "$(items argv)" 20002

# Variables that mean something to a C library, a loader or a shell are the command's all the same.
environment() {
	GLIBC_TUNABLES=glibc.malloc.check=3 LD_LIBRARY_PATH=/no/such MALLOC_ARENA_MAX=1 \
		OMP_NUM_THREADS=3 EMPTY='' NEWLINE=$'a\nb' BYTES=$'\xff\x01' TZ=UTC IFS=x \
		LD_BIND_NOW=1 "$@"
}
same "environment" environment
ok "environment: tunables survive" grep -q \
	"^env $(printf %s GLIBC_TUNABLES=glibc.malloc.check=3 | od -An -tx1 | tr -d ' \n')" "$T/under"

# Not even names that no shell can set, double ones, or nothing at all.
odd_environment() {
	env -i '=x' 'a b=c' '1=2' 'X=1' "$(printf 'U=\302\240')" "$@"
}
same "odd environment" odd_environment

no_environment() {
	env -i "$@"
}
same "no environment" no_environment
is "no environment: none" "$(items env)" "$([ -z "$added" ] && echo 0 || echo 1)"

# ---- files --------------------------------------------------------------------------------------

echo "some text" >"$T/in"
descriptors() {
	"$@" 3<"$T/in" 4>"$T/four" 5<>"$T/five" 6</dev/null 7<"$T" 8>>"$T/four" 9<"$T/in" \
		10<"$T/in" 11</dev/null 12<&3 13<&5 14</etc/passwd 15<"$T/in" 16<"$T/in" 17<"$T/in" \
		18<"$T/in" 19<"$T/in" 20<"$T/in" 200<"$T/in" <"$T/in" >"$T/stdout"
}
same "descriptors 3 to 20" descriptors
ok "descriptors 3 to 20: all were there" test "$(items fd)" -ge 22

no_stdin() {
	"$@" <&-
}
no_stdout() {
	"$@" >&-
}
no_stderr() {
	"$@" 2>&-
}
no_standard_files() {
	"$@" <&- >&- 2>&-
}
for closed in no_stdin no_stdout no_stderr no_standard_files; do
	same "$closed" "$closed"
done
ok "no_standard_files: none" test "$(grep -cE '^fd [012] ' "$T/under")" = 0

elsewhere() {
	(mkdir -p "$T/some where" && cd "$T/some where" && "$@")
}
same "working directory" elsewhere
gone() {
	(mkdir "$T/gone" && cd "$T/gone" && rmdir "$T/gone" && "$@")
}
same "working directory that is gone" gone

# Standard input is not read ahead: what the shell read before, thpctl leaves alone.
head -c 3000000 /dev/urandom >"$T/random"
# shellcheck disable=SC2002 # a pipe it shall be
is "piped input arrives intact" "$(cat "$T/random" | "$THPCTL" run "$MODE" -- sha256sum)" \
	"$(sha256sum <"$T/random")"
is "the rest of a shared input is left to the next" \
	"$({ "$THPCTL" run "$MODE" -- head -c 5 >/dev/null && cat; } <<<"12345rest")" rest
is "output through a pipe" "$("$THPCTL" run "$MODE" -- cat "$T/random" | sha256sum)" \
	"$(sha256sum <"$T/random")"

# ---- signals ------------------------------------------------------------------------------------

ignored() {
	(trap '' HUP QUIT USR1 PIPE CHLD && "$@")
}
same "ignored signals" ignored
not_zero() {
	[[ ! $(sed -n "s/^$1:\\t//p" "$T/under") =~ ^0*$ ]]
}
ok "ignored signals: some are" not_zero SigIgn

hung_up() {
	nohup "$@" </dev/null
}
same "nohup" hung_up

if env --block-signal=USR1 true 2>/dev/null; then
	blocked() {
		env --block-signal=USR1,TERM,CHLD --default-signal=PIPE "$@"
	}
	same "blocked signals" blocked
	ok "blocked signals: some are" not_zero SigBlk
else
	skip "blocked signals" "this env(1) cannot block signals (needs coreutils 8.31)"
fi

# ---- limits, priorities, identity ---------------------------------------------------------------

limited() {
	(ulimit -n 100 && ulimit -c 0 && ulimit -t 1000 && ulimit -s 4096 && ulimit -u 5000 &&
		ulimit -f 100000 && umask 027 && "$@")
}
same "limits and umask" limited
ok "limits and umask: they are" grep -qx 'limit 7 100 100' "$T/under"

nicely() {
	nice -n 7 ionice -c 3 taskset -c 0 "$@"
}
same "nice, ionice and taskset" nicely
like "nice, ionice and taskset: they are" "$(grep '^umask' "$T/under")" 'nice [1-9]'

own_session() {
	setsid --wait "$@"
}
same "a session of its own" own_session "^group"

if is_root; then
	nobody() {
		setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$@"
	}
	mkdir "$T/bin"
	mkdir -m 777 "$T/open"
	cp "$THPCTL" "$THPCTL-run-more" "$BIN/state" "$T/bin/" # the build directory may be closed to others
	THPCTL=$T/bin/thpctl
	STATE=("$T/bin/state" "$T/open/state")
	same "an unprivileged user" nobody
	like "an unprivileged user: is one" "$(grep '^ids' "$T/under")" '^ids 65534 65534'
else
	skip "another user" "needs root"
fi

# ---- in its place -------------------------------------------------------------------------------

"$THPCTL" run "$MODE" -- sleep 300 &
pid=$!
STARTED+=("$pid")
comm_is_sleep() {
	[ "$(</proc/$pid/comm)" = sleep ]
}
ok "the command has thpctl's PID" wait_until comm_is_sleep
is "it is the shell's own child" "$(awk '/^PPid/ { print $2 }' /proc/$pid/status)" $$
is "it has no child" "$(cat /proc/$pid/task/*/children 2>/dev/null)" ""
is "it has three descriptors" "$(find /proc/$pid/fd -type l -printf '%f\n' | sort -n | head -n 3 |
	tr '\n' ' ')" "0 1 2 "
kill -TERM "$pid"
wait "$pid"
is "TERM ends it, and the shell sees that" $? 143
ok "nothing is left" test ! -e "/proc/$pid"

done_testing
