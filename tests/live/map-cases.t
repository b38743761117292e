#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016 # scripts for inner shells
# Cases from the field: what thpctl map and show say about memory that puzzled people.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

SHAPES=$BIN/shapes
BLOCK=$(cat "$THP/hpage_pmd_size" 2>/dev/null || echo 0)
[ "$BLOCK" = 2097152 ] || skip_all "the cases are written for huge pages of 2 MiB"

# mapping PID ADDRESS FILTER: a value of the mapping at an address.
mapping() {
	"$THPCTL" map -a --json "$1" "$2" | jq -c ".mappings[0] | $3"
}

# under SETTING: whether the system says so, or can be made to, for a shape that is then started.
shape_under() { # SETTING=VALUE KIND
	with_system "$1" -- bash -c '"$1" "$2" >"$3" & echo $! >"$3.pid"; until [ -s "$3" ]; do sleep 0.01; done' \
		shape "$SHAPES" "$2" "$T/$2" || return 1
	PID=$(cat "$T/$2.pid")
	STARTED+=("$PID")
	ADDRESS=$(cut -d' ' -f2 "$T/$2")
}

# because PID ADDRESS CAUSE: KiB in memory for that cause.
because() {
	mapping "$1" "$2" "[.why[] | select(.cause == \"$3\").resident_bytes] | add // 0 | . / 1024"
}

if can_system enabled=madvise; then
	shape_under enabled=madvise edge
	is "5 MiB at +4 KiB: one block is huge" "$(mapping "$PID" "$ADDRESS" '.huge_bytes / 1024')" 2048
	is "5 MiB at +4 KiB: the rest is unaligned edge" "$(because "$PID" "$ADDRESS" edge)" 3072

	shape_under enabled=madvise split
	is "a page given back in each block: nothing is mapped huge" \
		"$(mapping "$PID" "$ADDRESS" .huge_bytes)" 0
	if is_root; then
		is "a page given back in each block: the huge pages are told apart" \
			"$(because "$PID" "$ADDRESS" split)" 8176
		run "$THPCTL" map --sizes "$PID" "$ADDRESS"
		like "a page given back in each block: what is held and not mapped" "$OUT" \
			'2 MiB pages in pieces: 8.0 MiB; 16 KiB more is held'
	else
		is "a page given back in each block: why is unknown to others than root" \
			"$(because "$PID" "$ADDRESS" unknown)" 8176
	fi
	like "a page given back in each block: the picture" \
		"$("$THPCTL" map "$PID" "$ADDRESS")" '\|(%%%%|oooo)\| 2 MiB each'

	shape_under enabled=madvise anon
	run "$THPCTL" map "$PID" "$ADDRESS"
	like "20 MiB advised: the picture" "$OUT" '\|##########\| 2 MiB each'
	like "20 MiB advised: advice and eligible" "$OUT" ' 100% +hg +yes '

	range=$ADDRESS-$(printf '%x' $((0x$ADDRESS + (4 << 20) - 4096)))
	is "RANGE: whole blocks are cut out of a mapping" \
		"$("$THPCTL" map --json "$PID" "$range" | jq '.mappings[0] | [.bytes, .huge_bytes] | map(. / 1024)' -c)" \
		'[4096,4096]'

	shape_under enabled=madvise nohugepage
	is "marked nohugepage: that is why" "$(because "$PID" "$ADDRESS" nohugepage)" 8192

	shape_under enabled=madvise heap
	is "a heap under madvise is not advised" \
		"$("$THPCTL" map -a --json "$PID" | jq '[.mappings[] | select(.name == "[heap]").why[0].cause] | .[0]')" \
		'"not-advised"'

	shape_under enabled=madvise late
	like "touched before the advice: unknown stays unknown" \
		"$(mapping "$PID" "$ADDRESS" '.why[0].cause')" '"unknown"'
else
	skip "cases under madvise" "$CANNOT_SYSTEM"
fi

if can_system enabled=always; then
	shape_under enabled=always heap
	like "a heap under always grew in small steps" \
		"$(with_system enabled=always -- "$THPCTL" map -a --json "$PID" |
			jq -r '[.mappings[] | select(.name == "[heap]").why[].cause] | join(" ")')" 'late'
else
	skip "a heap under always" "$CANNOT_SYSTEM"
fi

if can_system shmem_enabled=never; then
	shape_under shmem_enabled=never shmem
	is "shared memory, collapsed: all of it huge" \
		"$(mapping "$PID" "$ADDRESS" '[.huge_shmem_bytes, .huge_anon_bytes] | map(. / 1024)')" '[8192,0]'
	like "shared memory: the setting is named" "$("$THPCTL" map "$PID")" \
		'shmem +shared memory gets none: shmem_enabled'
	is "shared memory: 3 MiB of a memfd are in small pages for that" \
		"$("$THPCTL" map -a --json "$PID" | jq '[.mappings[] | select(.name | startswith("/memfd:two\nlines")).why[] |
			select(.cause == "shmem").resident_bytes] | add')" $((3 << 20))
	run "$THPCTL" map "$PID"
	like "a name with a newline stays on its line" "$OUT" '/memfd:two\\nlines \(deleted\)'
else
	skip "shared memory" "$CANNOT_SYSTEM"
fi

# A process flag comes before all advice.
start "$THPCTL" run never -- "$SHAPES" anon
is "process flag: nothing is huge" "$(mapping "$PID" "${LINE#ready }" .huge_bytes)" 0
is "process flag: that is why, though advised" \
	"$(mapping "$PID" "${LINE#ready }" '[.advice, .why[0].cause]')" '["hugepage","flag"]'
if has_except_advised && can_system enabled=always; then
	with_system enabled=always -- bash -c '"$1" run madvise -- "$2" heap >"$3" & echo $! >"$3.pid"
		until [ -s "$3" ]; do sleep 0.01; done; "$1" map -a --json "$(cat "$3.pid")" >"$4"' \
		flag "$THPCTL" "$SHAPES" "$T/flag" "$T/flag.json"
	STARTED+=("$(cat "$T/flag.pid")")
	is "process flag madvise is seen from outside when the system says always" \
		"$(jq '[.mappings[] | select(.name == "[heap]").why[0].cause] | .[0]' "$T/flag.json")" \
		'"flag-madvise"'
else
	skip "process flag madvise" "$CANNOT_SYSTEM, or older than Linux 6.18"
fi

# ---- many mappings ------------------------------------------------------------------------------

start "$SHAPES" mappings 60000
# flat COMMAND...: its greatest resident memory in KiB.
# A sanitizer shall not keep what was freed, yet needs more for each piece.
slack=1024
! is_sanitized || slack=8192
flat() {
	ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=1 python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}
small=$(flat "$THPCTL" map --json $$)
large=$(flat "$THPCTL" map --json "$PID")
ok "60,000 mappings: as JSON in the memory that 30 take ($small, $large KiB)" \
	[ "$large" -lt $((small + slack)) ]
small=$(flat "$THPCTL" map --svg "$T/svg" $$)
large=$(flat "$THPCTL" map --svg "$T/svg" "$PID")
ok "60,000 mappings: as text and SVG too ($small, $large KiB)" [ "$large" -lt $((small + slack)) ]
is "60,000 mappings: the total equals the rollup" \
	"$("$THPCTL" map --json "$PID" | jq '.total.resident_bytes / 1024')" \
	"$(awk '$1 == "Rss:" { print $2 }' "/proc/$PID/smaps_rollup")"
ok "60,000 mappings: all are there" [ "$("$THPCTL" map --json "$PID" | jq '.mappings | length')" -ge 60000 ]

done_testing
