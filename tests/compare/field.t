#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl compare gives the right answer where people were given a wrong one: failing runs that were
# counted, memory that grew, counters that were not there.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

has_thp || skip_all "this kernel has no THP"
pattern=$BIN/pattern

# What a mode achieves depends on the system's settings, which other tests change.
exec 9>>/run/lock/thp-sysfs.lock && flock -s 9

# compared ARG...: a comparison as JSON in OUT. never against default, unless ARGs say otherwise;
# pattern advises its memory, so that default has huge pages under madvise and under always.
compared() {
	run "$THPCTL" compare --quiet --json --modes never,default --runs 4 "$@"
}

# median MEASURE ARM: of the comparison in OUT.
median() {
	jq ".programs[0].arms[] | select(.arm == \"$2\") | .medians.$1.value" "$T/out"
}

# within NAME VALUE LEAST MOST
within() {
	ok "$1: $2 is from $3 to $4" jq -en "$2 >= $3 and $2 <= $4"
}

# ---- a run that fails is no measurement ----------------------------------------------------------

compared -- "$pattern" flag
is "a program that fails with the flag alone: status" "$STATUS" 1
is "... the arm is invalid" "$(jq -c '[.programs[0].arms[] | .valid]' "$T/out")" '[false,true]'
is "... there is no ratio" "$(jq -c '.programs[0].comparisons[0].ratio.value' "$T/out")" null
is "... and no verdict" "$(jq -r '.programs[0].comparisons[0].verdict' "$T/out")" invalid
like "... the note says with what" "$(jq -r '.programs[0].arms[0].notes[0]' "$T/out")" \
	'never is invalid: warm-up run 1 ended with status 3'
compared --expect-status 3 --modes never,never -- "$pattern" flag
is "a status that is expected is no failure" "$STATUS" 0

# ---- memory that huge pages make grow -------------------------------------------------------------

if [ "$(sed 's/.*\[\(.*\)\].*/\1/' $THP/enabled)" != never ]; then
	# What a program has at least: its image, and what fork(2) copied for it before.
	compared --runs 2 -- true
	least=$(($(median peak_rss_bytes never) / 1024))
	compared -- "$pattern" bloat 256
	is "one byte in each 2 MiB: status" "$STATUS" 0
	slack=2048
	! is_sanitized || slack=8192
	within "... never: peak RSS in KiB" "$(($(median peak_rss_bytes never) / 1024))" \
		500 $((least + slack))
	within "... default: peak RSS in KiB" "$(($(median peak_rss_bytes default) / 1024))" \
		262144 268000
	within "... huge faults were counted" "$(median thp_fault_alloc default)" 128 1000
	within "... huge share, peak" "$(median huge_share_peak default)" 0.95 1
	is "... never had no huge memory" "$(median huge_peak_bytes never)" 0
	is "... slower is called so" "$(jq -r '.programs[0].comparisons[0] |
		.verdict != "slower"' "$T/out")" true

	# The lore has it that a fork copies 2 MiB for each byte. Linux 6.18 maps small pages instead:
	# what is told is what was seen.
	compared --runs 3 -- "$pattern" fork 64
	within "fork and write: huge memory, peak in KiB" \
		"$(($(median huge_peak_bytes default) / 1024))" 65536 65536
	within "... huge share, last" "$(median huge_share_last default)" 0 0.02
	within "... memory grew in neither mode: KiB" \
		"$(($(median peak_rss_bytes default) / 1024))" 65536 140000
else
	skip "memory that huge pages make grow" "the system says never: advised memory is small too"
fi

compared -- "$pattern" stacks 100
within "100 stacks of 8 MiB stay small: KiB" "$(($(median peak_rss_bytes default) / 1024))" 500 40000

# ---- an arm that was to be huge and was not ------------------------------------------------------

if [ "$(sed 's/.*\[\(.*\)\].*/\1/' $THP/enabled)" != always ]; then
	compared -- "$pattern" small 64
	is "memory that nobody advised: not huge" \
		"$(jq -r '.programs[0].arms[1].huge' "$T/out")" none
	like "... and called out" "$(jq -r '.programs[0].arms[1].notes[]' "$T/out")" \
		'default was not huge .*no test of huge pages'
	run "$THPCTL" compare -q -n 2 -- "$pattern" flag
	is "always cannot be had: status" "$STATUS" 3
	is "... no run, no report" "$OUT" ""
	like "... says so" "$ERR" 'cannot run with always: .*the system says'
	run "$THPCTL" compare -q -n 2 -b --json --expect-status 3 -m never,always \
		-- sh -c 'exit 3'
	is "with --best-effort it runs" "$STATUS" 0
	like "... and is called out" "$(jq -r '.programs[0].arms[1].notes[0]' "$T/out")" \
		'always was not in force'
else
	skip "an arm that was to be huge and was not" "the system says always"
fi

exec 9>&- # for with_system to take
if can_system enabled=always; then
	with_system enabled=always -- "$THPCTL" compare -q -n 6 --json \
		-- "$pattern" small 128 >"$T/out" 2>"$T/err"
	is "never,always under a system that says always: status" $? 0
	within "... always was huge" "$(median huge_share_peak always)" 0.95 1
	is "... never was not" "$(median huge_peak_bytes never)" 0
	is "... the ratio is off / on" "$(jq -r '.programs[0].comparisons[0].direction' "$T/out")" \
		"performance never / always, THP off / on; above 1.0 never is faster"
	# Not one setting, but two: a comparison that somebody disturbed says so.
	"$THPCTL" compare -q -m never,default -n 1000 --export "json:$T/disturbed" -- sleep 0.1 \
		>"$T/out" 2>"$T/err" &
	STARTED+=($!)
	with_system enabled=always -- sleep 1
	with_system enabled=madvise -- sleep 1
	kill -INT "${STARTED[-1]}"
	wait "${STARTED[-1]}"
	ok "settings that change meanwhile are told of each run" \
		jq -e '[.runs[].settings_changed] | any and (all | not)' "$T/disturbed"
	like "... and called out" "$(cat "$T/out")" "somebody changed the system's THP settings"
else
	skip "never,always under a system that says always" "$CANNOT_SYSTEM"
fi

# ---- no counters are no zeros ---------------------------------------------------------------------

compared -- "$pattern" spin 100
is "counters: status" "$STATUS" 0
ok "what is not counted is null, never 0" jq -e \
	'all(.runs[]; (.cycles == null or .cycles > 0) and
	 (.instructions == null or .instructions > 0))' "$T/out"
ok "software counters are there" jq -e 'all(.runs[]; .context_switches != null)' "$T/out"
run "$THPCTL" compare -q -n 2 -m never,default -- "$pattern" spin 100
if jq -e '.runs[0].cycles == null' "$T/out" >/dev/null 2>&1 || grep -q '^cycles  *n/a' "$T/out"; then
	like "and n/a to people" "$OUT" 'dTLB load misses +n/a'
else
	skip "and n/a to people" "this machine has hardware counters"
fi

# ---- the flag of who compares stays as it is -------------------------------------------------------

# shellcheck disable=SC2016 # for the inner shell
run "$THPCTL" run never -- sh -c '"$1" compare -q -n 10 -m default,never --expect-status 0 -- true \
	>/dev/null && exec "$2" flag' sh "$THPCTL" "$pattern"
is "the caller's flag is unchanged by its runs" "$STATUS" 3

done_testing
