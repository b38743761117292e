#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016 # scripts for inner shells
# What thpctl map counts is what smaps counts, to the page and mapping by mapping, in every shape of
# memory. The kernel is the judge.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

SHAPES=$BIN/shapes

# kernel_counts PID: "START RESIDENT HUGE SWAP HUGETLB" of each mapping in KiB, from smaps.
kernel_counts() {
	awk '
		function out() { if (start) print start, rss, huge, swap, tlb }
		/^[0-9a-f]+-/ { out(); split($1, a, "-"); start = a[1]; rss = huge = swap = tlb = 0 }
		$1 == "Rss:" { rss = $2 }
		$1 == "AnonHugePages:" || $1 == "ShmemPmdMapped:" || $1 == "FilePmdMapped:" { huge += $2 }
		$1 == "Swap:" { swap = $2 }
		$1 ~ /_Hugetlb:$/ { tlb += $2 }
		END { out() }
	' "/proc/$1/smaps"
}

# our_counts PID OPTION...: the same from thpctl map.
our_counts() {
	local pid=$1

	shift
	"$THPCTL" map --json "$@" "$pid" | jq -r '.mappings[] | "\(.start[2:]) \(.resident_bytes / 1024) \(
		.huge_bytes / 1024) \(.swapped_bytes / 1024) \(.hugetlb_bytes / 1024)"'
}

# sums PID: "RESIDENT HUGE_ANON HUGE_SHMEM HUGE_FILE" from smaps_rollup and from map's total.
kernel_sums() {
	awk '{ v[$1] = $2 } END { print v["Rss:"], v["AnonHugePages:"], v["ShmemPmdMapped:"], v["FilePmdMapped:"] }' \
		"/proc/$1/smaps_rollup"
}

our_sums() {
	"$THPCTL" map --json "$1" | jq -r '.total | "\(.resident_bytes / 1024) \(.huge_anon_bytes / 1024) \(
		.huge_shmem_bytes / 1024) \(.huge_file_bytes / 1024)"'
}

# compare NAME PID
compare() {
	local name=$1 pid=$2

	# A padded address in maps is shorter in JSON.
	is "$name: each mapping as in smaps" "$(our_counts "$pid")" \
		"$(kernel_counts "$pid" | sed 's/^0*//')"
	is "$name: the totals as in smaps_rollup" "$(our_sums "$pid")" "$(kernel_sums "$pid")"
	# What a cause is given to, and what is huge, is all there is.
	is "$name: causes and huge memory add up" "$("$THPCTL" map -a --json "$pid" | jq -c '
		[.mappings[] | select((([.why[].bytes] | add // 0) + .huge_bytes != .bytes) or
		(([.why[].resident_bytes] | add // 0) + .huge_bytes != .resident_bytes)) | .start]')" "[]"
	if is_root; then
		is "$name: nor do sizes change them" "$(our_counts "$pid" --sizes)" "$(our_counts "$pid")"
	else
		skip "$name: nor do sizes change them" "/proc/kpageflags is root's"
	fi
}

for shape in anon shmem "file $T/file" holes split edge nohugepage heap; do
	# shellcheck disable=SC2086 # a kind and its argument
	start "$SHAPES" $shape
	[[ $LINE == ready* ]] || { ok "${shape%% *}: $LINE" false; continue; }
	compare "${shape%% *}" "$PID"
done

# A huge page that mprotect(2) cut is mapped by both halves: only the hole is held for nothing.
start "$SHAPES" halves
compare halves "$PID"
if is_root; then
	# Short of memory, the kernel may split such a page at once: the next one, then.
	for _ in 1 2 3 4 5; do
		held=$("$THPCTL" map --json --sizes "$PID" |
			jq -c '[.total.held_unmapped_bytes, ([.mappings[].held_unmapped_bytes] | add)]')
		[ "$held" = "[0,0]" ] || break
		start "$SHAPES" halves
	done
	is "halves: what is held and not mapped" "$held" "[4096,4096]"
else
	skip "halves: what is held and not mapped" "/proc/kpageflags is root's"
fi

start "$SHAPES" forked
child=$(pgrep -P "$PID")
STARTED+=("$child")
compare "forked, the parent" "$PID"
compare "forked, the child" "$child"

start "$SHAPES" headless
tid=$(find "/proc/$PID/task" -maxdepth 1 -name '[0-9]*' ! -name "$PID" -printf '%f')
is "the main thread has ended: the living one counts" "$(our_counts "$PID")" \
	"$(kernel_counts "$PID/task/$tid" | sed 's/^0*//')"

# Huge pages of a smaller size are no huge entries: both count them as small.
sized() {
	with_system hugepages-64kB/enabled=madvise hugepages-2048kB/enabled=never -- bash -c '
		"$1" sized >"$2" & echo $! >"$3"; until [ -s "$2" ]; do sleep 0.01; done' \
		sized "$SHAPES" "$T/sized" "$T/sized.pid"
}
if [ -e "$THP/hugepages-64kB" ] && is_root && sized; then
	PID=$(cat "$T/sized.pid")
	STARTED+=("$PID")
	compare "64 KiB pages" "$PID"
	is "64 KiB pages: --sizes tells them" \
		"$("$THPCTL" map --json --sizes "$PID" | jq '.total.small_entries_by_page_size["65536"]')" \
		$((16 << 20))
else
	skip "64 KiB pages" "$CANNOT_SYSTEM, or the kernel has no such size"
fi

# hugetlb is no THP. The pages are reserved for this test and given back on every way out.
reserved=/proc/sys/vm/nr_hugepages
before=$(cat "$reserved" 2>/dev/null)
give_back() {
	[ -z "$before" ] || echo "$before" >"$reserved"
	end_test
}
if is_root && exec 8>>/run/lock/thp-sysfs.lock && flock -x 8 && [ -w "$reserved" ]; then
	trap give_back EXIT
	echo $((before + 2)) >"$reserved"
	start "$SHAPES" hugetlb
	if [[ $LINE == ready* ]]; then
		compare hugetlb "$PID"
		is "hugetlb: told apart" "$("$THPCTL" map --json "$PID" "${LINE#ready }" | jq -c '.mappings[0] |
			[.hugetlb_bytes / 1024, .resident_bytes, .huge_bytes, .backing, .why[0].cause]')" \
			'[4096,0,0,"hugetlb","hugetlb"]'
	else
		skip "hugetlb" "two pages could not be reserved"
	fi
	kill -KILL "$PID"
	wait "$PID" 2>/dev/null
	exec 8>&-
else
	skip "hugetlb" "needs root, to reserve two pages"
fi

done_testing
