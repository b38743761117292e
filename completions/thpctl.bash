# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bash completion of thpctl; needs bash-completion.
#
# Verbs, modes, options and operands are read from the program's own help when they are asked for,
# which takes a millisecond or two. So there is no list here that could be wrong.

# Proposes words.
_thpctl_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
}

# Proposes what a placeholder of the help stands for.
_thpctl_value()
{
	case $1 in
	PID*) _thpctl_words "$(cd /proc && printf '%s ' [0-9]*)" ;;
	MODE) _thpctl_words "$modes" ;;
	DIR) _filedir -d ;;
	*) _filedir ;;
	esac
}

_thpctl()
{
	# COMP_WORDS holds "--tree=1" as three words; words holds one, which -s splits if it is last.
	# shellcheck disable=SC2034 # split: set by _init_completion
	local cur prev words cword split
	_init_completion -s || return

	local program=${words[0]/#\~/$HOME} verb=${words[1]} verbs='' modes='' text line
	local verb_re='^  ([a-z]+)  ' mode_re='^(Modes:|      ) ([a-z]+) '
	while IFS= read -r line; do
		[[ $line =~ $verb_re ]] && verbs+=" ${BASH_REMATCH[1]}"
		[[ $line =~ $mode_re ]] && modes+=" ${BASH_REMATCH[2]}"
	done < <("$program" help 2>/dev/null)

	if ((cword == 1)); then
		[[ $cur == -* ]] && verbs='-h --help -V --version'
		_thpctl_words "$verbs"
		return
	elif [[ $verb == help ]]; then
		((cword == 2)) && _thpctl_words "$verbs"
		return
	fi

	# Every option, with the placeholder of its value if it takes one.
	local -A options=()
	local option_re='^ +((-.), )?(--[a-z-]+)( ([^ ]+))?(  |$)'
	text=$("$program" help "$verb" 2>/dev/null)
	while IFS= read -r line; do
		[[ $line =~ $option_re ]] || continue
		options[${BASH_REMATCH[3]}]=${BASH_REMATCH[5]}
		[[ ${BASH_REMATCH[2]} ]] && options[${BASH_REMATCH[2]}]=${BASH_REMATCH[5]}
	done <<<"$text"

	# The usage: the first line, and those indented below it.
	local usage=${text%%$'\n'[^ ]*} mode='' operand=FILE
	local leading_mode_re="^usage: thpctl $verb (\[[^]]*\] )*MODE"
	[[ $usage == *PID* ]] && operand=PID
	[[ $usage == *' COMMAND'* ]] && operand=COMMAND
	[[ $usage =~ $leading_mode_re ]] && mode=wanted

	local i word ended=''
	for ((i = 2; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ ! $ended && $word == -- ]]; then
			ended=1
		elif [[ ! $ended && $word == -* ]]; then
			if [[ ${options[$word]} ]]; then
				((i++))
				[[ ${COMP_WORDS[i]} == = ]] && ((i++))
			fi
		elif [[ $mode ]]; then
			mode=''
		elif [[ $operand == COMMAND ]]; then
			_command_offset "$i"
			return
		fi
	done

	if [[ ! $ended && $prev == -* && ${options[$prev]} ]]; then
		_thpctl_value "${options[$prev]}"
	elif [[ ! $ended && $cur == -* ]]; then
		_thpctl_words "${!options[*]}"
	elif [[ $mode ]]; then
		_thpctl_value MODE
	elif [[ $operand == COMMAND ]]; then
		_command_offset "$COMP_CWORD"
	else
		_thpctl_value "$operand"
	fi
}
complete -F _thpctl thpctl
