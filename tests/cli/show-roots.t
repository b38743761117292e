#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl show --sysroot on the captured trees of tests/roots: other kernels, and processes that are
# hard to make. Answers are compared byte for byte with those in tests/roots/TREE.expected.
# --update writes these anew; they are to be read by a person before they are committed.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

cd "$TESTS/roots" || exit 99

# The version in JSON changes with every release.
answer() {
	"$THPCTL" show --sysroot "$@" 2>&1 | sed 's/^  "version": ".*"/  "version": "VERSION"/'
	echo "exit status ${PIPESTATUS[0]}"
}

# golden TREE FILE ARG...
golden() {
	local tree=$1 file=$1.expected/$2

	shift 2
	if [ "$UPDATE" = yes ]; then
		mkdir -p "$tree.expected"
		answer "$tree" "$@" >"$file"
	fi
	ok "$file" diff -u "$file" <(answer "$tree" "$@")
}

UPDATE=no
[ "${1:-}" != --update ] || UPDATE=yes

# ---- systems ------------------------------------------------------------------------------------

for tree in linux-6.18 linux-6.1 linux-4.9 arm64-16k no-thp no-sysfs strange; do
	golden $tree show.txt
	golden $tree show.json --json
done

# ---- processes ----------------------------------------------------------------------------------

golden processes all.txt --all
golden processes all.json --all --json
golden processes all-no-size.txt --all --no-size
golden processes tree.txt --tree 111
golden processes pids.txt 1 2 110 111 120 130 131 140 150
golden processes pids.json --json 9 111 120 130 140 150
golden processes broken.txt 160 170 171
golden linux-4.9 all.txt --all
golden linux-4.9 pid.json --json 50
golden no-thp pid.txt 50
golden no-sysfs all.txt --all

# ---- the word in brackets, wherever it stands ---------------------------------------------------

cp -r linux-6.18 "$T/tree"
faked=$T/tree/sys/kernel/mm/transparent_hugepage
for word in always madvise never; do
	text="always madvise never"
	echo "${text/$word/[$word]}" >"$faked/enabled"
	like "enabled '$(<"$faked/enabled")'" "$(answer "$T/tree")" $'\n'"  enabled +$word"$'\n'
	is "enabled '$(<"$faked/enabled")': JSON" \
		"$("$THPCTL" show --json --sysroot "$T/tree" | jq -c '.system | [.enabled, .anon]')" \
		"[\"$word\",\"$word\"]"
done
for text in "always sometimes [rarely]" "always madvise never" "" "[]"; do
	echo "$text" >"$faked/enabled"
	like "enabled '$text' is unknown" "$(answer "$T/tree")" $'\n'"  enabled +unknown"$'\n'
	is "enabled '$text' is unknown: JSON, never a guess" \
		"$("$THPCTL" show --json --sysroot "$T/tree" | jq -c '.system | [.enabled, .anon]')" \
		'["unknown","unknown"]'
done

# ---- the size of a huge page is the kernel's, not ours ------------------------------------------

like "hpage_pmd_size 33554432" "$(answer arm64-16k)" "a whole huge page is 32 MiB"
echo "[always] madvise never" >"$faked/enabled"
echo 1073741824 >"$faked/hpage_pmd_size"
like "hpage_pmd_size 1073741824" "$(answer "$T/tree")" "a whole huge page is 1 GiB"
rm "$faked/hpage_pmd_size"
like "no hpage_pmd_size" "$(answer "$T/tree")" "a whole huge page is of unknown size"

# ---- a tree is only read ------------------------------------------------------------------------

before=$(find . "$T/tree" -type f -newermt @0 -printf '%p %T@ %s\n' | sort)
answer "$T/tree" --all >/dev/null
is "nothing in it changes" "$(find . "$T/tree" -type f -newermt @0 -printf '%p %T@ %s\n' | sort)" \
	"$before"
is "it knows no calling process" "$("$THPCTL" show --json --sysroot linux-6.18 | jq .self_mode)" null

done_testing
