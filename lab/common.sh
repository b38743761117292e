# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the lab's scripts: where things are, and how a missing thing is said.

lab_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_dir=$(dirname "$lab_dir")
# Kernels outlive a checkout and are shared by all of them; what is built does not.
lab_cache=${THPCTL_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/thpctl-lab}
lab_build=${THPCTL_LAB_BUILD:-$top_dir/build/lab}

# Exit codes of every lab script: 0 good, 1 something ran and failed, 2 usage,
# 3 a thing is missing here (a caller may take it as a skip), 4 the guest died.
LAB_FAILED=1 LAB_USAGE=2 LAB_MISSING=3 LAB_DIED=4
export LAB_FAILED LAB_USAGE LAB_MISSING LAB_DIED lab_build lab_cache top_dir

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() { # CODE MESSAGE...
	local code=$1
	shift
	say "$*"
	exit "$code"
}

need() { # PROGRAM PACKAGE
	command -v "$1" >/dev/null || die "$LAB_MISSING" "no $1 here (Debian package $2; see lab/deps)"
}

need_value() { [ $# -ge 2 ] || die "$LAB_USAGE" "$1 needs a value"; }

# The newest cached vmlinuz of a kernel named in kernels.list. A path is taken as it is.
cached_kernel() { # NAME
	if [ -f "$1" ]; then
		printf '%s\n' "$1"
		return
	fi
	local found
	found=$(find "$lab_cache/$1" -maxdepth 1 -name 'vmlinuz-*' 2>/dev/null | sort -V | tail -n 1)
	[ -n "$found" ] || return 1
	printf '%s\n' "$found"
}

kernel_names() { # ARCH
	awk -v arch="$1" '$1 == "kernel" && $3 == arch { print $2 }' "$lab_dir/kernels.list"
}
