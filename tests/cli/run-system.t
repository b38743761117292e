#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Modes that rest on the system's setting: always, and madvise before Linux 6.18. What the flag of a
# process cannot give is refused, never replaced by something else in silence.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

# An older kernel, made of this one: prctl() knows no flags.
BEFORE_6_18=("$BIN/seccomp" 41/2=EINVAL --)

# attempt NAME SYSTEM WANTED REGEX COMMAND...: the status and flag that come out of COMMAND, which
# ends in writing $T/state, while the system says SYSTEM. WANTED: "STATUS FLAG", or "STATUS not run".
attempt() {
	local name=$1 system=$2 wanted=$3 regex=$4 flag="not run"

	shift 4
	rm -f "$T/state"
	run with_system "enabled=$system" hugepages-2048kB/enabled=inherit -- "$@" \
		"$BIN/state" "$T/state"
	[ ! -e "$T/state" ] || flag=$(tail -n 1 "$T/state")
	is "$name, system $system" "$STATUS $flag" "$wanted"
	if [ -n "$regex" ]; then
		like "$name, system $system: says so" "$ERR" "$regex"
	else
		is "$name, system $system: silent" "$ERR" ""
	fi
}

for system in always madvise never; do
	if ! can_system "enabled=$system" hugepages-2048kB/enabled=inherit; then
		skip "the system says $system" "$CANNOT_SYSTEM"
		continue
	fi

	# ---- always: cannot be given by the flag; ways without it are in tests/always ------------

	case $system in
	always)
		attempt "always" "$system" "0 thp 0" "" "$THPCTL" run always --
		attempt "always --verbose" "$system" "0 thp 0" \
			"^thpctl: always by the system's setting" "$THPCTL" run -v always --
		;;
	madvise)
		attempt "always" "$system" "0 thp 0" "" "$THPCTL" run always --how settings --
		;;
	never)
		attempt "always" "$system" "3 not run" \
			"^thpctl: cannot start '.*' with always: .*system says never; .*; --best-effort" \
			"$THPCTL" run always --how settings --
		attempt "always --best-effort" "$system" "0 thp 0" \
			"^thpctl: always is not in force: .*says never; .*; the command starts with default$" \
			"$THPCTL" run --best-effort always --how settings --
		is "always --best-effort, system $system: one line" "$(wc -l <"$T/err")" 1
		;;
	esac

	# ---- madvise and never where the kernel is older ----------------------------------------

	case $system in
	madvise)
		attempt "madvise before 6.18" "$system" "0 thp 0" \
			"^thpctl: madvise rests on the system's setting, not on a flag" \
			"${BEFORE_6_18[@]}" "$THPCTL" run madvise --
		;;
	*)
		attempt "madvise before 6.18" "$system" "3 not run" \
			"^thpctl: cannot start .*EXCEPT_ADVISED.*needs Linux 6.18.*system says $system" \
			"${BEFORE_6_18[@]}" "$THPCTL" run madvise --
		attempt "madvise before 6.18 --best-effort" "$system" "0 thp 0" \
			"^thpctl: madvise is not in force: .*the command starts with default$" \
			"${BEFORE_6_18[@]}" "$THPCTL" run madvise --best-effort --
		;;
	esac
	attempt "never before 6.18" "$system" "0 thp 1" "" "${BEFORE_6_18[@]}" "$THPCTL" run never --

	# ---- madvise by the flag is a ceiling ---------------------------------------------------

	if ! has_except_advised; then
		skip "madvise by the flag, system $system" "this kernel is older than Linux 6.18"
	elif [ "$system" = never ]; then
		attempt "madvise" "$system" "0 thp 3" "madvise is set, but the system says never" \
			"$THPCTL" run madvise --
	else
		attempt "madvise" "$system" "0 thp 3" "" "$THPCTL" run madvise --
	fi
done

# ---- an inherited flag --------------------------------------------------------------------------

if can_system enabled=always hugepages-2048kB/enabled=inherit; then
	attempt "always clears an inherited never" always "0 thp 0" "launcher's flag: 1" \
		"$BIN/launcher" 1 "$THPCTL" run always --
else
	skip "always clears an inherited never" "$CANNOT_SYSTEM"
fi
if can_system enabled=never hugepages-2048kB/enabled=inherit; then
	attempt "always --best-effort clears an inherited never" never "0 thp 0" \
		"starts with default" "$BIN/launcher" 1 "$THPCTL" run -b always --how settings --
else
	skip "an inherited never, system never" "$CANNOT_SYSTEM"
fi
if can_system enabled=madvise hugepages-2048kB/enabled=inherit; then
	attempt "madvise before 6.18 clears an inherited never" madvise "0 thp 0" "rests on the system" \
		"$BIN/launcher" 1 "${BEFORE_6_18[@]}" "$THPCTL" run madvise --
else
	skip "an inherited never, system madvise" "$CANNOT_SYSTEM"
fi

# ---- the sizes' own settings decide -------------------------------------------------------------

sizes=hugepages-2048kB/enabled
if ! [ -e "$THP/$sizes" ]; then
	skip "settings by size" "this kernel has none (needs Linux 6.8)"
elif ! can_system enabled=never $sizes=always; then
	skip "settings by size" "$CANNOT_SYSTEM"
else
	run with_system enabled=never $sizes=always -- "$THPCTL" run always true
	is "always: top never, 2048 kB always" "$STATUS$ERR" 0
	run with_system enabled=always $sizes=never -- "$THPCTL" run always --how=settings true
	is "always: top always, 2048 kB never" "$STATUS" 3
	like "always: top always, 2048 kB never: says so" "$ERR" "the system says never"
fi

done_testing
