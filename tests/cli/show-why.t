#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl show --why and --openmetrics.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

start "$BIN/shapes" nohugepage
address=${LINE#ready }

run "$THPCTL" show --why "$PID"
is "--why: status 0, no errors" "$STATUS $ERR" "0 "
like "--why: a cause with what would help" "$OUT" \
	'8 MiB +8 MiB +nohugepage +the program.*'$'\n'' +-> a change of the program'
like "--why: where it is" "$OUT" "8 MiB +nohugepage +$address-"
run "$THPCTL" show --why "$PID" "$address"
like "--why ADDRESS: one mapping" "$OUT" '1 mapping: 8 MiB resident, 0 huge'
run "$THPCTL" show --why --json "$PID"
ok "--why --json: as map says" test "$(jq -S .why "$T/out")" = \
	"$("$THPCTL" map -a --json "$PID" | jq -S .total.why)"
run "$THPCTL" show --why "$PID" 1000
is "--why ADDRESS: nothing there: status 1" "$STATUS" 1
like "--why ADDRESS: nothing there" "$ERR" 'nothing is mapped at 1000'
run "$THPCTL" show --why 999999999
is "--why: gone: status 1" "$STATUS" 1
like "--why: gone" "$ERR" 'no such process'
for args in "" "--all" "1 2 3" "--tree 1"; do
	# shellcheck disable=SC2086 # words
	run "$THPCTL" show --why $args
	is "--why $args: status 2" "$STATUS" 2
	like "--why $args: what it takes" "$ERR" 'takes one PID, and at most one ADDRESS'
done
run "$THPCTL" show --why "$PID" xyz
is "--why: no address: status 2" "$STATUS" 2

# valid FILE: a strict parser takes it.
valid() {
	/usr/bin/python3 -c 'import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
samples = [s for f in text_string_to_metric_families(open(sys.argv[1]).read()) for s in f.samples]
assert samples' "$1"
}

# A name that would break out of its label.
cp "$BIN/shapes" "$T/a\"b\\c"
start "$T/a\"b\\c" anon
run "$THPCTL" show --openmetrics "$PID"
is "--openmetrics: status 0, no errors" "$STATUS $ERR" "0 "
is "--openmetrics: the last line" "$(tail -n 1 "$T/out")" '# EOF'
like "--openmetrics: huge memory as the kernel says" "$OUT" \
	"thp_process_huge_bytes\\{pid=\"$PID\",command=\"a..b....c\",backing=\"anon\"\\} $(
		awk '$1 == "AnonHugePages:" { print $2 * 1024 }' "/proc/$PID/smaps_rollup")"
run "$THPCTL" show --all --openmetrics
if /usr/bin/python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
	ok "--openmetrics: valid" valid "$T/out"
else
	skip "--openmetrics: valid" "python3-prometheus-client is missing"
fi
run "$THPCTL" show --all --openmetrics --no-size
unlike "--openmetrics --no-size: unknown is left out" "$OUT" 'thp_process_huge_bytes\{'
run "$THPCTL" show --openmetrics --json
is "--openmetrics --json: status 2" "$STATUS" 2
mkdir -p "$T/empty/proc" "$T/empty/sys"
run "$THPCTL" show --openmetrics --sysroot "$T/empty"
unlike "--openmetrics: what the kernel does not tell is no zero" "$OUT" 'thp_faults_total'
is "--openmetrics: still whole" "$(tail -n 1 "$T/out")" '# EOF'

# ---- how show reads -----------------------------------------------------------------------------

# opened PATTERN COMMAND...: how often files like it were opened.
opened() {
	local pattern=$1

	shift
	strace -f -e trace=openat,open -o "$T/trace" "$@" >/dev/null 2>&1
	grep -cE "$pattern" "$T/trace"
}
if strace -o /dev/null true 2>/dev/null; then
	is "--all opens no full smaps" "$(opened '/smaps"' "$THPCTL" show --all)" 0
	is "--all opens each rollup at most once" \
		"$(strace -f -e trace=openat -o "$T/trace" "$THPCTL" show --all >/dev/null 2>&1
			grep -oE '[0-9]+/smaps_rollup"' "$T/trace" | sort | uniq -d)" ""
	is "--no-size opens no rollup either" \
		"$(opened 'smaps' "$THPCTL" show --all --no-size)" 0
	is "map of a small process reads smaps once" "$(opened '/smaps"' "$THPCTL" map "$PID")" 1
	start "$BIN/shapes" plain 640
	is "map of 640 MiB in small pages does not: it would hold the process up" \
		"$(opened '/smaps"' "$THPCTL" map "$PID")" 0
	is "unless it is asked for" "$(opened '/smaps"' "$THPCTL" map --advice "$PID")" 1
else
	skip "which files are read" "strace does not work here"
fi

done_testing
