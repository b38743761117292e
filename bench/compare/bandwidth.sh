#!/bin/sh
# SPDX-License-Identifier: MIT
# Can a difference of 1 to 2 % in bandwidth be told on this machine, and by how many runs? The
# interval of THP off to on, and of on to itself, as the runs grow: bandwidth.sh THPCTL BANDWIDTH [RUNS...]
# RUNS ascend. The bandwidth is that of the triad (bench/workloads/bandwidth), in GB/s.
set -eu

thpctl=$1 bandwidth=$2
shift 2
[ $# -gt 0 ] || set -- 10 20 40 80 160
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GLIBC_TUNABLES="${GLIBC_TUNABLES:+$GLIBC_TUNABLES:}glibc.malloc.hugetlb=1"
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"

echo "triad, performance / that in mode default, 95 % interval"
printf '%5s  %-28s %s\n' runs "never" "default once more (noise)"
for runs; do
	if [ -e "$dir/checkpoint" ]; then
		"$thpctl" compare -q --json --resume "$dir/checkpoint" --warmup 0 --runs "$runs"
	else
		"$thpctl" compare -q --json --modes never,default --noise-floor --runs "$runs" \
			--metric '^name=bandwidth\.triad .*metric=([0-9.e+-]+)' \
			--checkpoint "$dir/checkpoint" -- "$bandwidth" --size small
	fi >"$dir/result"
	jq -r --arg runs "$runs" '
		def text: .ratio | [.value, .low, .high] |
			map(if . then . * 10000 | round / 10000 else "-" end) |
			"\(.[0]) [\(.[1]), \(.[2])]";
		.programs[0].comparisons | [$runs, (.[0] | text), (.[1] | text)] | @tsv' "$dir/result" |
		awk -F '\t' '{ printf "%5s  %-28s %s\n", $1, $2, $3 }'
done
jq -r '.programs[0] | .arms |
	"medians in GB/s: " + (map("\(.arm) \(.medians.metric.value)") | join(", ")),
	"huge share in default: \(.[1].medians.huge_share_peak.value * 100 | round) %",
	(.[].notes[] | "note: " + .)' "$dir/result"
