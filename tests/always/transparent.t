#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Under always, too, the command gets what it would have got without, but for the one variable that
# the man page names.
here=${0%/*}
"$here/../cli/with-system.sh" enabled=madvise hugepages-2048kB/enabled=inherit -- \
	env MODE=always "$here/../cli/run-transparent.t"
status=$?
[ $status -ne 77 ] || echo "1..0 # SKIP the system's THP settings cannot be written here"
[ $status -ne 77 ] && exit $status
