#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/map/run.sh [THPMAPS]: the benchmark of map against the kernel's tools/mm/thpmaps, whose path
# is given, or against a script that reads smaps. It takes no more memory than is to spare.
set -eu

BUILD=${BUILD:-build}
here=$(dirname "$0")
thpmaps=${1:-${THPMAPS:-}}

spare=$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) - 2 }' /proc/meminfo)
gib=8
while [ "$gib" -gt 1 ] && [ "$gib" -gt "$spare" ]; do
	gib=$((gib / 2))
done
[ "$gib" = 8 ] || echo "bench-map: $gib GiB instead of 8: no more is to spare here"
processes=1000
if ! command -v smem >/dev/null; then
	echo "bench-map: no smem here, so show --all is not compared"
	processes=0
fi
if [ -n "$thpmaps" ]; then
	set -- python3 "$thpmaps" --pid
else
	echo "bench-map: no thpmaps given (THPMAPS=PATH): compared with a script that reads smaps"
	set -- python3 "$here/smaps.py"
fi
exec "$BUILD/bench/map" -g "$gib" -p "$processes" -n "${ROUNDS:-11}" "$BUILD/thpctl" "$@"
