#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The mode reaches every kind of program and all its descendants, and nobody else.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

# flag_of ARG...: PR_GET_THP_DISABLE in a process that thpctl run ARG... ends in.
flag_of() {
	rm -f "$T/state"
	"$THPCTL" run "$@" "$T/state" || echo "status $?"
	tail -n 1 "$T/state"
}

modes=("never 1" "default 0")
if has_except_advised; then
	modes+=("madvise 3")
else
	skip "madvise by the process flag" "this kernel is older than Linux 6.18"
fi

# ---- kinds of programs --------------------------------------------------------------------------

cat >"$T/script" <<-EOF
	#!/bin/sh
	exec "$BIN/state" "\$@"
EOF
sed 1d "$T/script" >"$T/bare-script"
chmod +x "$T/script" "$T/bare-script"
for pair in "${modes[@]}"; do
	read -r mode flag <<<"$pair"
	is "$mode: dynamic program" "$(flag_of "$mode" -- "$BIN/state")" "thp $flag"
	is "$mode: static program" "$(flag_of "$mode" -- "$BIN/state-static")" "thp $flag"
	if [ -x "$BIN/state-musl" ]; then
		is "$mode: static program of musl" "$(flag_of "$mode" -- "$BIN/state-musl")" "thp $flag"
	else
		skip "$mode: static program of musl" "no musl-gcc here"
	fi
	is "$mode: script" "$(flag_of "$mode" -- "$T/script")" "thp $flag"
	is "$mode: script without #!" "$(flag_of "$mode" -- "$T/bare-script")" "thp $flag"
	is "$mode: through env, nice and a shell" \
		"$(flag_of "$mode" -- env nice sh -c "\"\$@\" && :" sh "$BIN/state")" "thp $flag"
	# shellcheck disable=SC2016 # for the inner shells
	is "$mode: grandchildren" \
		"$(flag_of "$mode" -- sh -c '(sh -c "\"\$@\"; :" sh "$@"); :' sh "$BIN/state")" \
		"thp $flag"
	is "$mode: in the background of a shell" \
		"$(flag_of "$mode" -- sh -c '"$@" & wait' sh "$BIN/state")" "thp $flag"
done

if [ -x "$BIN/openmp" ]; then
	is "Fortran with OpenMP: all threads have never" \
		"$("$THPCTL" run never -- "$BIN/openmp" | sort | tr '\t' ' ')" \
		"$(printf 'thread %d THP_enabled: 0\n' 0 1 2 3)"
	is "Fortran with OpenMP: none has it under default" \
		"$("$THPCTL" run default -- "$BIN/openmp" | grep -c 'THP_enabled:.*1$')" 4
else
	skip "Fortran with OpenMP" "no gfortran here"
fi

# A set-user-ID program keeps both its rights and the flag: the kernel clears neither.
setuid_program() {
	cp "$BIN/state" "$T/setuid" && cp "$THPCTL" "$T/thpctl" && chmod 4755 "$T/setuid" &&
		[[ ! ,$(findmnt -n -o OPTIONS -T "$T"), == *,nosuid,* ]]
}
if ! is_root; then
	skip "set-user-ID program" "needs root to make one"
elif ! setuid_program; then
	skip "set-user-ID program" "$T is mounted nosuid"
else
	for pair in "${modes[@]}"; do
		read -r mode flag <<<"$pair"
		rm -f "$T/state"
		ok "$mode: set-user-ID program runs" setpriv --reuid 65534 --regid 65534 --clear-groups \
			"$T/thpctl" run "$mode" -- "$T/setuid" "$T/state"
		is "$mode: set-user-ID program has the flag" "$(tail -n 1 "$T/state")" "thp $flag"
		is "$mode: set-user-ID program has its rights" "$(grep '^ids' "$T/state")" \
			"ids 65534 0 65534 65534"
		like "$mode: set-user-ID program is a secure one" "$(<"$T/state")" "secure 1"
	done
fi

# ---- an inherited flag --------------------------------------------------------------------------

# Whatever the parent has, the command gets what was asked for, and the parent keeps its own.
inherited=("1 never" "0 default")
has_except_advised && inherited+=("3 madvise")
for from in "${inherited[@]}"; do
	read -r before name <<<"$from"
	for pair in "${modes[@]}"; do
		read -r mode flag <<<"$pair"
		rm -f "$T/state"
		run "$BIN/launcher" "$before" "$THPCTL" run "$mode" -- "$BIN/state" "$T/state"
		is "from $name to $mode" "$STATUS $(tail -n 1 "$T/state")" "0 thp $flag"
		is "from $name to $mode: the parent keeps its flag" "$ERR" "launcher's flag: $before"
	done
	rm -f "$T/state"
	"$BIN/launcher" "$before" "$THPCTL" run default -- "$THPCTL" run never -- \
		"$THPCTL" run default -- "$BIN/state" "$T/state" 2>/dev/null
	is "from $name: the last of several decides" "$(tail -n 1 "$T/state")" "thp 0"
done

# ---- what is told -------------------------------------------------------------------------------

for pair in "${modes[@]}"; do
	read -r mode flag <<<"$pair"
	run "$THPCTL" run --verbose "$mode" -- true
	like "$mode --verbose tells what it rests on" "$ERR" \
		"^thpctl: $mode is in force: the process flag was read back"
	run "$THPCTL" run --best-effort default -- true
	is "$mode --best-effort says nothing when all went well" "$STATUS$ERR" 0
done

done_testing
