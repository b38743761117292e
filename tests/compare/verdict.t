#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl compare: what it concludes from runs whose difference is known, be it none.
# shellcheck disable=SC2016 # for inner shells and jq
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

# Numbers that the "program" prints make a metric of known distribution, whatever the machine does.
verdict() {
	jq -r '.programs[0].comparisons[0].verdict' "$T/out"
}
metric() { # SHELL-TEXT ARG...: compares what the text prints as x=NUMBER
	local text=$1

	shift
	run "$THPCTL" compare -q --json -m never,default --metric 'x=([0-9.]+)' --seed 1 "$@" \
		-- bash -c "off=\$1; $text" bash
}

# $1 of the shell is the process flag: 0 in every mode but never.
flagged() { # SHELL-TEXT ARG...: sets off to 1 in mode never
	local text=$1

	shift
	metric "off=\$(grep -c 'THP_enabled:.*0' /proc/self/status); $text" "$@"
}

metric 'echo x=10' -n 8
is "identical numbers: no clear difference" "$(verdict)" same
is "... status" "$STATUS" 0

# Noise of 20 % and no difference: from a list, that this test has the same answer each time.
metric "echo >>'$T/n'; n=\$(wc -l <'$T/n'); echo \"x=1\$((n * n * 7919 % 113 % 10))\"" -n 12
like "noise alone is not called a difference" "$(verdict)" '^(same|unresolved)$'
ok "... what is unresolved tells how many runs more" jq -e \
	'.programs[0].comparisons[0] | .verdict != "unresolved" or .more_runs > 0' "$T/out"

if grep -q THP_enabled /proc/self/status; then
	flagged 'n=$(date +%N); echo "x=$((10000 + off * 500 + 10#${n:0:4} % 100))"' -n 8
	is "5 % more in never: faster" "$(verdict)" faster
	ok "... by 5 %" jq -e '.programs[0].comparisons[0].ratio.value | . > 1.04 and . < 1.06' \
		"$T/out"
	flagged 'n=$(date +%N); echo "x=$((10000 + off * 500 + 10#${n:0:4} % 100))"' -n 8 --invert
	is "inverted: slower" "$(verdict)" slower
	flagged 'n=$(date +%N); echo "x=$((10000 + off * 500 + 10#${n:0:4} % 100))"' -n 8 \
		--less-is-better
	is "less is better: slower" "$(verdict)" slower
	flagged 'echo "x=1; result=$off"' -n 2 --expect-output 'result=[01]'
	is "a result that depends on the mode: status" "$STATUS" 1
	is "... is invalid" "$(verdict)" invalid
	like "... and says so" "$(jq -r '.programs[0].arms[].notes[]' "$T/out")" 'printed another result'
	# A slow drift that is 30 times the effect: each run is 3 % slower than the one before.
	: >"$T/drift"
	flagged "echo >>'$T/drift'; n=\$(wc -l <'$T/drift'); echo \"x=\$(awk -v n=\$n -v off=\$off \
		'BEGIN { printf \"%.6f\", 1000 * (1 + 0.02 * off) * exp(-0.002 * n) }')\"" -n 20
	is "2 % under drift: faster" "$(verdict)" faster
else
	skip "differences that depend on the mode" "/proc/self/status tells no mode (before Linux 5.0)"
fi

metric 'echo x=10' -n 3
is "3 pairs are too few for a verdict" "$(verdict)" unresolved
is "... and 3 more are needed" "$(jq '.programs[0].comparisons[0].more_runs' "$T/out")" 3

# ---- invalid runs ---------------------------------------------------------------------------------

invalid() { # NAME REGEX ARG...
	local name=$1 regex=$2

	shift 2
	run "$THPCTL" compare -q -n 2 -m never,default "$@"
	is "$name: status" "$STATUS" 1
	like "$name: says so" "$OUT" "$regex"
	like "$name: verdict" "$OUT" 'verdict +invalid'
}

# shellcheck disable=SC2016 # for the inner shells
{
	invalid "killed by a signal" 'was killed by signal 11 \(Segmentation fault\)' \
		-- sh -c 'kill -SEGV $$'
	invalid "not found" "ended with status 127; it said 'thpctl: cannot find 'no-such-command'" \
		-- no-such-command
	invalid "failing" "ended with status 4; it said 'broken here" -- sh -c 'echo broken here >&2; exit 4'
	invalid "no metric" 'did not print the metric' --metric 'x=([0-9]+)' -- echo y=1
	invalid "a metric of 0 has no ratio" 'did not print the metric' --metric 'x=([0-9]+)' -- echo x=0
	invalid "unexpected output" 'did not print what was expected' --expect-output good -- echo bad
	invalid "prepare fails" 'prepare command failed with 9' --prepare 'exit 9' -- true
}

# ---- stopping -------------------------------------------------------------------------------------

metric 'n=$(date +%N); echo "x=$((1000 + 10#${n:0:4} % 20))"' --until-ci 1
is "until a precision: status" "$STATUS" 0
ok "... is reached" jq -e '.programs[0].comparisons[0].ratio |
	.high / .value < 1.0101 and .value / .low < 1.0101' "$T/out"
metric 'echo x=10' --time 1
ok "for a time: some pairs" jq -e '.programs[0].comparisons[0].pairs >= 2' "$T/out"

for name in one two three; do
	printf '[%s]\ncommand = sleep 0.4\n' "$name"
done >"$T/slow.ini"
run "$THPCTL" compare -q -m never,default -s "$T/slow.ini" --time 1 --json
is "for a time: a suite ends with the program that used it up" \
	"$(jq -c '[.runs[].program] | unique' "$T/out")" '["one"]'
is "... the others have no ratio" "$(jq -c '[.programs[].comparisons[0] | .pairs, .verdict]' "$T/out")" \
	'[1,"unresolved",0,"unresolved",0,"unresolved"]'

# ---- order ------------------------------------------------------------------------------------------

metric 'echo x=10' -n 40 -w 0
ok "a round runs each mode once" jq -e '[.runs | group_by(.round)[] | map(.arm) | sort] |
	length == 40 and all(. == ["default", "never"])' "$T/out"
# Of 40 tosses of a coin less than 8 or more than 32 heads come once in 20,000 times; seed 1 is fixed.
ok "either may come first" jq -e '[.runs[] | select(.position == 0 and .arm == "never")] | length |
	. >= 8 and . <= 32' "$T/out"
jq -c '[.runs[] | [.round, .position, .arm]]' "$T/out" >"$T/first"
metric 'echo x=10' -n 40 -w 0
is "the same seed gives the same order" "$(jq -c '[.runs[] | [.round, .position, .arm]]' "$T/out")" \
	"$(cat "$T/first")"

# ---- side effects of a run ----------------------------------------------------------------------

# What a run leaves behind would disturb the next: it ends with its run, also in its own session.
# shellcheck disable=SC2016
run "$THPCTL" compare -q -n 1 -w 0 -m never,default -- \
	sh -c 'setsid sleep 987.25 >/dev/null 2>&1 & sleep 0.1'
is "a process left behind: status" "$STATUS" 0
is "... ends with its run" "$(pgrep -f 'sleep 987\.25' | wc -l)" 0
# Nor what a script had started before it became the comparison: it is none of the run's.
# shellcheck disable=SC2016
run bash -c 'python3 -c "import time; x = b\"x\" * (100 << 20); time.sleep(60)" & echo $! >"$2"
	exec "$1" compare -q -n 2 -w 1 -m never,default --json -- sh -c "sleep 0.2; kill -0 $!"' \
	bash "$THPCTL" "$T/before"
is "a child of before: the runs find it alive" "$STATUS" 0
ok "... looks were taken" jq -e '[.runs[].samples] | add > 0' "$T/out"
ok "... its memory is none of theirs" jq -e 'all(.runs[]; .peak_rss_bytes < 20000000)' "$T/out"
ok "... it lives on" kill "$(cat "$T/before")"

# Signals that who starts a comparison blocks or ignores are the command's as well, and no others.
# Below make the C library's own two, 32 and 33, are ignored: nobody can change these.
for line in 'SigBlk:.0000000000000201' 'SigIgn:.0000000[01][08]1015000'; do
	run env python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP, signal.SIGUSR1})
for each in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(each, signal.SIG_DFL) # a job in the background has some ignored
for each in signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ:
    signal.signal(each, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])' "$THPCTL" compare -q -n 1 -w 0 -m never,default --json \
		--expect-output "$line" -- cat /proc/self/status
	is "signals: $line" "$STATUS" 0
done
rm -f "$T/count"
run "$THPCTL" compare -q -n 2 -w 1 -m never,default --prepare "echo >>'$T/count'" -- true
is "prepare runs before each run, warm-up too" "$(wc -l <"$T/count")" 6

# ---- usage ------------------------------------------------------------------------------------------

usage() { # NAME REGEX ARG...
	local name=$1 regex=$2

	shift 2
	run "$THPCTL" compare "$@"
	is "$name: status" "$STATUS" 2
	like "$name: says why" "$ERR" "$regex"
	is "$name: nothing else" "$OUT" ""
}

usage "no command" 'no command given'
usage "one mode" 'nothing to be compared with' -m never -- true
usage "no such mode" "'sometimes' is no mode" -m never,sometimes -- true
usage "no number" "runs 'x' is not" -n x -- true
usage "negative" "runs '-1' is not" -n -1 -- true
usage "no format" "one of json, csv" -e pdf -- true
usage "no expression" 'no regular expression' --metric '(' -- true
usage "a suite and a command" 'not both' -s x -- true
usage "unknown option" "unknown option '--rnus'" --rnus 3 -- true
run "$THPCTL" help compare
is "help: status" "$STATUS" 0
like "help: tells the options" "$OUT" '--until-ci P'

done_testing
