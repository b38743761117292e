#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl in surroundings that refuse or hide things: seccomp filters, /sys covered or read-only.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

# ---- a filter that refuses prctl(2) -------------------------------------------------------------

# refused NAME REGEX RULE MODE: 125, nothing is run, one line names the call and the mode.
refused() {
	local name=$1 regex=$2 rule=$3 mode=$4

	rm -f "$T/was-run"
	run "$BIN/seccomp" "$rule" -- "$THPCTL" run "$mode" -- touch "$T/was-run"
	is "$name: status" "$STATUS" 125
	ok "$name: nothing was run" test ! -e "$T/was-run"
	like "$name: names the call and why" "$ERR" \
		"^thpctl: cannot start 'touch' with $mode: $regex.*seccomp filter"
	is "$name: one line" "$(wc -l <"$T/err")" 1
	run "$BIN/seccomp" "$rule" -- "$THPCTL" run --best-effort "$mode" -- echo started
	is "$name: --best-effort starts it" "$STATUS $OUT" "0 started"
	like "$name: --best-effort says what is missing" "$ERR" "^thpctl: $mode (is|may) not (be )?in force: $regex"
}

refused "SET refused by EPERM" "prctl.PR_SET_THP_DISABLE, 1, 0.: Operation not permitted" \
	41=EPERM never
refused "SET refused by EINVAL" "prctl.PR_SET_THP_DISABLE, 1, 0.: Invalid argument" 41=EINVAL never
refused "GET refused by EPERM" "prctl.PR_GET_THP_DISABLE.: Operation not permitted" 42=EPERM never
refused "GET refused by EINVAL" "prctl.PR_GET_THP_DISABLE.: Invalid argument" 42=EINVAL never
refused "GET refused, default" "prctl.PR_GET_THP_DISABLE.: Operation not permitted" 42=EPERM default

# What cannot be read back can still be set.
run "$BIN/seccomp" 42=EPERM -- "$THPCTL" run --best-effort never -- grep THP_enabled /proc/self/status
is "GET refused: --best-effort sets it all the same" "$OUT" $'THP_enabled:\t0'
like "GET refused: --best-effort does not vouch for it" "$ERR" "may not be in force.*unknown mode$"
run "$BIN/seccomp" 41=EPERM 42=EPERM -- "$THPCTL" run --best-effort never -- echo started
like "GET and SET refused: --best-effort" "$STATUS $OUT$ERR" "^0 started.*PR_SET_THP_DISABLE"

run "$BIN/seccomp" 41=EPERM -- "$THPCTL" run default -- echo started
is "default needs no SET where nothing is set" "$STATUS $OUT$ERR" "0 started"
run "$BIN/launcher" 1 "$BIN/seccomp" 41=EPERM -- "$THPCTL" run never -- echo started
like "never needs no SET where it is inherited" "$STATUS $OUT" "0 started"
run "$BIN/launcher" 1 "$BIN/seccomp" 41=EPERM -- "$THPCTL" run default -- echo started
is "default needs SET where never is inherited" "$STATUS $OUT" "125 "

# show knows less, and says unknown instead of guessing.
start "$BIN/being" name target
run "$BIN/seccomp" 42=EPERM -- "$THPCTL" show
is "show where GET is refused: status" "$STATUS$ERR" 0
like "show where GET is refused: unknown" "$OUT" "this shell +unknown: prctl.PR_GET_THP_DISABLE"
for rule in 41=EPERM 41=EINVAL 41=kill; do
	run "$BIN/seccomp" "$rule" -- "$THPCTL" show --json "$PID"
	is "show PID where SET gives ${rule#*=}: what it may be" \
		"$STATUS $(jq -c '.processes[0] | [.mode, .possible]' <<<"$OUT")" \
		'0 ["unknown",["default","madvise"]]'
done
run "$BIN/seccomp" 41/2=EINVAL -- "$THPCTL" show --json "$PID"
is "show PID before Linux 6.18: it is sure" \
	"$(jq -c '.processes[0] | [.mode, .possible]' <<<"$OUT")" '["default",["default"]]'

# ---- /sys covered or read-only ------------------------------------------------------------------

# in_namespace SETUP COMMAND...: runs COMMAND in a mount namespace of its own, after SETUP.
in_namespace() {
	local setup=$1

	shift
	unshare --mount --propagation private sh -c "$setup && exec \"\$@\"" sh "$@"
}
hide="mount -t tmpfs none /sys"
read_only="mount --bind /sys /sys && mount -o remount,bind,ro /sys"
no_proc="mount -t tmpfs none /proc"

if ! in_namespace true true 2>/dev/null; then
	skip "/sys hidden or read-only" "no mount namespaces here (needs root)"
	done_testing
	exit
fi

ok "/sys hidden: it is" in_namespace "$hide" test ! -e /sys/kernel
for mode in never default; do
	run in_namespace "$hide" "$THPCTL" run "$mode" -- true
	is "/sys hidden: $mode" "$STATUS$OUT$ERR" 0
done
if has_except_advised; then
	run in_namespace "$hide" "$THPCTL" run madvise -- true
	is "/sys hidden: madvise" "$STATUS$OUT$ERR" 0
else
	skip "/sys hidden: madvise" "this kernel is older than Linux 6.18"
fi
run in_namespace "$hide" "$THPCTL" run always -- true
is "/sys hidden: always cannot be known" "$STATUS" 3
like "/sys hidden: always cannot be known: says why" "$ERR" "cannot be read: /sys/kernel/mm"
run in_namespace "$hide" "$BIN/seccomp" 41/2=EINVAL -- "$THPCTL" run madvise -- true
is "/sys hidden: madvise before Linux 6.18" "$STATUS" 3
run in_namespace "$hide" "$THPCTL" show
is "/sys hidden: show" "$STATUS$ERR" 0
like "/sys hidden: show says so" "$OUT" "^Transparent huge pages: settings unavailable"
like "/sys hidden: show still tells the mode" "$OUT" "this shell +default"
unlike "/sys hidden: show lists no settings" "$OUT" "(khugepaged|defrag)"
run in_namespace "$hide" "$THPCTL" show --json
is "/sys hidden: JSON" "$(jq -c '[.self_mode, .system.presence, .system.anon, .system.sizes]' \
	<<<"$OUT")" '["default","hidden","unknown",[]]'
run in_namespace "$hide" "$THPCTL" show "$PID"
is "/sys hidden: show PID" "$STATUS$ERR" 0
like "/sys hidden: show PID: the effect is not guessed" "$OUT" "effect +unknown"

run in_namespace "$read_only" sh -c "echo madvise >$THP/enabled"
unlike "/sys read-only: it is" "$STATUS" "^0$"
for mode in never default; do
	run in_namespace "$read_only" "$THPCTL" run "$mode" -- true
	is "/sys read-only: $mode" "$STATUS$OUT$ERR" 0
done
run in_namespace "$read_only" "$THPCTL" show
is "/sys read-only: show" "$STATUS$ERR" 0

# A part of /sys covered is no kernel without THP.
run in_namespace "mount -t tmpfs none /sys/kernel/mm" "$THPCTL" show
like "/sys/kernel/mm covered: show" "$OUT" "^Transparent huge pages: settings unavailable"
like "a filter refuses madvise, the system says it: names the call" "$(
	"$BIN/seccomp" 41/2=EPERM -- "$THPCTL" run madvise -- true 2>&1)" \
	"(rests on the system's setting.*PR_SET_THP_DISABLE, 1, PR_THP_DISABLE_EXCEPT_ADVISED|and the system says)"

# A /proc of another PID namespace numbers other processes: 1 is not the one that asks.
if unshare --pid --fork true 2>/dev/null; then
	run unshare --pid --fork --kill-child "$THPCTL" run never -- "$THPCTL" show --json --no-size 1
	is "/proc of another PID namespace: PID 1 is not this process" \
		"$(jq -r '.processes[0].mode' <<<"$OUT")" \
		"$("$THPCTL" show --json --no-size 1 | jq -r '.processes[0].mode')"
	run unshare --pid --fork --kill-child "$THPCTL" set never 1
	is "/proc of another PID namespace: set is refused" "$STATUS" 1
	like "/proc of another PID namespace: set says why" "$ERR" "of another PID namespace"
else
	skip "/proc of another PID namespace" "unshare is not permitted"
fi

# Without /proc a static program still runs its command; of processes it can say nothing.
if is_sanitized; then
	skip "/proc hidden" "a sanitizer cannot work without /proc"
else
	run in_namespace "$no_proc" "$THPCTL" run never -- echo started
	is "/proc hidden: never" "$STATUS $OUT$ERR" "0 started"
	run in_namespace "$no_proc" "$BUILD/thpctl-show" --all
	is "/proc hidden: show --all finds nothing" "$STATUS $(wc -l <<<"$OUT")$ERR" "0 1"
	run in_namespace "$no_proc" "$BUILD/thpctl-show" 1
	is "/proc hidden: show PID" "$STATUS" 1
fi

done_testing
