#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl show counts the huge memory that there is: no more, no less, and never a wrong zero.
# All of it under a system that says madvise: the script starts itself again below with-system.sh.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

if [ "${1:-}" != under-madvise ]; then
	has_thp || skip_all "no $THP here: the kernel has no THP, or /sys is hidden"
	[ "$(<"$THP/hpage_pmd_size")" = 2097152 ] || skip_all "made for huge pages of 2 MiB"
	settings=(enabled=madvise shmem_enabled=never)
	[ ! -e "$THP/hugepages-2048kB" ] || settings+=(hugepages-2048kB/enabled=inherit)
	can_system "${settings[@]}" || skip_all "$CANNOT_SYSTEM"
	with_system "${settings[@]}" -- "$0" under-madvise
	exit
fi

# json PID FILTER: what jq finds in the first process of the answer.
json() {
	"$THPCTL" show --json "$1" | jq -c ".processes[0] | $2"
}

# near NAME PID FIELD KIB: the field, in bytes, is what the target counted itself.
same_as_target() {
	is "$1" "$(json "$2" ".$3")" "$(($4 * 1024))"
}

# ---- nothing huge is not "disabled" -------------------------------------------------------------

start sh -c 'echo started; exec sleep 100'
wait_until grep -qx sleep "/proc/$PID/comm"
run "$THPCTL" show "$PID"
like "an idle sleep: the effect is madvise" "$OUT" "effect +madvise"
like "an idle sleep: 0 huge" "$OUT" "resident, 0 huge .0 %"
unlike "an idle sleep: not disabled" "$OUT" "(never|disabled)"

# ---- advised memory -----------------------------------------------------------------------------

start "$BIN/memory" advised 64 hold
kib=$(field huge "$LINE")
ok "64 MiB advised: they are huge" test "$kib" -ge 60000
same_as_target "64 MiB advised: huge_bytes" "$PID" huge_bytes "$kib"
same_as_target "64 MiB advised: huge_anon_bytes" "$PID" huge_anon_bytes "$kib"
same_as_target "64 MiB advised: no shmem" "$PID" huge_shmem_bytes 0
run "$THPCTL" show "$PID"
like "64 MiB advised: as text" "$OUT" "resident, $((kib / 1024))(\\.[0-9])? MiB huge .9[0-9] %"
like "64 MiB advised: in a table" "$("$THPCTL" show --all | awk -v pid="$PID" '$1 == pid')" \
	" $((kib / 1024))(\\.[0-9])? MiB +9[0-9]% +memory$"
is "64 MiB advised: in a tree" \
	"$("$THPCTL" show --tree "$PID" --json | jq ".processes[] | select(.pid == $PID).huge_bytes")" \
	"$((kib * 1024))"
resident=$(field resident "$LINE")
ok "64 MiB advised: resident within 1 MiB of what it counted" test \
	"$(json "$PID" "(.resident_bytes / 1024 - $resident) | fabs < 1024")" = true

# Advice is taken, but the flag is stronger.
start "$BIN/launcher" 1 "$BIN/memory" advised 16 hold
target=$(pgrep -P "$PID" -x memory)
like "flagged and advised: the target has the flag" "$LINE" "^thp 1 huge 0 "
is "flagged and advised: never, 0 huge" "$(json "$target" '[.mode, .effective, .huge_bytes]')" \
	'["never",["never"],0]'
ok "flagged and advised: although its mapping says hg" grep -q 'VmFlags:.* hg' "/proc/$target/smaps"

start "$BIN/memory" plain 16 hold
is "not advised: 0 huge" "$(json "$PID" .huge_bytes)" 0

# ---- shared memory, made huge by MADV_COLLAPSE --------------------------------------------------

start "$BIN/memory" collapsed-shmem 8 hold
if [ "$(field shmem "$LINE")" = 8192 ]; then
	is "8 MiB collapsed shared memory: no anonymous one" "$(json "$PID" .huge_anon_bytes)" 0
	same_as_target "8 MiB collapsed shared memory: as shared" "$PID" huge_shmem_bytes 8192
	same_as_target "8 MiB collapsed shared memory: in the sum" "$PID" huge_bytes 8192
	run "$THPCTL" show "$PID"
	like "8 MiB collapsed shared memory: as text" "$OUT" "8 MiB huge .*of it 8 MiB shared memory"
else
	skip "collapsed shared memory" "MADV_COLLAPSE does not make it here (needs Linux 6.1)"
fi

# ---- the main thread has exited -----------------------------------------------------------------

start "$BIN/being" dead-leader
pid=$LINE
like "dead leader: it is one" "$(grep ^State: "/proc/$pid/status")" "Z .zombie"
run "$THPCTL" show "$pid"
is "dead leader: status" "$STATUS$ERR" 0
like "dead leader: its memory is counted" "$OUT" "MiB resident, 1[68] MiB huge"
is "dead leader: a living process" "$(json "$pid" '[.kind, .pid, .huge_anon_bytes >= 16777216]')" \
	"[\"user\",$pid,true]"

# ---- not asked for ------------------------------------------------------------------------------

is "--no-size: unknown, not 0" "$("$THPCTL" show --no-size --json "$pid" |
	jq -c '.processes[0] | [.huge_bytes, .huge_anon_bytes, .resident_bytes > 0]')" '[null,null,true]'
like "--no-size: says so" "$("$THPCTL" show --no-size "$pid")" "huge not read .--no-size."
like "--no-size: in a table" "$("$THPCTL" show --no-size --all |
	awk -v pid="$pid" '$1 == pid')" " MiB +- +- +being$"

done_testing
