# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced after lab/build.sh: builds the plugin and prints what --plugin wants.
# shellcheck disable=SC2154 # lab_dir, top_dir and lab_build come from common.sh
numa_plugin() { # NODES CPUS-PER-NODE MIB-PER-NODE OUT [MORE]
	local plugin=$lab_build/numa.so dir=$lab_dir/plugin
	mkdir -p "$lab_build"
	if newer "$plugin" "$dir"/*.c "$dir"/*.h "$top_dir/bench/workloads/common/marker.h"; then
		"${CC:-gcc}" -std=gnu17 -O2 -Wall -Wextra -Werror -fvisibility=hidden -fPIC -shared \
			-I"$top_dir/bench/workloads/common" -o "$plugin" "$dir/numa.c" >&2 || die "$LAB_FAILED" "cannot build the plugin"
	fi
	printf '%s,nodes=%s,cpus=%s,mib=%s,out=%s%s\n' "$plugin" "$1" "$2" "$3" "$4" "${5:+,$5}"
}
