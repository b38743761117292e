#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl run ends as the command does; where the command cannot be started, as a shell would say.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/lib.sh"

# exits NAME STATUS COMMAND...
exits() {
	local name=$1 wanted=$2

	shift 2
	run "$@"
	is "$name" "$STATUS" "$wanted" || diag "errors: $ERR"
}

# fails NAME STATUS REGEX ARG...: thpctl run fails with a status and one line of errors.
fails() {
	local name=$1 wanted=$2 regex=$3

	shift 3
	exits "$name: status" "$wanted" "$THPCTL" run never -- "$@"
	like "$name: says why" "$ERR" "$regex"
	is "$name: in one line" "$(wc -l <"$T/err")" 1
	is "$name: nothing else" "$OUT" ""
}

exits "success" 0 "$THPCTL" run never -- true
exits "the command's own status" 7 "$THPCTL" run never -- sh -c 'exit 7'
exits "a status that is also one of thpctl's" 125 "$THPCTL" run never -- sh -c 'exit 125'
exits "the largest status" 255 "$THPCTL" run never -- sh -c 'exit 255'
# shellcheck disable=SC2016 # for the inner shell
exits "death by SEGV" 139 bash -c '"$0" run never -- sh -c "kill -SEGV \$\$"' "$THPCTL"
# shellcheck disable=SC2016
exits "death by KILL" 137 bash -c '"$0" run never -- sh -c "kill -KILL \$\$"' "$THPCTL"
for mode in never default; do
	exits "$mode: success" 0 "$THPCTL" run "$mode" true
	exits "$mode: failure" 1 "$THPCTL" run "$mode" false
done

# ---- not found: 127 -----------------------------------------------------------------------------

fails "missing by name" 127 "^thpctl: cannot find 'no-such-command': not in PATH$" no-such-command
fails "missing by path" 127 "cannot find '/no/such/command': No such file" /no/such/command
fails "below a file" 127 "cannot find '/etc/passwd/x': Not a directory" /etc/passwd/x
fails "empty name" 127 "cannot find '': the name is empty" ""
fails "name with odd bytes" 127 "cannot find 'a.x1b.2Jb.nc'" $'a\x1b[2Jb\nc'
exits "missing, PATH empty" 127 env PATH= "$THPCTL" run never no-such-command
exits "missing, no PATH" 127 env -u PATH "$THPCTL" run never no-such-command

# ---- cannot be executed: 126 --------------------------------------------------------------------

mkdir "$T/dir" "$T/path1" "$T/path2"
echo 'exit 3' >"$T/plain"
fails "directory" 126 "cannot execute '$T/dir': Is a directory" "$T/dir"
fails "not executable" 126 "cannot execute '$T/plain': Permission denied" "$T/plain"

printf '#!/no/such/interpreter\n' >"$T/orphan"
printf '\0\1\2garbage\0' >"$T/garbage"
printf '\x7fELF\2\1\1garbage that is not an ELF file at all, only its first bytes\0' >"$T/half-elf"
chmod +x "$T/orphan" "$T/garbage" "$T/half-elf"
fails "interpreter missing" 126 "cannot execute '$T/orphan': its interpreter or loader" "$T/orphan"
fails "binary garbage" 126 "cannot execute '$T/garbage': Exec format error" "$T/garbage"
fails "broken ELF" 126 "cannot execute '$T/half-elf': Exec format error" "$T/half-elf"

ln -s loop "$T/loop"
fails "symbolic link to itself" 126 "cannot execute '$T/loop': (Too many levels|Symbolic link loop)" "$T/loop"

# The path that execve(2) is given counts as well: with a long one thpctl itself just fits where its
# command does not. 512 KiB of stack leave 128 KiB for arguments.
deep=$T
for _ in 1 2 3 4 5 6 7 8 9 10; do
	deep=$deep/$(printf '%0250d' 0)
done
mkdir -p "$deep"
cp /bin/true "$deep/tool"
too_long=
for ((n = 80; n < 140; n++)); do
	mapfile -t words < <(yes "$(printf '%01000d' 0)" | head -n "$n")
	run prlimit --stack=524288 env -i "$THPCTL" run never "$deep/tool" "${words[@]}"
	if [ "$STATUS" -ne 0 ]; then
		too_long="$STATUS $ERR"
		break
	fi
done
like "arguments too long for the command" "$too_long" \
	"^126 thpctl: cannot execute '/.*: Argument list too long$"

# ---- scripts without "#!", as execvp(3) and shells start them -----------------------------------

# shellcheck disable=SC2016 # for the script
printf 'echo "$# <$1> <$2>"\nexit 6\n' >"$T/script"
chmod +x "$T/script"
exits "script without #!: status" 6 "$THPCTL" run never -- "$T/script" "a b" ""
is "script without #!: arguments" "$OUT" "2 <a b> <>"
: >"$T/empty"
chmod +x "$T/empty"
exits "empty file" 0 "$THPCTL" run never -- "$T/empty"
printf 'exit 4' >"$T/no-newline"
chmod +x "$T/no-newline"
exits "script without a final newline" 4 "$THPCTL" run never -- "$T/no-newline"

# ---- PATH, as execvp(3) walks it ----------------------------------------------------------------

printf '#!/bin/sh\nexit 11\n' >"$T/path1/tool"
printf '#!/bin/sh\nexit 12\n' >"$T/path2/tool"
chmod +x "$T/path2/tool"
exits "one that may not be executed is passed over" 12 \
	env PATH="$T/path1:$T/path2" "$THPCTL" run never tool
exits "none may be executed" 126 env PATH="$T/path1" "$THPCTL" run never tool
chmod +x "$T/path1/tool"
exits "the first in PATH" 11 env PATH="$T/path1:$T/path2" "$THPCTL" run never tool
exits "missing directories of PATH" 12 env PATH="/no/such:$T/path2" "$THPCTL" run never tool
cd "$T/path2" || exit 99
exits "an empty element is the working directory" 12 env PATH=/no/such: "$THPCTL" run never tool
exits "an empty element in front" 12 env PATH=:/no/such "$THPCTL" run never tool
exits "a name with a slash is a path" 12 env PATH="$T/path1" "$THPCTL" run never ./tool
cd "$TESTS" || exit 99
mkdir "$T/path1/sh-dir"
exits "a directory of that name in PATH" 126 env PATH="$T/path1" "$THPCTL" run never sh-dir

done_testing
