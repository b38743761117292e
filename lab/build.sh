# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced: builds the lab's own programs, only those that are older than their sources.
# shellcheck source=lab/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Static, because the guest has nothing but what we bring.
guest_cc() { # ARCH
	case $1 in
	amd64) echo "${CC:-gcc}" ;;
	arm64) echo aarch64-linux-gnu-gcc ;;
	*) die "$LAB_USAGE" "no such architecture: $1" ;;
	esac
}

newer() { # TARGET SOURCE... : is a source newer than the target?
	local target=$1 source
	shift
	for source; do
		[ "$target" -nt "$source" ] || return 0
	done
	return 1
}

build_guest() { # ARCH NAME SOURCE... ; prints the path
	local arch=$1 name=$2 out cc
	shift 2
	out=$lab_build/$arch/$name
	cc=$(guest_cc "$arch")
	need "$cc" "gcc, or gcc-aarch64-linux-gnu for arm64"
	mkdir -p "$lab_build/$arch"
	if newer "$out" "$@" "$lab_dir"/*.h; then
		"$cc" -std=gnu17 -O2 -g0 -Wall -Wextra -Werror -static -pthread -I"$lab_dir" -I"$top_dir/bench/workloads/common" \
			-o "$out" "$@" || die "$LAB_FAILED" "cannot build $name for $arch"
	fi
	printf '%s\n' "$out"
}

build_init() { build_guest "$1" init "$lab_dir/init.c" "$lab_dir/results.c"; }
build_probe() { build_guest "$1" probe "$lab_dir/probe.c"; }
build_capture() { build_guest "$1" capture "$lab_dir/capture.c" "$lab_dir/specimens.c"; }
build_chunks() { build_guest "$1" chunks "$lab_dir/chunks.c"; }
build_counted() { build_guest "$1" counted "$lab_dir/counted.c"; }
