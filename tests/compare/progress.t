#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl compare on a terminal: a line that tells how far it is, the running estimate, the time left;
# nothing of it anywhere else.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

# on_terminal COMMAND...: with a terminal as standard error. What it saw: a line for each redrawing.
on_terminal() {
	python3 - "$T/out" "$@" >"$T/seen" <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.execv(sys.argv[2], sys.argv[2:])
seen = b""
while True:
    try:
        got = os.read(terminal, 65536)
    except OSError: # the other side is closed
        break
    if not got:
        break
    seen += got
sys.stdout.write(seen.decode().replace("\r\033[K", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
}

modes=(-m "never,never")
ok "a comparison on a terminal" on_terminal "$THPCTL" compare "${modes[@]}" -n 12 -- sleep 0.12
like "a bar, runs, program, estimate with its interval, time left" "$(cat "$T/seen")" \
	'\[#+\.+\] 1[0-9] runs  sleep  [0-9.]+ \[[0-9.]+, [0-9.]+\]  0:0[0-9] left'
is "it grows to its end" "$(grep -c '^\[########################\] 24 runs' "$T/seen")" 1
is "it is gone at the end" "$(tail -c 1 "$T/seen" | od -An -c | tr -d " ")" "\\n"
like "the report is not in it" "$(cat "$T/out")" '^command +sleep 0\.12'
is "... but only there" "$(grep -c verdict "$T/seen")" 0

ok "until a precision" on_terminal "$THPCTL" compare "${modes[@]}" --until-ci 50 -- sleep 0.12
like "... tells the time left as well" "$(cat "$T/seen")" '[0-9.]+ \[[0-9.]+, [0-9.]+\]  0:0[0-9] left'
# It is drawn ten times a second, not for each of thousands of runs.
ok "fast runs" on_terminal "$THPCTL" compare "${modes[@]}" -n 300 -- true
ok "... are not told one by one" test "$(grep -c runs "$T/seen")" -lt 300
on_terminal "$THPCTL" compare -q "${modes[@]}" -n 2 -- true
is "--quiet: nothing" "$(cat "$T/seen")" ""
run "$THPCTL" compare "${modes[@]}" -n 2 -- true
is "no terminal: nothing" "$ERR" ""

done_testing
