#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the modes do to real memory: 64 MiB touched under each, counted by the kernel.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

has_thp || skip_all "no $THP here: the kernel has no THP, or /sys is hidden"
[ "$(<"$THP/hpage_pmd_size")" = 2097152 ] || skip_all "made for huge pages of 2 MiB"
MODES=(never default)
has_except_advised && MODES+=(madvise)

# huge SYSTEM MODE KIND: MiB in huge pages of a program that takes 64 MiB; "all" where it is most.
huge() {
	local system=$1 mode=$2 kind=$3 line kib

	line=$(with_system "enabled=$system" hugepages-2048kB/enabled=inherit -- \
		"$THPCTL" run "$mode" -- "$BIN/memory" "$kind" 64 2>/dev/null) || return
	kib=$(field huge "$line")
	# A machine short of memory may give a huge page less, never one more.
	if [ "$kib" -eq 0 ]; then
		echo none
	elif [ "$kib" -ge $((58 * 1024)) ] && [ "$kib" -le $((66 * 1024)) ]; then
		echo all
	else
		echo "$kib kB"
	fi
}

# What each kind of memory gets: system, mode, plain, advised.
table="
always default all all
always never none none
always madvise none all
madvise default none all
madvise never none none
madvise madvise none all
never default none none
never never none none
never madvise none none
"
while read -r system mode plain advised; do
	[ -n "$system" ] || continue
	if [[ ! " ${MODES[*]} " == *" $mode "* ]]; then
		skip "$mode while the system says $system" "this kernel is older than Linux 6.18"
	elif ! can_system "enabled=$system" hugepages-2048kB/enabled=inherit; then
		skip "$mode while the system says $system" "$CANNOT_SYSTEM"
	else
		is "$mode while the system says $system: plain" "$(huge "$system" "$mode" plain)" "$plain"
		is "$mode while the system says $system: advised" \
			"$(huge "$system" "$mode" advised)" "$advised"
	fi
done <<<"$table"

# Newer C libraries advise by themselves, so "madvise" is not "off": only never is.
if ! can_system enabled=madvise hugepages-2048kB/enabled=inherit; then
	skip "a C library that advises" "$CANNOT_SYSTEM"
else
	export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
	if [ "$(huge madvise default malloc)" != all ]; then
		skip "a C library that advises" "glibc.malloc.hugetlb has no effect (needs glibc 2.35)"
	else
		for mode in "${MODES[@]}"; do
			wanted=all
			[ "$mode" = never ] && wanted=none
			is "a C library that advises: $mode" "$(huge madvise "$mode" malloc)" "$wanted"
		done
	fi
fi

done_testing
