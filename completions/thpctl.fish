# SPDX-License-Identifier: MIT
# fish completion of thpctl.
#
# Verbs, modes, options and operands are read from the program's own help when they are asked for,
# which takes a millisecond or two. So there is no list here that could be wrong.

# Each verb and its description.
function __thpctl_verbs
    $argv[1] help 2>/dev/null | string replace -rf '^  ([a-z]+)  +(.*)$' '$1\t$2'
end

# Proposes what a placeholder of the help stands for.
function __thpctl_value -a program placeholder token
    switch $placeholder
        case 'PID*'
            __fish_complete_pids
        case MODE
            $program help 2>/dev/null | string replace -rf '^(Modes:|      ) ([a-z]+) +(.*)$' '$2\t$3'
        case DIR
            __fish_complete_directories $token
        case '*'
            __fish_complete_path $token
    end
end

function __thpctl_complete
    set -l tokens (commandline -opc)
    set -l token (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $tokens[1])
    set -l verb $tokens[2]

    if not set -q tokens[2]
        __thpctl_verbs $program
        printf '%s\n' -h\t'List the verbs' --help\t'List the verbs' \
            -V\t'Show the version' --version\t'Show the version'
        return
    else if string match -q -- help $verb
        set -q tokens[3]; or __thpctl_verbs $program
        return
    end

    # Every option, and for those that take a value its placeholder in the same place.
    set -l options
    set -l placeholders
    set -l proposals
    set -l help ($program help $verb 2>/dev/null)
    for line in $help
        # A group that is empty still counts; one that is left out would not.
        set -l match (string match -r -- '^ +((?:-., )?)(--[a-z-]+)((?: [^ ]+)?)(?:  +|$)(.*)' $line)
        or continue
        for name in (string match -r -- '^-.' $match[2]) $match[3]
            set -a options $name
            set -a placeholders (string trim -- "$match[4]")
            set -a proposals $name\t$match[5]
        end
    end

    # The usage: the first line, and those indented below it.
    set -l usage $help[1]
    for line in $help[2..]
        string match -q ' *' -- $line; or break
        set usage "$usage$line"
    end
    set -l operand FILE
    string match -q '*PID*' -- $usage; and set operand PID
    string match -q '* COMMAND*' -- $usage; and set operand COMMAND
    set -l mode
    string match -qr -- "^usage: thpctl $verb (\[[^]]*\] )*MODE" $usage; and set mode wanted

    set -l ended
    set -l placeholder
    set -l rest $tokens[3..]
    while set -q rest[1]
        set -l word $rest[1]
        if set -q placeholder[1]
            set placeholder
        else if test -z "$ended"; and string match -q -- -- $word
            set ended yes
        else if test -z "$ended"; and string match -q -- '-*' $word
            set -l at (contains -i -- $word $options)
            and test -n "$placeholders[$at]"
            and set placeholder $placeholders[$at]
        else if test -n "$mode"
            set mode
        else if test $operand = COMMAND
            set ended yes
            break
        end
        set -e rest[1]
    end

    set -l inline (string match -r -- '^(--[a-z-]+=)(.*)' $token)
    if set -q placeholder[1]
        __thpctl_value $program $placeholder $token
    else if test -z "$ended"; and set -q inline[1]
        set -l at (contains -i -- (string trim -rc = -- $inline[2]) $options)
        and test -n "$placeholders[$at]"
        and printf '%s\n' $inline[2](__thpctl_value $program $placeholders[$at] $inline[3])
    else if test -z "$ended"; and string match -q -- '-*' $token
        printf '%s\n' $proposals
    else if test -n "$mode"
        __thpctl_value $program MODE $token
    else if test $operand = COMMAND
        __fish_complete_subcommand --commandline $rest $token
    else
        __thpctl_value $program $operand $token
    end
end

complete -c thpctl -f -a '(__thpctl_complete)'
