#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each shell proposes the program's verbs, modes and options, all of them and no others; then
# processes, directories, commands and what these complete themselves.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"
# shellcheck source=tests/lint/help.sh
. "${0%/*}/help.sh"
# shellcheck source=tests/lint/propose.sh
. "${0%/*}/propose.sh"

# proposes SHELL LINE WORD...: exactly these.
proposes() {
	local shell=$1 line=$2

	shift 2
	is "$shell: '$line'" "$(propose "$shell" "$line")" "$(printf '%s\n' "$@" | as_set)"
}

# offers SHELL LINE WORD: this one among others.
offers() {
	local proposals

	proposals=$(propose "$1" "$2")
	if [[ " $proposals " == *" $3 "* ]]; then
		report ok "$1: '$2' offers $3"
	else
		report 'not ok' "$1: '$2' offers $3"
		diag "got: $proposals"
	fi
}

# offers_place SHELL LINE NAME: this file or directory alone, in whichever form the shell has it.
offers_place() {
	is "$1: '$2' offers $3" "$(propose "$1" "$2" | sed 's|/$||; s|.*[/=]||')" "$3"
}

# A command that nobody else has, a file and a directory.
mkdir "$T/bin" "$T/place.d"
: >"$T/place.file"
ln -s /bin/true "$T/bin/thp-some-command"
PATH=$T/bin:$PATH
propose_setup

for shell in bash zsh fish; do
	if ! command -v "$shell" >/dev/null; then
		skip "$shell" "it is not installed"
		continue
	elif [ "$shell" = bash ] && [ ! -e /usr/share/bash-completion/bash_completion ]; then
		skip "$shell" "bash-completion is not installed"
		continue
	fi

	# shellcheck disable=SC2046 # words
	proposes "$shell" "thpctl help " $(help_verbs)
	proposes "$shell" "thpctl --" --help --version
	proposes "$shell" "thpctl ru" run
	proposes "$shell" "thpctl run ne" never
	proposes "$shell" "thpctl run never --b" --best-effort
	proposes "$shell" "thpctl run -v ne" never
	proposes "$shell" "thpctl show --tr" --tree

	for verb in $(help_verbs); do
		offers "$shell" "thpctl $verb" "$verb"
		[ "$verb" != help ] || continue
		# shellcheck disable=SC2046 # words
		proposes "$shell" "thpctl $verb --" $(help_options "$verb" | grep -oE -- '--[a-z-]+')
		# shellcheck disable=SC2046 # words
		proposes "$shell" "thpctl $verb -" \
			$(help_options "$verb" | grep -oE -- '(^| )--?[a-z][a-z-]*')
		if [[ $(help_usage "$verb") =~ ^usage:\ thpctl\ $verb\ (\[[^]]*\] )*MODE ]]; then
			# shellcheck disable=SC2046 # words
			proposes "$shell" "thpctl $verb " $(help_modes)
		fi
	done

	offers "$shell" "thpctl run never thp-some" thp-some-command
	offers "$shell" "thpctl run -v never -b -- thp-some" thp-some-command
	offers "$shell" "thpctl run never -- chmod --pres" --preserve-root
	offers "$shell" "thpctl run -v never chmod --pres" --preserve-root
	proposes "$shell" "thpctl run never -- thp-some-command --best"
	offers_place "$shell" "thpctl run never -- ls $T/place.f" place.file
	offers_place "$shell" "thpctl show --sysroot $T/place" place.d
	offers_place "$shell" "thpctl show --sysroot=$T/place" place.d
	offers "$shell" "thpctl show ${$:0:1}" $$
	offers "$shell" "thpctl show --json --tree ${$:0:1}" $$
	offers "$shell" "thpctl show --json 1 ${$:0:1}" $$
	offers "$shell" "thpctl show --tree=${$:0:1}" \
		"$([ "$shell" = fish ] && echo --tree=$$ || echo $$)"
done

done_testing
