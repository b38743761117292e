#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of the 2013 mail, of the open workloads, on this machine as it is set:
# table.sh THPCTL [OPTION of thpctl compare...]
# From the top of the source tree, with the workloads built. BUILD is where the exports go.
#
# A system that says madvise gives huge pages to memory that asks for them: malloc(3) then asks for
# all of its memory, by glibc's tunable, in both modes; never still refuses it.
set -eu

thpctl=$1
shift
build=${BUILD:-build}
enabled=$(sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/enabled)

case $enabled in
always) modes=never,always ;;
madvise)
	modes=never,default
	export GLIBC_TUNABLES="${GLIBC_TUNABLES:+$GLIBC_TUNABLES:}glibc.malloc.hugetlb=1"
	echo "The system says madvise: malloc advises its memory (GLIBC_TUNABLES=$GLIBC_TUNABLES)."
	;;
*)
	echo "table: the system says '$enabled': there are no huge pages to compare with" >&2
	exit 1
	;;
esac
# Waiting threads spin unless they are told not to, and measure each other: on a machine of your own
# try OMP_WAIT_POLICY=active as well.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
echo "OMP_WAIT_POLICY=$OMP_WAIT_POLICY"

exec "$thpctl" compare --modes "$modes" --suite bench/workloads/suite.ini --runs 6 \
	--export "html:$build/table.html" --export "svg:$build/table.svg" \
	--export "json:$build/table.json" "$@"
