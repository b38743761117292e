#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command line of thpctl and of thpctl run: what is accepted, and what is said of the rest.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

# refused NAME REGEX ARG...: status 2, one line of errors, and nothing was run.
refused() {
	local name=$1 regex=$2

	shift 2
	rm -f "$T/was-run"
	run "$THPCTL" "$@"
	is "$name: status" "$STATUS" 2
	like "$name: says why" "$ERR" "$regex"
	is "$name: in one line, on standard error" "$(wc -l <"$T/err") $OUT" "1 "
	ok "$name: nothing was run" test ! -e "$T/was-run"
}

# prints NAME WANTED ARG...: thpctl run ARG... ends well and the command prints WANTED.
prints() {
	local name=$1 wanted=$2

	shift 2
	run "$THPCTL" run "$@"
	is "$name" "$STATUS $OUT" "0 $wanted" || diag "$ERR"
}

touch_it=(touch "$T/was-run")

refused "no verb" "^thpctl: no verb given"
refused "unknown verb" "^thpctl: unknown verb 'frobnicate': 'thpctl help' lists them$" frobnicate
refused "mistyped verb" "unknown verb 'rnu': did you mean 'run'" rnu never "${touch_it[@]}"
refused "a mode for a verb" "did you mean 'thpctl run never'" never "${touch_it[@]}"
refused "empty verb" "unknown verb ''" ""
refused "a verb of odd bytes" "unknown verb '.x1b\\[2J.xff'" $'\x1b[2J\xff'

refused "no mode" "^thpctl: run: no mode given: it is one of never, madvise, always, default$" run
refused "-- in the mode's place" "no mode given" run -- never "${touch_it[@]}"
refused "unknown mode" "unknown mode 'on': it is one of never, madvise, always, default$" \
	run on "${touch_it[@]}"
refused "mistyped mode" "unknown mode 'nevr': .*; did you mean 'never'\\?$" \
	run nevr "${touch_it[@]}"
refused "mode in capitals" "did you mean 'never'" run Never "${touch_it[@]}"
refused "empty mode" "unknown mode ''" run "" "${touch_it[@]}"
refused "the kernel's word for a mode" "unknown mode 'inherit'" run inherit "${touch_it[@]}"
refused "a mode of odd bytes" "unknown mode '.nne.x07ver'" run $'\nne\aver' "${touch_it[@]}"
refused "a very long mode" "unknown mode 'nnnn" run "$(printf '%05000d' 0 | tr 0 n)" "${touch_it[@]}"
refused "no command" "run never: no command given" run never
refused "no command behind --" "run never: no command given" run never --
refused "no command behind options" "no command given" run --verbose never --best-effort
refused "unknown option" "unknown option '--bets-effort'" run --bets-effort never "${touch_it[@]}"
refused "unknown option behind the mode" "unknown option '-x'.*behind '--'" \
	run never -x "${touch_it[@]}"
refused "a cut option" "unknown option '--best'" run --best never "${touch_it[@]}"
refused "a value for an option that has none" "unknown option '--verbose=1'" \
	run --verbose=1 never "${touch_it[@]}"

prints "without --" "a b" never echo a b
prints "with --" "a b" never -- echo a b
prints "the command's options are its own" "-v --best-effort -h" never echo -v --best-effort -h
prints "the second -- is the command's" "-- x --" never -- echo -- x --
prints "-- behind the command is the command's" "-- x" never echo -- x
prints "a mode's name for an argument" "always" never echo always
ok "a command whose name starts with a dash" test "$(
	cp "$(type -P echo)" "$T/-x"
	PATH=$T:$PATH "$THPCTL" run never -- -x hello
)" = hello
prints "options before the mode" "a" -b -v never echo a
like "options before the mode work" "$ERR" "never is in force"
prints "options behind the mode" "a" never --best-effort --verbose echo a
like "options behind the mode work" "$ERR" "never is in force"
prints "options on both sides" "a" --verbose never --best-effort -- echo a
like "options on both sides work" "$ERR" "never is in force"
prints "a plain dash is a command, not an option" "a" never sh -c 'echo a' -
run "$THPCTL" run never true
is "silence on success" "$STATUS$OUT$ERR" 0

for words in --help -h help "help run" "run --help" "run -h" "run never -h" "help help" \
	"help show" "show --help" "show -h"; do
	# shellcheck disable=SC2086 # words
	run "$THPCTL" $words
	is "$words: status, no errors" "$STATUS$ERR" 0
	like "$words: usage" "$OUT" "^usage: thpctl"
done
for words in --version -V; do
	run "$THPCTL" "$words"
	like "$words" "$STATUS $OUT" "^0 thpctl [0-9]+\\.[0-9]+\\.[0-9]+$"
done
refused "help for no verb" "unknown verb 'frobnicate'" help frobnicate

# A text that could not be written is a failure, and one line says so.
if [ -c /dev/full ]; then
	for words in --help --version "run --help" "show --help"; do
		# shellcheck disable=SC2086 # words
		"$THPCTL" $words >/dev/full 2>"$T/err"
		is "$words to a full disk: status" $? 1
		like "$words to a full disk: says why" "$(<"$T/err")" \
			"^thpctl: .*cannot write.*No space left on device$"
	done
else
	skip "output to a full disk" "no /dev/full here"
fi

# Letters of options may stand together.
run "$THPCTL" run -bv never -- echo started
is "-bv: status" "$STATUS $OUT" "0 started"
like "-bv: both are taken" "$ERR" "never is in force"
run "$THPCTL" run -bx never -- echo started
is "-bx: refused" "$STATUS $OUT" "2 "

# A remark that nobody can read does not keep the command from starting.
# shellcheck disable=SC2016
{ "$THPCTL" run -v never -- sh -c 'echo started >"$0"' "$T/started"; } 2> >(exec true)
is "a broken pipe as standard error: the command runs" "$(cat "$T/started")" started

done_testing
