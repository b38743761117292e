#!/bin/bash
# SPDX-License-Identifier: MIT
# thpctl collapse and split on real memory, which must keep its contents.
# shellcheck source=tests/live/tap.sh
. "$(dirname "$0")/tap.sh"

thp=/sys/kernel/mm/transparent_hugepage
[ -e $thp/enabled ] || skip_all "a kernel without THP"
# Others may change the system's setting: not while we look.
exec 8>/run/lock/thp-sysfs.lock
flock -s 8
grep -q '\[never\]' $thp/enabled && skip_all "the system says never"

arena()
{
	local kind=$1
	start "$live/arena" "$kind"
	until_true says_ready
	range=$(sed -n 's/^ready //p' "$work/out")
}

# end NAME: what the target says of its memory
end()
{
	kill -TERM "$pid"
	wait "$pid"
	is "$(tail -1 "$work/out")" ok "$1: the memory kept its contents"
}

# change VERB [ARG...]: the answer as JSON in $answer, the status in $status
change()
{
	answer=$("$build/thpctl" "$@" --json "$pid" "$range")
	status=$?
}

value()
{
	jq -r "$1" <<<"$answer"
}

arena huge
change split
is "$status $(value .change.blocks.done) $(value .change.huge_after_bytes)" "0 8 0" \
	"split: all 8 huge pages"
change split
is "$status $(value '.change.blocks | add')" "0 0" "split: nothing is left to do"
end huge

arena huge
change split --dry-run
is "$(value .change.blocks.planned) $(value .change.huge_after_bytes)" "8 16777216" \
	"split --dry-run: changes nothing"
range=${range%-*}
change split
is "$status $(value .change.blocks.done) $(value .change.huge_after_bytes)" "0 1 14680064" \
	"split: only the block of one address"
end dry-run

arena bloat
change split --bloat
is "$(value .change.bloat_bytes)" $((16777216 - 8 * 4096)) "split --bloat: zeros are counted"
gave=$(($(value .change.resident_before_bytes) - $(value .change.resident_after_bytes)))
[ $gave -ge 16000000 ]
ok $? "split: zeros are given back ($gave bytes)"
end bloat

arena mlocked
change split
is "$status $(value .change.blocks.mlocked)" "1 8" "split: locked memory is told"
end mlocked

arena copied
change collapse
is "$status $(value .change.blocks.private)" "0 8" "collapse: private copies of shared memory are told"
end copied

arena forked
change split --bloat
is "$status $(value .change.blocks.shared)" "1 8" \
	"split: memory shared after fork is told, and stays shared"
end forked

arena small
change collapse --dry-run
is "$(value .change.blocks.planned) $(value .change.huge_after_bytes)" "8 0" \
	"collapse --dry-run: changes nothing"
change collapse
is "$status $(value .change.blocks.done) $(value .change.huge_after_bytes)" "0 8 16777216" \
	"collapse: all 8 blocks"
change collapse
is "$status $(value .change.blocks.already)" "0 8" "collapse: nothing is left to do"
end small

arena hole
change collapse
is "$status $(value '.change.blocks | add') $(value .change.huge_after_bytes)" "0 4 8388608" \
	"collapse: blocks that were never written are left alone"
end hole

arena mixed
change collapse
is "$status $(value .change.blocks.done) $(value .change.blocks.mixed)" "0 7 1" \
	"collapse: goes on behind a block of mixed protection"
like "$("$build/thpctl" collapse --report "$pid" "$range")" \
	"${range%-*}.*: 0 of 8 blocks: 7 already huge, 1 mixed protection" \
	"collapse --report: by range, with reasons"
end mixed

arena nohuge
change collapse
is "$status $(value .change.blocks.nohugepage) $(value .change.huge_after_bytes)" "0 8 0" \
	"collapse: the program's own MADV_NOHUGEPAGE is respected and told"
end nohuge

arena shmem
change collapse
is "$status $(value .change.blocks.done) $(value .ranges[0].backing)" "0 8 shmem" \
	"collapse: shared memory"
end shmem

# 16 MiB at 16 MiB a second cannot take less than nearly a second, however fast the machine.
arena small
before=$(date +%s%N)
change collapse --max-rate 16M
took=$((($(date +%s%N) - before) / 1000000))
[ "$status" -eq 0 ] && [ $took -ge 900 ]
ok $? "collapse --max-rate: 16 MiB at 16M a second took $took ms"
end rate

arena small
"$build/thpctl" set never "$pid" >/dev/null
message=$("$build/thpctl" collapse "$pid" 2>&1)
is "$?" 3 "collapse: a process in the mode never is refused"
like "$message" "thpctl: PID $pid: cannot collapse: its mode is never: 'thpctl set default $pid'" \
	"collapse: and told what would help"
end never

for verb in split collapse; do
	message=$(setpriv --reuid 65534 --clear-groups "$build/thpctl" $verb 1 2>&1)
	is "$?" 1 "$verb: without rights it fails"
	like "$message" "^thpctl: PID 1: cannot $verb: .*(not permitted|Permission denied|needs)" \
		"$verb: and says so: $message"
	is "$("$build/thpctl" $verb 2>/dev/null; echo $?)" 2 "$verb: no PID is wrong usage"
	is "$("$build/thpctl" $verb 1x 2>/dev/null; echo $?)" 2 "$verb: a wrong PID is wrong usage"
	is "$("$build/thpctl" $verb 2 2>/dev/null; echo $?)" 1 "$verb: a kernel thread is refused"
done

done_testing
