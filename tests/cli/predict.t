#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl predict: hand-computed answers from both kinds of input, and every way in which these can
# be wrong. The model itself is tested in tests/unit/predict-model.c.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
MACHINES=$TESTS/../dist/machines

# Nothing is uncertain here: 64 bytes take 1 ns from a node and 2 ns over a link.
cat >"$T/exact.ini" <<'END'
[machine]
name = by hand
nodes = 4
threads_per_node = 1
[hops]
1 = 100
2 = 200
4 = 400 ; comments are not part of it
source = this test,
  in two lines
[memory]
node = 64
link = 32
[thread]
access = 1
overlap = 2
[tlb]
walk_small = 10
walk_huge = 5
entries_4k = 512
entries_2m = 32
[faults]
small = 1000
huge = 100000
[measured]
title = elsewhere
their.program = 2.2 x
their.other = 0.5 nobody
END

# off: 1000 + 100 x 100 / 2 = 6000 ns; on: 1000 + (20 x 100 + 30 x 200 + 50 x 400) / 2 = 15000 ns
cat >"$T/counts.json" <<'END'
{"format": "thpctl-counts", "version": 1, "origin": "by hand", "nodes": 4, "threads_per_node": 1,
 "simulated": {"tlb_4k_entries": 512, "tlb_2m_entries": 32, "cache_bytes": 1},
 "programs": [{"name": "x",
  "never": {"accesses": 1000, "lines_by_group": [100, 0, 0], "lines_hottest_node": 25,
            "walks_small": 0, "walks_huge": 0, "faults": 0},
  "always": {"accesses": 1000, "lines_by_group": [20, 30, 50], "lines_hottest_node": 25,
             "walks_small": 0, "walks_huge": 0, "faults": 0}}]}
END

predict() {
	run "$THPCTL" predict "$@"
}

# ---- what it says -------------------------------------------------------------------------------

predict -m "$T/exact.ini" "$T/counts.json"
is "an exact machine: status" "$STATUS" 0 || diag "$ERR"
like "an exact machine: still a range" "$OUT" $'\nx +2\\.50 to 2\\.50 +off is faster +0\\.0 +80\\.0 +own node +other nodes\n'
like "the formula" "$OUT" 'threads = \(accesses x access \+ lines from each distance x hop / overlap'
like "each parameter, and where it is from" "$OUT" $'hop 4 +400 to 400 ns\n +this test, in two lines\n'
like "where nobody told it" "$OUT" 'walk_small +10 to 10 ns \(nobody told where from\)'
like "what was measured there, beside it" "$OUT" $'elsewhere\n.*\ntheir\\.program +2\\.2 +x +2\\.50 to 2\\.50 +no\n'
like "what was measured, but not counted" "$OUT" $'\ntheir\\.other +0\\.5 +nobody +not counted +-\n'
like "that it is a model" "${OUT//$'\n'/ }" "Time on 4 nodes is not: it is a model's, and cannot be validated here"
unlike "no note without need" "$OUT" 'TLB misses were counted|Faults were not|Which node'

sed 's/^access = 1/access = 1..6/; s/^overlap = 2/overlap = 1..4/' "$T/exact.ini" >"$T/range.ini"
# Corners: access 1 overlap 1: 29000 / 11000; 6, 1: 34000 / 16000; 1, 4: 8000 / 3500; 6, 4: 13000 / 8500
predict -j -m "$T/range.ini" "$T/counts.json"
is "ranges: JSON" "$(jq -c '.programs[0].ratio | map_values(. * 1e6 | round)' <<<"$OUT")" \
	'{"low":1529412,"high":2636364}'
is "ranges: the rest of JSON" "$(jq -c '[.schema, .machine.nodes, .counts.origin, .programs[0].faster,
	.programs[0].remote_percent_on, (.parameters | length), .parameters[1].low, .parameters[1].high,
	.parameters[10].source, .measured[1].predicted, .measured[0].predicted.low > 1.5, (.notes | length)]' <<<"$OUT")" \
	'[1,4,"by hand","off",80,11,1,4,"this test, in two lines",null,true,2]'

# The smallest group of two nodes and that of four may be one distance.
sed '/^2 = /d' "$T/exact.ini" >"$T/flat.ini"
predict -j -m "$T/flat.ini" "$T/counts.json"
# 1000 + (20 x 100 + 80 x 400) / 2 = 18000
is "distances that the machine does not tell apart" "$(jq '.programs[0].ratio.low * 10 | round' <<<"$OUT")" 30

sed 's/"lines_by_group": \[100, 0, 0\]/&, "lines_unknown": 50/' "$T/counts.json" >"$T/unknown.json"
predict -j -m "$T/exact.ini" "$T/unknown.json"
# off: of 50 lines nobody knows the distance: up to 6000 + 25 x 700
is "lines from an unknown node may be from any" "$(jq -c '.programs[0].ratio | map_values(. * 1e4 | round)' <<<"$OUT")" \
	"$(jq -nc '{low: (15000 / 23500 * 1e4 | round), high: 25000}')"

jq 'del(.programs[].always.faults, .programs[].always.lines_hottest_node) | .simulated.tlb_4k_entries = 64' \
	"$T/counts.json" >"$T/less.json"
predict -m "$T/exact.ini" "$T/less.json"
like "another TLB is noted" "${OUT//$'\n'/ }" 'TLB misses were counted for 64 and 32 entries \(4 KiB, 2 MiB\); the machine has 512 and 32'
like "what was not counted is noted" "$OUT" $'Faults were not counted.*\nWhich node gave most lines is not known'

for name in uv2-like two-socket; do
	nodes=$(sed -n 's/^nodes = //p' "$MACHINES/$name.ini")
	jq ".nodes = $nodes | .programs[].never.lines_by_group = [100, 0] | .programs[].always.lines_by_group = [50, 50]" \
		"$T/counts.json" >"$T/$name.json"
	predict -j -m "$MACHINES/$name.ini" "$T/$name.json"
	is "$name: status" "$STATUS" 0 || diag "$ERR"
	ok "$name: each cost is a range and has a source" jq -e \
		'all(.parameters[]; .low < .high and .source != null)' "$T/out"
	ok "$name: the answer is a range" jq -e '.programs[0].ratio | .low < .high' "$T/out"
done
predict -j -m "$MACHINES/uv2-like.ini" "$T/uv2-like.json"
is "uv2-like: the mail's table and the later test, with the suite's stand-ins" \
	"$(jq -r '.measured[] | "\(.stand_in) \(.program)=\(.ratio)"' <<<"$OUT" | sort)" \
	"$(awk '/^\[/ { name = substr($0, 2, length($0) - 2) }
		/^mail_rows/ { for (i = 3; i <= NF; i++) { sub(/:/, ".", $i); sub(/\.0$/, "", $i); print name, $i } }' \
		"$TESTS/../bench/workloads/suite.ini" | sort)"

# ---- samples ------------------------------------------------------------------------------------

# Data sources as the kernel's perf_event.h has them: load | level << 5 | TLB << 26.
hit_tlb=$((0xa << 26)) miss_tlb=$((0x14 << 26))
l1=$((2 | 0xa << 5 | hit_tlb)) near=$((2 | 0x82 << 5 | hit_tlb)) hop1=$((2 | 0x102 << 5 | hit_tlb))
walk=$((2 | 0xa << 5 | miss_tlb))
# Level number RAM (0xd << 33), remote (1 << 37): no distance. And with one: another board (4 << 43).
far=$((2 | hit_tlb | 0xd << 33 | 1 << 37)) board=$((2 | hit_tlb | 0xd << 33 | 1 << 37 | 4 << 43))

samples() { # PERIOD SOURCE COUNT
	local line i

	printf -v line '%10d %16x |OP LOAD|LVL something|SNP None|TLB something|LCK No|BLK  N/A' "$1" "$2"
	for ((i = 0; i < $3; i++)); do
		echo "$line"
	done
}
# 10 x 1000 accesses of which 10 x 100 lines are local: 10 x (1000 x 1 + 100 x 50) = 60000 ns
{ samples 10 "$l1" 900; samples 10 "$near" 100; } >"$T/off.txt"

# An independent account of it, with twice the standard deviation of each sum on both sides.
cat >"$T/expected.py" <<'END'
import math, sys
def total(costs, sign):
    return sum(cost * max(0, 10 * n + sign * 20 * math.sqrt(n)) for n, cost in costs)
off = [(1000, 1), (100, 50)]
on = eval(sys.argv[1])
print("%.5f %.5f" % (total(on, -1) / total(off, 1), total(on, 1) / total(off, -1)))
END
ratio() {
	printf '%.5f %.5f\n' "$(jq .programs[0].ratio.low <<<"$OUT")" "$(jq .programs[0].ratio.high <<<"$OUT")"
}
{ samples 10 "$l1" 900; samples 10 "$near" 60; samples 10 "$hop1" 40; } >"$T/on.txt"
predict -j -m "$T/exact.ini" --off "$T/off.txt" --on "$T/on.txt"
is "samples: status" "$STATUS" 0 || diag "$ERR"
is "samples: from one hop away" "$(ratio)" "$(python3 "$T/expected.py" '[(1000, 1), (60, 50), (40, 100)]')"
is "samples: told as such" "$(jq -r .counts.origin <<<"$OUT")" "1000 and 1000 samples of a real machine"
{ samples 10 "$l1" 900; samples 10 "$near" 60; samples 10 "$board" 40; } >"$T/on.txt"
predict -j -m "$T/exact.ini" --off "$T/off.txt" --on "$T/on.txt"
is "samples: from further away than the description goes" "$(ratio)" \
	"$(python3 "$T/expected.py" '[(1000, 1), (60, 50), (40, 200)]')"
{ samples 10 "$l1" 900; samples 10 "$near" 40; samples 10 "$far" 60; } >"$T/on.txt"
predict -j -m "$T/exact.ini" --off "$T/off.txt" --on "$T/on.txt"
# One of the three others is near, two are far.
is "samples: from any other node" "$(ratio)" \
	"$(python3 "$T/expected.py" '[(1000, 1), (40, 50), (60, 100 / 3 + 200 * 2 / 3)]')"
{ samples 10 "$l1" 700; samples 10 "$near" 100; samples 10 "$walk" 200; } >"$T/on.txt"
predict -j -m "$T/exact.ini" --off "$T/off.txt" --on "$T/on.txt"
low=$(python3 "$T/expected.py" '[(1000, 1), (100, 50), (200, 5)]')
high=$(python3 "$T/expected.py" '[(1000, 1), (100, 50), (200, 10)]')
is "samples: TLB misses, in pages of which nobody knows the size" "$(ratio)" "${low% *} ${high#* }"
sed 's/^ *10 //' "$T/off.txt" >"$T/bare.txt"
predict -j -m "$T/exact.ini" --off "$T/bare.txt" --on "$T/bare.txt"
is "samples: without periods each is one access" "$STATUS" 0 || diag "$ERR"

if command -v perf >/dev/null && perf record -d -e page-faults -c 1 -o "$T/perf.data" true >/dev/null 2>&1 &&
	perf script -i "$T/perf.data" -F period,data_src >"$T/real.txt" 2>/dev/null && [ -s "$T/real.txt" ]; then
	predict -m "$T/exact.ini" --off "$T/real.txt" --on "$T/real.txt"
	# Page faults tell no source; their lines are none that we could not read.
	like "what perf prints is read" "$STATUS $ERR" "^1 .*real.txt: no sample tells where its data came from"
else
	skip "what perf prints is read" "no perf that samples page faults here"
fi

# ---- what is wrong with it ----------------------------------------------------------------------

# fails NAME STATUS REGEX ARG...
fails() {
	local name=$1 status=$2 regex=$3

	shift 3
	predict "$@"
	is "$name: status, and no answer" "$STATUS $OUT" "$status "
	like "$name: says why, in one line" "$ERR" "^thpctl: predict: ${regex}[^"$'\n'"]*$"
}
fails "no machine" 2 'which machine\?' "$T/counts.json"
fails "no counts" 2 'from what\?' -m "$T/exact.ini"
fails "one run" 2 'from what\?' -m "$T/exact.ini" --off "$T/off.txt"
fails "counts and samples" 2 'either COUNTS, or --off and --on' -m "$T/exact.ini" --off "$T/off.txt" "$T/counts.json"
fails "two counts" 2 'one file of counts' -m "$T/exact.ini" "$T/counts.json" "$T/counts.json"
fails "unknown option" 2 "unknown option '--no'" --no
fails "no such machine" 1 "cannot open machine description '.*/thpctl/machines/nowhere.ini': No such" -m nowhere "$T/counts.json"
fails "no such counts" 1 '.*nothing\.json' -m "$T/exact.ini" "$T/nothing.json"
fails "no such samples" 1 "cannot open samples '.*/nothing': No such" -m "$T/exact.ini" --off "$T/nothing" --on "$T/off.txt"

# spoils NAME SED REGEX: a description that a sed script has spoilt; a second line tells where.
spoils() {
	sed "$2" "$T/exact.ini" >"$T/spoilt.ini"
	predict -m "$T/spoilt.ini" "$T/counts.json"
	is "description: $1: status, and no answer" "$STATUS $OUT" "1 "
	like "description: $1" "${ERR%%$'\n'*}" "^thpctl: predict: .*$3"
}
spoils "a key is missing" '/^walk_huge/d' "\[tlb\] lacks 'walk_huge'"
spoils "no name" '/^name/d' "\[machine\] lacks 'name'"
spoils "an unknown key" 's/^access/acces/' "\[thread\] has no key 'acces'"
spoils "an unknown section" 's/^\[memory\]/[memroy]/' "unknown section \[memroy\]; did you mean \[memory\]\?"
spoils "a range upside down" 's/^access = 1/access = 2..1/' "\[thread\]: 'access' cannot be '2..1'"
spoils "no number" 's/^access = 1/access = fast/' "'access' cannot be 'fast'"
spoils "half a range" 's/^access = 1/access = 1../' "'access' cannot be '1..'"
spoils "zero" 's/^access = 1/access = 0/' "'access' cannot be '0'"
spoils "not a finite number" 's/^access = 1/access = inf/' "'access' cannot be 'inf'"
spoils "a unit" 's/^access = 1/access = 1 ns/' "'access' cannot be '1 ns'"
spoils "a group of three" 's/^2 = /3 = /' "\[hops\]: '3' cannot be '200'"
spoils "the second hop first" '/^1 = /d' "\[hops\]: '2' cannot be '200'"
spoils "nodes out of reach" '/^4 = /d' "\[hops\] must begin with 1 and reach all 4 nodes"
spoils "far is near" 's/^4 = 400/4 = 150/' "\[hops\]: 4 is nearer than 2"
spoils "nodes" 's/^nodes = 4/nodes = -4/' "\[machine\]: 'nodes' cannot be '-4'"
spoils "a measurement without a stand-in" 's/ 0.5 nobody/ 0.5/' "\[measured\]: 'their.other' cannot be '0.5'"
spoils "no INI" 's/^nodes = 4/nodes 4/' "line 3: not a \[section\]"
spoils "no section" '/^\[machine\]/d' "'name' stands before the first \[section\]"
spoils "a line that is too long" "s/^nodes = 4/; $(printf 'x%.0s' {1..300})/" "line 3: not a .* or longer than [0-9]+ bytes"

# damages NAME JQ REGEX
damages() {
	jq "$2" "$T/counts.json" >"$T/damaged.json"
	fails "counts: $1" 1 "$3" -m "$T/exact.ini" "$T/damaged.json"
}
damages "another format" '.format = "x"' '.*not thpctl-counts of version 1'
damages "a later version" '.version = 2' '.*not thpctl-counts of version 1'
damages "other nodes" '.nodes = 8' '.*was counted on 8 nodes, by hand has 4'
damages "no threads" 'del(.threads_per_node)' ".*'nodes' and 'threads_per_node' must be there"
damages "no programs" '.programs = []' '.*no programs in it'
damages "no name" 'del(.programs[].name)' '.*a program has no name'
damages "no mode" 'del(.programs[].always)' ".*program 'x', always: 'always' is missing, or no object"
damages "no accesses" 'del(.programs[].never.accesses)' ".*program 'x', never: 'accesses' is missing"
damages "a text for a count" '.programs[].never.accesses = "many"' ".*'accesses' is no count"
damages "less than nothing" '.programs[].never.walks_huge = -1' ".*'walks_huge' is no count"
damages "no lines" 'del(.programs[].never.lines_by_group)' ".*'lines_by_group' is missing"
damages "lines of a fifth node" '.programs[].never.lines_by_group = [1,1,1,1]' ".*'lines_by_group' has more groups than the machine"
damages "a list of something" '.programs[].never.lines_by_group = [null]' ".*'lines_by_group' holds what is no count"
damages "more huge faults than faults" '.programs[].always.huge_faults = 1' ".*'huge_faults' is more than 'faults'"
damages "nothing was done" '.programs[].never |= map_values(if type == "array" then [0, 0, 0] else 0 end)' 'nothing that program 1 did was counted'
damages "a list" '[1]' '.*not thpctl-counts'
head -c 100 "$T/counts.json" >"$T/cut.json"
fails "counts: cut" 1 '.*cut.json: line [12]: ' -m "$T/exact.ini" "$T/cut.json"

echo 'no sample' >"$T/bad.txt"
fails "samples: something else" 1 ".*bad.txt: 1 lines are no samples as 'perf script" -m "$T/exact.ini" --off "$T/bad.txt" --on "$T/off.txt"
: >"$T/empty.txt"
fails "samples: none" 1 ".*empty.txt: no sample tells where" -m "$T/exact.ini" --off "$T/off.txt" --on "$T/empty.txt"
samples 0 "$l1" 1 >"$T/zero.txt"
fails "samples: a period of 0" 1 ".*zero.txt: 1 lines are no samples" -m "$T/exact.ini" --off "$T/zero.txt" --on "$T/off.txt"

done_testing
