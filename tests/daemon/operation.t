#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How thpd is run: what it tells whom by its socket, metrics, memory, readiness, logs.
# shellcheck source=tests/daemon/lib.sh
. "$(dirname "$0")/lib.sh"

cp "$TARGETS/first" "$T/first"
good="[first]
exec = $T/first
mode = never
[user]
user = $UID_OF_TEST
mode = never"
rules "$good"
thpd --metrics "$T/metrics"
cp "$TESTS/daemon/ask.py" "$T/ask.py"
chmod 644 "$T/ask.py"
as() { # UID COMMAND...
	setpriv --reuid "$1" --clear-groups "${@:2}"
}
other() { # REQUEST: asks as a user who is under no rule
	as $((UID_OF_TEST + 1)) /usr/bin/python3 "$T/ask.py" "$SOCKET" "$1"
}

# ---- the socket

is 'status is JSON' "$(ask status | jq -r '.rules[0].name, .rules[1].mode' | tr '\n' ' ')" 'first never '
is 'of a schema' "$(ask status | jq .schema)" 1
sleeper as "$UID_OF_TEST" sleep 1000
theirs=
find_theirs() {
	theirs=$(pgrep -u "$UID_OF_TEST" -x sleep | head -n 1)
	[ -n "$theirs" ] && has_flag "$theirs" 0
}
wait_until find_theirs
STARTED+=("$theirs")
is 'root sees all processes' "$(ask processes | jq "[.processes[].pid] | index($theirs) != null")" true
is 'another user sees the rules' "$(other status | jq -r '.rules[0].name')" first
is 'another user sees nobody else' "$(other processes | jq -c .processes)" '[]'
is 'the user sees the own ones' "$(as "$UID_OF_TEST" /usr/bin/python3 "$T/ask.py" "$SOCKET" processes |
	jq "[.processes[].pid] | index($theirs) != null")" true
like 'another user may not reload' "$(other reload)" 'error: only root'
is 'and nothing was' "$(metric thpd_reloads_total)" 0
like 'what is no request is said' "$(other nonsense)" '^error: not a request'
is 'noise is not listened to' "$(other noise)" closed
is 'who says nothing is sent away' "$(other silent)" closed
other many >"$T/many" &
many=$!
wait_until test -s "$T/many"
is 'root is answered while others hold all they get' "$(ask status | jq .schema)" 1
wait "$many"
is 'who has got four at a time' "$(cat "$T/many")" 'refused 36'
run as "$UID_OF_TEST" rm -f "$SOCKET"
ok 'another user cannot take the socket away' test -S "$SOCKET"
run as "$UID_OF_TEST" kill -HUP "$D"
is 'nor send signals' "$STATUS" 1
like 'root may reload' "$(ask reload)" '^ok'
is 'which is done' "$(metric thpd_reloads_total)" 1
wait_until more_than 1
run timeout 20 "$BUILD/thpd" --rules "$RULES" --socket "$SOCKET"
like 'a second thpd does not start' "$STATUS $ERR" '^1 .*another thpd runs'
is 'and the first one answers still' "$(ask status | jq .pid)" "$D"

# ---- metrics

for _ in 1 2 3; do "$T/first" 2 >/dev/null; done
gate_applied() {
	[ "$(metric 'thpd_applied_total{why="gate"}')" -ge 3 ]
}
if grep -q 'cannot be caught' "$LOG"; then
	skip 'what was applied is counted' 'no gate here'
else
	ok 'what was applied is counted' wait_until gate_applied
	is 'so is its latency' "$(metric 'thpd_latency_seconds_count{by="gate"}')" \
		"$(metric 'thpd_applied_total{why="gate"}')"
fi
ask metrics >"$T/text"
if /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null; then
	ok 'metrics are OpenMetrics' /usr/bin/python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(open(sys.argv[1]).read()))
assert len(families) > 15, len(families)' "$T/text"
else
	skip 'metrics are OpenMetrics' 'python3-prometheus-client is not installed'
fi
is 'the file of metrics is there as a whole' "$(tail -n 1 "$T/metrics")" '# EOF'

# ---- memory, and processes that have ended

resident() {
	sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$D/status"
}
"$TARGETS/storm" 1 0 "$T/first" 2 >/dev/null
before=$(resident)
"$TARGETS/storm" 4 0 "$T/first" 2 >"$T/storm"
if is_sanitized; then
	skip 'memory is flat' 'sanitizers keep what was freed'
else
	ok "memory is flat: $before KiB before, $(resident) after, $(cat "$T/storm")" \
		test "$(resident)" -le $((before + 512))
fi
ok 'those who have ended are forgotten' test "$(metric thpd_records)" -lt 4096

# ---- stop, readiness, logs

kill -TERM "$D"
wait "$D"
is 'SIGTERM: the status' "$?" 0
ok 'the socket is gone' test ! -e "$SOCKET"
is 'no process of it is left' "$(pgrep -P "$D")" ''
D=
/usr/bin/python3 -c '
import os, socket, subprocess, sys
path, thpd, rules = sys.argv[1:]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(path)
s.settimeout(60)
p = subprocess.Popen([thpd, "--rules", rules, "--socket", ""], stderr=subprocess.DEVNULL,
                     env=dict(os.environ, NOTIFY_SOCKET=path, WATCHDOG_USEC="200000"))
def until(word, times=1):
    while times:
        times -= s.recv(200).decode().split("\n")[0] == word
until("READY=1")
until("WATCHDOG=1", 3)
p.send_signal(1)
until("RELOADING=1")
until("READY=1")
p.terminate()
until("STOPPING=1")
print("status", p.wait())' "$T/notify" "$BUILD/thpd" "$RULES" >"$T/out" 2>&1
is 'tells the service manager: ready, alive, reloading, ready, stopping' "$(cat "$T/out")" 'status 0'
: >"$T/journal"
JOURNAL_STREAM=$(stat -c %d:%i "$T/journal") "$BUILD/thpd" --rules "$RULES" --socket '' \
	2>"$T/journal" &
D=$!
wait_until grep -q ready "$T/journal"
like 'the journal is told the level' "$(cat "$T/journal")" '<6>ready: 2 rules'
thpd_stop
run "$BUILD/thpd" --rules "$RULES" --check
is 'good rules: --check' "$STATUS" 0
rules '[x]
mode = perhaps'
run "$BUILD/thpd" --rules "$RULES" --check
like 'bad rules: --check says where' "$STATUS $ERR" '^1 .*50-test.conf:2: '
run timeout 20 "$BUILD/thpd" --rules "$RULES" --socket "$SOCKET"
is 'bad rules: it does not start' "$STATUS" 1
run "$BUILD/thpd" --walk often
is 'a bad option' "$STATUS" 2
done_testing
