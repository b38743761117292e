#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Rules by cpuset and control group, of both versions: who is in the group when thpd comes, who is
# started in it, who comes in and goes out later, and what they fork and execute.
# shellcheck source=tests/daemon/lib.sh
. "$(dirname "$0")/lib.sh"

[ -e "$CPUSET/cpuset.cpus" ] || skip_all 'no cpuset hierarchy of version 1 is mounted'

batch=$CPUSET/$GROUP
make_group "$batch" || skip_all 'no control group can be made here'
make_group "$batch/a b:c"
make_group "$CPUSET/$GROUP-free"
make_group "$CPUSET/$GROUP-new"

sleeper
there=$PID
echo "$there" >"$batch/cgroup.procs"
sleeper
below=$PID
echo "$below" >"$batch/a b:c/cgroup.procs"
sleeper
old=$PID
echo "$old" >"$CPUSET/$GROUP-new/cgroup.procs"
sleeper
outside=$PID

rules "[batch]
cpuset = /$GROUP
mode = never
[only-new]
cpuset = /$GROUP-new
apply = exec
mode = never
[ends-with-exec]
cgroup = /$GROUP-v1-freezer
mode = never
inherit = no
[unified]
cgroup = /$GROUP-v2
mode = never"
thpd --walk 0

is 'who is in the cpuset when thpd comes' "$(flag "$there")" 0
is 'and in a cpuset below it, of spaces and colons' "$(flag "$below")" 0
is 'a rule for new programs leaves the old ones alone' "$(flag "$old")" 1
is 'nobody else is touched' "$(flag "$outside")" 1

sleeper "$ENTER" "$batch" sleep 1000
ok 'who is started in the cpuset' wait_until has_flag "$PID" 0
sleeper "$ENTER" "$batch/a b:c" sleep 1000
ok 'and in that below' wait_until has_flag "$PID" 0
sleeper "$ENTER" "$CPUSET/$GROUP-new" sleep 1000
ok 'new ones of a rule for new ones' wait_until has_flag "$PID" 0
is 'whose old ones are left alone still' "$(flag "$old")" 1
sleeper "$ENTER" "$CPUSET/$GROUP-free" sleep 1000
free=$PID
run "$TARGETS/first" 8
like 'a cpuset without a rule' "$OUT" '^flag 0 '

# Moves
echo "$outside" >"$batch/cgroup.procs"
ok 'who comes in later' wait_until has_flag "$outside" 0
echo "$outside" >"$CPUSET/cgroup.procs"
ok 'gets back what it had when it leaves' wait_until has_flag "$outside" 1
echo "$outside" >"$batch/tasks"
ok 'who comes in by "tasks"' wait_until has_flag "$outside" 0
echo "$outside" >"$batch/a b:c/cgroup.procs"
sleep 0.3
is 'a move below the rule changes nothing' "$(flag "$outside")" 0
make_group "$batch/later"
sleeper "$ENTER" "$batch/later" sleep 1000
ok 'a group that is made later' wait_until has_flag "$PID" 0
echo "$free" >"$batch/later/cgroup.procs"
ok 'and who comes into it' wait_until has_flag "$free" 0
is 'nobody was asked in vain' "$(metric 'thpd_failed_total{reason="other"}')" 0

# What they fork before they have the flag
flags_of() { # GROUP: how many of its processes have which flag
	local pid

	while read -r pid; do
		flag "$pid"
	done <"$1/cgroup.procs" | sort | uniq -c | tr -s ' ' | tr '\n' ','
}
make_group "$batch/brood"
for _ in 1 2 3 4 5; do
	start "$ENTER" "$batch/brood" "$TARGETS/brood" 100
done
all_flagged() {
	[ "$(flags_of "$batch/brood")" = " 505 0," ]
}
ok 'children and orphans of those who fork at once' wait_until all_flagged ||
	diag "$(flags_of "$batch/brood")"
xargs -n 1 kill -KILL <"$batch/brood/cgroup.procs"

# Version 1 beside it, and rules that end with execve
if [ -e "$FREEZER/cgroup.procs" ]; then
	make_group "$FREEZER/$GROUP-v1-freezer"
	start "$ENTER" "$FREEZER/$GROUP-v1-freezer" "$TARGETS/first" 8 stay
	ok 'a control group of version 1' wait_until has_flag "$PID" 0
	sleeper "$ENTER" "$FREEZER/$GROUP-v1-freezer" sh -c \
		"until grep -q 'THP_enabled:.0' /proc/self/status; do :; done; read -r x; exec sleep 1000" \
		< <(sleep 1; echo "$$" >"$FREEZER/cgroup.procs"; echo)
	ok 'under the rule while it runs what was named' wait_until has_flag "$PID" 0
	echo "$PID" >"$FREEZER/cgroup.procs"
	ok 'a program of it that leaves and executes another one is free' wait_until has_flag "$PID" 1

	# Frozen: not now, but as soon as it can be.
	sleeper
	frozen=$PID
	make_group "$FREEZER/$GROUP-ice"
	echo "$frozen" >"$FREEZER/$GROUP-ice/cgroup.procs"
	echo FROZEN >"$FREEZER/$GROUP-ice/freezer.state"
	echo "$frozen" >"$batch/cgroup.procs"
	wait_until grep -q 'is frozen' "$LOG"
	like 'a frozen one is said' "$(cat "$LOG")" "PID $frozen \(sleep\): rule batch: .* is frozen"
	echo THAWED >"$FREEZER/$GROUP-ice/freezer.state"
	ok 'and has its mode when it is thawed' wait_until has_flag "$frozen" 0
	echo "$frozen" >"$FREEZER/cgroup.procs"
else
	skip 'a control group of version 1' 'no freezer hierarchy is mounted'
fi

if [ -e "$UNIFIED/cgroup.procs" ]; then
	make_group "$UNIFIED/$GROUP-v2"
	sleeper "$ENTER" "$UNIFIED/$GROUP-v2" sleep 1000
	ok 'a control group of version 2' wait_until has_flag "$PID" 0
	sleeper
	echo "$PID" >"$UNIFIED/$GROUP-v2/cgroup.procs"
	ok 'and who comes into it' wait_until has_flag "$PID" 0
else
	skip 'a control group of version 2' 'version 2 is not mounted'
fi

# Traced by somebody else: later.
sleeper
strace -p "$PID" -o "$T/strace" 2>/dev/null &
strace=$!
STARTED+=("$strace")
traced() {
	! grep -q '^TracerPid:.0$' "/proc/$PID/status"
}
wait_until traced
echo "$PID" >"$batch/cgroup.procs"
wait_until grep -q "PID $PID (sleep): rule batch: .*traced by" "$LOG"
like 'one that is traced is said' "$(cat "$LOG")" "PID $PID \(sleep\): rule batch: .*traced by PID $strace"
kill "$strace"
ok 'and has its mode when it is let go' wait_until has_flag "$PID" 0

# One that clears the flag: again, and said once.
start "$ENTER" "$batch" "$TARGETS/clears"
clears=$PID
wait_until has_flag "$clears" 0
kill -USR1 "$clears"
wait_until has_flag "$clears" 1
for _ in 1 2 3; do
	echo "$clears" >"$batch/cgroup.procs"
	wait_until has_flag "$clears" 0
	kill -USR1 "$clears"
	wait_until has_flag "$clears" 1
done
echo "$clears" >"$batch/cgroup.procs"
ok 'a cleared flag is set again' wait_until has_flag "$clears" 0
is 'and that is said once' "$(grep -c "PID $clears .*changed its mode itself" "$LOG")" 1

thpd_stop
is 'stops cleanly' "$STATUS" 0
is 'what was set stays' "$(flag "$there")" 0
done_testing
