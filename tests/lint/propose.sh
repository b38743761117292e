# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a shell proposes when TAB is pressed behind a line. The shells are the real ones, interactive
# and on a terminal of their own, and load the completion as they would when it is installed.
# Sourced, behind tests/cli/lib.sh.

COMPLETIONS=$(cd "$TESTS/../completions" && pwd)
ANSWER=$T/answer

# For as long as the shells run: no settings of the user's, thpctl of the build first.
propose_setup() {
	mkdir -p "$T/home" "$T/bash/completions" "$T/zsh" "$T/fish/fish/completions"
	cp "$COMPLETIONS/thpctl.bash" "$T/bash/completions/thpctl"
	cp "$COMPLETIONS/thpctl.fish" "$T/fish/fish/completions/thpctl.fish"
	mkfifo "$T/keys"

	cat >"$T/bash/rc" <<-'END'
		. /usr/share/bash-completion/bash_completion
		_completion_loader thpctl
		answer() {
			_thpctl "$@"
			printf '%s\n' "${COMPREPLY[@]}" >"$ANSWER"
			exit
		}
		complete -F answer thpctl
	END

	# compadd is what every completion of zsh ends in; with -O, -A or -D it proposes nothing.
	cat >"$T/zsh/.zshrc" <<-'END'
		fpath=($COMPLETIONS $fpath)
		autoload -Uz compinit && compinit -u -d $ZDOTDIR/dump
		compadd() {
			local -a hits
			if (( ! ${argv[(I)-[OAD]]} )); then
				builtin compadd -A hits "$@"
				(( $#hits )) && print -rl -- $hits >>$ANSWER
			fi
			builtin compadd "$@"
		}
		propose() {
			BUFFER=$LINE CURSOR=$#LINE
			zle complete-word
			exit
		}
		zle -N zle-line-init propose
	END
}

# on_terminal COMMAND: runs it by a shell, on a terminal of its own, with our environment.
on_terminal() {
	env HOME="$T/home" TERM=dumb LC_ALL=C.UTF-8 PATH="$BUILD:$PATH" timeout 60 \
		script -qec "$1" /dev/null >/dev/null 2>&1
}

propose_bash() { # LINE
	# The pipe stays open, for a shell whose terminal hangs up does not complete any more.
	exec 7<>"$T/keys"
	printf '%s\t' "$1" >&7
	BASH_COMPLETION_USER_DIR=$T/bash ANSWER=$ANSWER \
		on_terminal "bash --noprofile --rcfile '$T/bash/rc' -i" <&7
	exec 7>&-
}

propose_zsh() { # LINE
	ZDOTDIR=$T/zsh COMPLETIONS=$COMPLETIONS ANSWER=$ANSWER LINE=$1 \
		on_terminal "zsh -i" </dev/null
}

propose_fish() { # LINE
	HOME=$T/home XDG_CONFIG_HOME=$T/fish PATH=$BUILD:$PATH LC_ALL=C.UTF-8 \
		fish -c "complete -C \$argv[1]" -- "$1" 2>&1 | cut -f 1 >"$ANSWER"
}

# The proposals of a shell, each once, in one line.
propose() { # SHELL LINE
	: >"$ANSWER"
	"propose_$1" "$2"
	grep . "$ANSWER" | as_set
}
