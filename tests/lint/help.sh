# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the program's help lists, a line each. Sourced, behind tests/cli/lib.sh.

# Every verb.
help_verbs() {
	"$THPCTL" help | sed -nE 's/^  ([a-z]+)  .*/\1/p'
}

# Every mode.
help_modes() {
	"$THPCTL" help | sed -nE 's/^(Modes:|      ) ([a-z]+) .*/\2/p'
}

# The usage of a verb, in one line.
help_usage() { # VERB
	"$THPCTL" help "$1" | sed -n '1p; 1!{ /^ /!q; p }' | tr -s ' \n' ' '
}

# The options of a verb with the names of their values: "-t --tree pid".
help_options() { # VERB
	"$THPCTL" help "$1" |
		sed -nE 's/^ +((-.), )?(--[a-z-]+)( ([^ ]+))?(  .*|$)/\2 \3 \L\5/p' |
		sed -E 's/^ +| +$//g' | sort
}

# Lines sorted and each once, in one line.
as_set() {
	sort -u | tr '\n' ' ' | sed 's/ $//'
}
