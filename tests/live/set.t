#!/bin/bash
# SPDX-License-Identifier: MIT
# thpctl set: whom it reaches, whom it refuses, and what it says of both.
# shellcheck source=tests/live/tap.sh
. "$(dirname "$0")/tap.sh"

thpctl=$build/thpctl
targets_dir=$build/tests

enabled()
{
	field THP_enabled "$1"
}

# reach NAME: PID must take never and give it back, as the kernel shows it
reach()
{
	local name=$1 message
	message=$("$thpctl" set never "$pid" 2>&1)
	is "$? $(enabled "$pid")" "0 0" "$name: never ($message)"
	message=$("$thpctl" set default "$pid" 2>&1)
	is "$? $(enabled "$pid")" "0 1" "$name: default ($message)"
}

# refuse NAME PATTERN: PID must be left alone
refuse()
{
	local name=$1 pattern=$2 message before
	before=$(enabled "$pid")
	message=$("$thpctl" set never "$pid" 2>&1)
	is $? 1 "$name: refused"
	like "$message" "^thpctl: PID $pid( \([^)]*\))?: cannot set never: $pattern" "$name: says why"
	is "$(enabled "$pid")" "$before" "$name: the flag is untouched"
}

# Not a shell's child: its state is nobody's business but ours.
hold()
{
	start "$@"
	until_true says_ready
}

# ---- whom it reaches

start sleep 1000
reach sleep
kill -STOP "$pid"
until_true test "$(state_of "$pid")" = T
is "$("$thpctl" set never "$pid" >/dev/null; echo $?) $(enabled "$pid")" "0 0" "stopped: set"
until_true test "$(state_of "$pid")" = T
is "$(state_of "$pid")" T "stopped: stays stopped"
kill -CONT "$pid"
until_true test "$(state_of "$pid")" = S
is "$(state_of "$pid")" S "stopped: continues"

hold "$live/odd" threads 500
reach "500 threads"
tid=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | tail -1)
"$thpctl" set never "$tid" >/dev/null
is "$? $(enabled "$pid")" "0 0" "a thread's id: the whole process"

hold "$live/odd-static" threads 1
reach static

if [ -x "$live/target32" ]; then
	hold "$live/target32"
	reach "32-bit"
	is "$(state_of "$pid" | tr RS S)" S "32-bit: lives"
else
	skip "32-bit" "no 32-bit code on this architecture"
fi

start "$targets_dir/being" dead-leader
until_true grep -qs . "$work/out"
"$thpctl" set never "$pid" >/dev/null
status=$?
live_tid=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -v "^$pid\$")
is "$status $(enabled "$pid/task/$live_tid")" "0 0" "dead main thread: by a living one"

if unshare --pid --fork true 2>/dev/null; then
	start unshare --pid --fork --kill-child "$live/odd" threads 1
	until_true says_ready
	pid=$(pgrep -P "$pid")
	reach "init of a PID namespace"
else
	skip "init of a PID namespace" "unshare is not permitted"
fi

# The shell's own vfork children are too quick: this one blocks until it is told.
mkfifo "$work/stdin"
rm -f "$work/out"
"$live/blocked" vfork <"$work/stdin" >"$work/out" 2>&1 &
pid=$!
targets+=("$pid")
exec 9>"$work/stdin"
until_true says_ready
reach "vfork parent"
exec 9>&-
until_true grep -q '^ok' "$work/out"
is "$(tail -1 "$work/out")" ok "vfork parent: goes on"

hold "$targets_dir/seccomp" 42=EPERM 41=kill -- "$live/odd" threads 1
reach "a seccomp filter that kills for the call"

# The filter may sleep for our call only, never while the program's own code runs.
hold "$live/forbidden"
for _ in $(seq 50); do
	"$thpctl" set never "$pid" >/dev/null || break
	"$thpctl" set default "$pid" >/dev/null || break
done
status=$?
kill -TERM "$pid"
wait "$pid"
is "$status $(tail -1 "$work/out")" "0 passed 0" "a seccomp filter is in force for all but our call"

# A stranger may have a pidfd and lock that; it hinders nobody.
start sleep 1000
setpriv --reuid 65534 --clear-groups /usr/bin/python3 -c 'import fcntl, os, sys, time
fcntl.flock(os.pidfd_open(int(sys.argv[1])), fcntl.LOCK_EX)
print("ready", flush=True)
time.sleep(1000)' "$pid" >"$work/locker" 2>&1 &
targets+=($!)
until_true grep -q . "$work/locker"
is "$(cat "$work/locker")" ready "a stranger locks its pidfd"
"$thpctl" set never "$pid" >/dev/null
is "$? $(enabled "$pid")" "0 0" "... and does not hinder a change"

hold "$live/odd" counter
for _ in 1 2 3 4 5 6 7 8 9 10; do
	"$thpctl" set never "$pid" >/dev/null &
	setter=$!
	kill -USR1 "$pid"
	wait $setter
	"$thpctl" set default "$pid" >/dev/null
done
kill -TERM "$pid"
wait "$pid"
taken=$(tail -1 "$work/out")
is "$taken" 10 "a signal sent meanwhile is taken once"

# Where standard output is closed, a descriptor of ours must not take its place.
start sleep 1000
message=$("$thpctl" set never "$pid" 2>&1 >&-)
is "$? $(enabled "$pid")" "1 0" "a closed standard output: done, and the exit status tells"
like "$message" "cannot write the output: Bad file descriptor" "... and why"

# From a variable that is not set: not the whole machine.
for group in "" batch; do
	message=$("$thpctl" set never --cgroup "$group" 2>&1)
	is $? 2 "--cgroup '$group': refused"
	like "$message" "is no group: a path that begins with /" "... and why"
	message=$("$thpctl" set never --cpuset "$group" 2>&1)
	is $? 2 "--cpuset '$group': refused"
done

# What outside looks alike, show --exact tells apart.
start sleep 1000
until_true grep -q sleep "/proc/$pid/comm"
before=$("$thpctl" show --json --no-size "$pid" | jq -r '.processes[0].mode')
exact=$("$thpctl" show --exact --json --no-size "$pid" | jq -r '.processes[0].mode')
"$thpctl" set madvise "$pid" >/dev/null
if [ $? -eq 3 ]; then
	skip "show --exact: madvise" "this kernel is older than Linux 6.18"
else
	is "$before $exact" "unknown default" "show --exact: default"
	is "$("$thpctl" show --exact --json --no-size "$pid" | jq -r '.processes[0].mode')" madvise \
		"show --exact: madvise"
	start strace -qq -o /dev/null -p "$pid"
	traced=${targets[-2]}
	until_true grep -qs 'TracerPid:.[1-9]' "/proc/$traced/status"
	message=$("$thpctl" show --exact "$traced" 2>&1 >/dev/null)
	is $? 1 "show --exact: one that cannot be asked"
	like "$message" "cannot be asked for: traced by PID" "... and why"
fi

# A name that is given anew: the inode tells.
start sleep 1000
old_id=$("$thpctl" set never --json "$pid" | jq '.processes[0].id')
"$thpctl" set default "$pid:$old_id" >/dev/null
is "$? $(enabled "$pid")" "0 1" "PID:INODE: the process itself"
message=$("$thpctl" set never "$pid:$((old_id + 1))" 2>&1)
is "$? $(enabled "$pid")" "1 1" "PID:INODE: another one is not touched"
like "$message" "is another process now" "PID:INODE: and it says so"

hold "$live/odd" exec
for _ in $(seq 20); do
	message=$("$thpctl" set never "$pid" 2>&1) || break
done
is "$? $(enabled "$pid")" "0 0" "a process that executes itself over and over ($message)"

# ---- children

# More of them than descriptors allowed by default, and more than can be had at all.
# shellcheck disable=SC2016
start sh -c 'for i in $(seq 60); do sleep 1000 & done; echo ready; wait'
until_true says_ready
mapfile -t children < <(pgrep -P "$pid")
targets+=("${children[@]}")
children=("${children[@]/#//proc/}")
(ulimit -Sn 40 && "$thpctl" set never --tree "$pid" >/dev/null 2>&1)
is "$? $(grep -l 'THP_enabled:.*0' "${children[@]/%//status}" | wc -l)" "0 60" \
	"--tree: more processes than the soft limit of descriptors"
message=$( (ulimit -n 40 && "$thpctl" set default --tree "$pid") 2>&1 >/dev/null)
is "$?" 1 "--tree: more processes than descriptors fails"
like "$message" "cannot set default: .*Too many open files" "... and says so"

# A number that becomes another's while the tree is collected: its children are not meant.
cat >"$work/recycle.sh" <<'END'
mount -t proc proc /proc
sleep 1000 & first=$!
sleep 1000 & second=$!
# The second is locked, so that the tool has to wait before it looks for children again.
flock "/proc/$second/fd" sleep 1 & sleep 0.3
"$1" set never --tree $first $second >/dev/null 2>&1 & setter=$!
until grep -q 'THP_enabled:.*0' "/proc/$first/status"; do sleep 0.01; done
kill $first; wait $first
echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
sh -c 'sleep 1000 & echo $! >"$0"; wait' "$2/stranger" & new=$!
wait $setter
echo "$((new == first)) $(sed -n 's/^THP_enabled:\t//p' "/proc/$(cat "$2/stranger")/status")"
END
if [ -w /proc/sys/kernel/ns_last_pid ] && unshare --pid --fork --mount true 2>/dev/null; then
	is "$(unshare --pid --fork --kill-child --mount sh "$work/recycle.sh" "$thpctl" "$work" \
		2>/dev/null | tail -1)" "1 1" "--tree: children of a number that was given anew"
else
	skip "--tree: a number that is given anew" "no PID namespace or ns_last_pid"
fi

cat >"$work/family.sh" <<'END'
sleep 1000 &
sleep 1000 &
sh -c 'sleep 1000 & wait' &
echo ready
wait
END
hold sh "$work/family.sh"
until_true test "$(pgrep -P "$pid" | wc -l)" = 3
grandchild=
# shellcheck disable=SC2016 # expanded each time
until_true eval 'grandchild=$(for p in $(pgrep -P "$pid"); do pgrep -P "$p"; done)'
mapfile -t family < <(pgrep -P "$pid"; echo "$grandchild")
for member in "${family[@]}"; do
	targets+=("$member")
done
message=$("$thpctl" set never "$pid")
like "$message" "3 children keep their own mode: --tree includes them" "children: it tells"
flags=$(for member in "${family[@]}"; do enabled "$member"; done | sort | uniq -c | xargs)
is "$flags" "4 1" "children: keep their mode"
"$thpctl" set never --tree "$pid" >/dev/null
flags=$(for member in "$pid" "${family[@]}"; do enabled "$member"; done | sort | uniq -c | xargs)
is "$flags" "5 0" "--tree: all of them"
"$thpctl" set default --tree "$pid" >/dev/null
flags=$(for member in "$pid" "${family[@]}"; do enabled "$member"; done | sort | uniq -c | xargs)
is "$flags" "5 1" "--tree: and back"

hold "$live/odd" forker
"$thpctl" set never --tree "$pid" >/dev/null 2>"$work/tree-err"
is "$? $(cat "$work/tree-err")" "0 " "--tree: of one that forks all the time"
sleep 0.2
left=$(for member in "$pid" $(pgrep -P "$pid"); do enabled "$member"; done | grep -c 1)
is "$left" 0 "--tree: nothing was missed"

# ---- what it says

start sleep 1000
before=$(enabled "$pid")
message=$("$thpctl" set never --dry-run "$pid")
is "$? $(enabled "$pid")" "0 $before" "--dry-run: changes nothing"
like "$message" "default(\|madvise)? -> never, if it were not a dry run" "--dry-run: tells"
like "$("$thpctl" set never "$pid")" "default -> never" "before and after"
undo=$("$thpctl" set default "$pid" | sed -n 's/^  undo: thpctl //p')
like "$undo" "^set never $pid:[0-9]+$" "it tells how to undo it"
# shellcheck disable=SC2086 # its words
"$thpctl" $undo >/dev/null
is "$? $(enabled "$pid")" "0 0" "and that works"
like "$("$thpctl" set never "$pid")" "never already" "nothing to do"
json=$("$thpctl" set default --json "$pid")
is "$(jq -c '[.mode,.processes[0].before,.processes[0].after,.processes[0].error]' <<<"$json")" \
	'["default",["never"],"default",null]' "--json"
json=$("$thpctl" set never --json "$pid" 2)
is "$? $(jq -c '[.processes[].error.errno]' <<<"$json")" '1 [null,22]' "--json: errors"
message=$("$thpctl" set default "$pid" "$pid" 2>&1)
is "$(grep -c ^PID <<<"$message")" 1 "a process named twice is set once"
for args in "" "never" "sometimes $pid" "never 12x" "never --split --collapse $pid" \
	"always --split $pid" "never --nonsense $pid"; do
	# shellcheck disable=SC2086
	"$thpctl" set $args >/dev/null 2>&1
	is $? 2 "wrong usage: '$args'"
done

# ---- whom it refuses

start sleep 1000
"$thpctl" set never 2 >/dev/null 2>&1
is $? 1 "kernel thread: refused"
like "$("$thpctl" set never 2 2>&1)" "is a kernel thread" "kernel thread: says why"
like "$("$thpctl" set never 4194303 2>&1)" "PID 4194303: cannot set never: no such process" "gone"

hold "$live/odd" traced
refuse "traced by another" "traced by PID [0-9]+ \(watcher\)"

hold "$live/odd" strict
until_true test "$(field Seccomp "$pid")" = 1
refuse "strict seccomp" "in strict seccomp mode"
kill -0 "$pid"
is $? 0 "strict seccomp: it lives"

start "$targets_dir/being" zombie
until_true grep -qs . "$work/out"
parent=$pid
pid=$(cat "$work/out")
refuse zombie "has ended: it is a zombie until its parent, PID $parent, waits for it"

start sleep 1000
message=$(setpriv --reuid 65534 --clear-groups "$thpctl" set never "$pid" 2>&1)
is $? 1 "another user's: refused"
like "$message" "cannot set never: not permitted: it belongs to UID 0; needs CAP_SYS_PTRACE" \
	"another user's: says why"

hold setpriv --reuid 65534 --clear-groups "$targets_dir/seccomp" 99=EPERM -- "$live/odd" threads 1
message=$(setpriv --reuid 65534 --clear-groups "$thpctl" set never "$pid" 2>&1)
is $? 1 "a filter, without rights: refused"
like "$message" "has a seccomp filter, .*: suspending it needs CAP_SYS_ADMIN" \
	"a filter, without rights: says why"
message=$(setpriv --reuid 65534 --clear-groups "$thpctl" set never --dry-run "$pid" 2>&1)
is $? 1 "a filter, without rights: --dry-run tells it beforehand"

# freeze NAME DIR FILE FROZEN THAWED
freeze()
{
	local name=$1 dir=$2 file=$3 frozen=$4 thawed=$5
	mkdir "$dir" || return
	start sleep 1000
	echo "$pid" >"$dir/cgroup.procs"
	echo "$frozen" >"$dir/$file"
	sleep 0.1
	refuse "$name" "its control group /.*thp-live-[0-9]+ is frozen: thaw it first"
	"$thpctl" set never --cgroup "/${dir##*/}" >/dev/null 2>&1
	is $? 1 "$name: --cgroup fails too"
	echo "$thawed" >"$dir/$file"
	message=$("$thpctl" set never --cgroup "/${dir##*/}" 2>&1)
	is "$? $(enabled "$pid")" "0 0" "$name: --cgroup reaches it when thawed ($message)"
	kill "$pid"
	wait "$pid" 2>/dev/null
	until_true rmdir "$dir" 2>/dev/null
}

# mount_of TYPE OPTION
mount_of()
{
	awk -v type="$1" -v option="$2" '$3 == type && $4 ~ option { print $2; exit }' /proc/mounts
}

v2=$(mount_of cgroup2 .)
if [ -n "$v2" ] && [ -w "$v2/cgroup.procs" ]; then
	freeze "frozen (cgroup v2)" "$v2/thp-live-$$" cgroup.freeze 1 0
else
	skip "frozen (cgroup v2)" "no writable cgroup v2 hierarchy"
fi
v1=$(mount_of cgroup freezer)
if [ -n "$v1" ] && [ -w "$v1/cgroup.procs" ]; then
	freeze "frozen (cgroup v1)" "$v1/thp-live-$$" freezer.state FROZEN THAWED
else
	skip "frozen (cgroup v1)" "no writable freezer hierarchy"
fi

cpusets=$(mount_of cgroup cpuset)
if [ -n "$cpusets" ] && mkdir "$cpusets/thp-live a-$$" 2>/dev/null; then
	cat "$cpusets/cpuset.cpus" >"$cpusets/thp-live a-$$/cpuset.cpus"
	cat "$cpusets/cpuset.mems" >"$cpusets/thp-live a-$$/cpuset.mems"
	start sleep 1000
	echo "$pid" >"$cpusets/thp-live a-$$/cgroup.procs"
	"$thpctl" set never --cpuset "/thp-live a" >/dev/null 2>&1
	is "$? $(enabled "$pid")" "1 1" "--cpuset: a name that only begins alike does not match"
	"$thpctl" set never --cpuset "/thp-live a-$$" >/dev/null
	is "$? $(enabled "$pid")" "0 0" "--cpuset: its members"
	kill "$pid"
	wait "$pid" 2>/dev/null
	until_true rmdir "$cpusets/thp-live a-$$" 2>/dev/null
else
	skip "--cpuset" "no writable cpuset hierarchy"
fi

yama=/proc/sys/kernel/yama/ptrace_scope
if [ -e $yama ]; then
	skip "Yama" "its setting is the administrator's: not changed by a test"
else
	skip "Yama" "this kernel has none"
fi

done_testing
