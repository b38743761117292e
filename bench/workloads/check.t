#!/bin/bash
# SPDX-License-Identifier: MIT
# TAP: every workload, at its tiny size, checks its own result, repeats itself, does not depend on
# the number of threads or on who touches first, and notices a single wrong value.
# Usage: prove bench/workloads/check.t     after make workloads
#        WL_BUILD=DIR   where the programs are
#        WL_PROGRAMS="a b"   only these (e.g. the musl ones, which are not all)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${WL_BUILD:-$here/../../build/bench/workloads}
# Waiting threads must sleep: at these sizes spinning on a busy machine is all they would do.
export OMP_WAIT_POLICY=passive
unset OMP_NUM_THREADS

count=0
failures=0
ok() { # ok STATUS DESCRIPTION: one TAP line
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		failures=$((failures + 1))
	fi
}

diag() { sed 's/^/# /'; }

# run NAME ARG...: output in $out, errors in $err, status in $status
run() {
	local name=$1
	shift
	status=0
	err=$(mktemp)
	out=$("$build/$name" --size tiny "$@" 2>"$err") || status=$?
	diag <"$err"
	rm -f "$err"
}

# The field of the last line: field NAME
field() { printf '%s\n' "$out" | tail -n 1 | tr ' ' '\n' | sed -n "s/^$1=//p"; }

programs=${WL_PROGRAMS:-$(sed -n 's/^\[\(.*\)\]$/\1/p' "$here/suite.ini")}

line_format='^name=[a-z0-9.]+ seconds=[0-9]+\.[0-9]+ metric=[0-9.e+-]+ unit=[A-Za-z/]+ '
line_format+='init=[0-9]+\.[0-9]+ threads=[0-9]+ size=[0-9]+ iterations=[0-9]+ seed=[0-9]+ '
line_format+='touch=(parallel|serial) peak_kib=[0-9]+ result=[0-9a-f]{16} check=(ok|FAILED)$'

for name in $programs; do
	if [ ! -x "$build/$name" ]; then
		ok 1 "$name: is built ($build/$name)"
		continue
	fi
	run "$name" --threads 2
	first=$(field result)
	ok "$status" "$name: exits with 0"
	test "$(field check)" = ok && r=0 || r=1
	ok "$r" "$name: check=ok"
	printf '%s\n' "$out" | grep -Evq "$line_format" && r=1 || r=0
	ok "$r" "$name: every line has the documented format"

	run "$name" --threads 2
	test "$status:$(field result)" = "0:$first" && r=0 || r=1
	ok "$r" "$name: a second run gives the same result"
	run "$name" --threads 1
	test "$status:$(field threads):$(field result)" = "0:1:$first" && r=0 || r=1
	ok "$r" "$name: one thread gives the same result"
	run "$name" --threads 3
	test "$status:$(field threads):$(field result)" = "0:3:$first" && r=0 || r=1
	ok "$r" "$name: three threads give the same result"
	if "$build/$name" --help | grep -q -- '--touch'; then
		run "$name" --threads 2 --touch serial
		test "$status:$(field touch):$(field result)" = "0:serial:$first" && r=0 || r=1
		ok "$r" "$name: first touch by one thread gives the same result"
	fi
	# A result that a seed does not change would repeat itself whatever was computed.
	run "$name" --threads 2 --seed 2
	test "$status" -eq 0 && test "$(field result)" != "$first" && r=0 || r=1
	ok "$r" "$name: another seed gives another result"

	run "$name" --threads 2 --selftest-corrupt
	test "$status:$(field check)" = 1:FAILED && r=0 || r=1
	ok "$r" "$name: one wrong value is noticed"
	run "$name" --size no-such-size
	test "$status" -eq 2 && r=0 || r=1
	ok "$r" "$name: a wrong option ends with status 2"
done

# The ruler does exactly the units it is asked for.
units() { awk -v m="$(field metric)" -v s="$(field seconds)" 'BEGIN { printf "%.0f", m * s * 1e6 }'; }
if [ -z "${WL_PROGRAMS:-}" ]; then
	run extrawork --size 100000 --iterations 1 --threads 1
	base=$(units)
	run extrawork --size 100000 --iterations 1 --threads 1 --extra 2
	more=$(units)
	# The line prints six digits of the metric: 2000 units more are seen to about 1 of them.
	test $((more - base)) -ge 1990 && test $((more - base)) -le 2010 && r=0 || r=1
	ok "$r" "extrawork: --extra 2 does 2 % more units ($base, $more)"
	# THP_enabled is 0 where the process flag is set, which this script's children inherit.
	on=$(awk '$1 == "THP_enabled:" { print $2 }' /proc/self/status)
	run extrawork --size 100000 --iterations 1 --threads 1 --extra 2 --when thp-on
	when_on=$(($(units) - base > 1000))
	run extrawork --size 100000 --iterations 1 --threads 1 --extra 2 --when thp-off
	when_off=$(($(units) - base > 1000))
	if [ -n "$on" ]; then
		test "$when_on:$when_off" = "$on:$((1 - on))" && r=0 || r=1
		ok "$r" "extrawork: --when follows the process flag (THP_enabled $on)"
	else
		ok 0 "extrawork: --when # SKIP /proc/self/status has no THP_enabled"
	fi

	# The suite and the sources know each other, and the mail's rows are all there.
	missing=
	for source in "$here"/*.c "$here"/*.f90; do
		name=$(basename "$source")
		grep -q "^\[${name%.*}\]$" "$here/suite.ini" || missing+=" $name"
	done
	test -z "$missing" && r=0 || r=1
	ok "$r" "every program is in suite.ini$missing"

	missing=
	for row in OMP2012:{md,bwaves,nab,bt331,botsalgn,botsspar,ilbdc,fma3d,swim,imagick,mgrid331} \
		OMP2012:{applu331,smithwa,kdtree} \
		OMPL2001:{wupwise,swim,mgrid,applu,equake,apsi,gafort,fma3d,art} \
		followup:thp_pthread; do
		grep -Eq "^mail_rows = (.* )?$row=" "$here/suite.ini" || missing+=" $row"
	done
	test -z "$missing" && r=0 || r=1
	ok "$r" "every row of the mail is in suite.ini$missing"
fi

echo "1..$count"
test "$failures" -eq 0
