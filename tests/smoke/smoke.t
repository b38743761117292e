#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What make install puts into a tree is what others need: a program of theirs compiles and runs by
# pkg-config alone, as C and as C++, and thpctl works from there.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

PREFIX=/opt/thp
ROOT=$T/root
SMOKE=$TESTS/smoke/smoke.c
sanitized=
! is_sanitized || sanitized=-fsanitize=address,undefined

ok "make install" make --no-print-directory -s -C "$TESTS/.." ${sanitized:+SAN=1} \
	DESTDIR="$ROOT" PREFIX=$PREFIX install || {
	done_testing
	exit 1
}
# As pkg-config's users do with a tree that is not at its place yet.
export PKG_CONFIG_SYSROOT_DIR=$ROOT PKG_CONFIG_LIBDIR=$ROOT$PREFIX/lib/pkgconfig
export LD_LIBRARY_PATH=$ROOT$PREFIX/lib

version=$(sed -n 's/^#define THP_VERSION "\(.*\)"/\1/p' "$ROOT$PREFIX/include/thp.h")
is "pkg-config tells the header's version" "$(pkg-config --modversion libthp)" "$version"
is "thpctl tells the same version" "$("$ROOT$PREFIX/bin/thpctl" --version)" "thpctl $version"
is "the shared library's name" "$(readlink "$ROOT$PREFIX/lib/libthp.so.0")" "libthp.so.$version"

# compiled NAME COMPILER...: the program compiles without a warning, runs, and finds nothing wrong.
compiled() {
	local name=$1

	shift
	# shellcheck disable=SC2046 # words
	ok "$name: compiles" "$@" $sanitized -Wall -Wextra -Wpedantic -Werror \
		$(pkg-config --cflags libthp) -x "$language" "$SMOKE" -x none \
		$(pkg-config --libs libthp) -o "$T/smoke" || return
	run "$T/smoke"
	is "$name: runs" "$STATUS$ERR" 0
	like "$name: finds nothing wrong" "$OUT" "libthp $version: 0 wrong"
	like "$name: is linked with libthp.so.0" "$(ldd "$T/smoke")" "libthp\\.so\\.0 => $ROOT"
}

language=c
for standard in c11 c17 gnu17; do
	compiled "$standard" gcc -std=$standard
done
if command -v g++ >/dev/null; then
	language=c++
	for standard in c++17 c++20; do
		compiled "$standard" g++ -std=$standard
	done
	language=c
else
	skip "C++" "no g++ here"
fi
if command -v clang >/dev/null && [ -z "$sanitized" ]; then
	compiled "clang" clang -std=c17
else
	skip "clang" "no clang here, or a build with gcc's sanitizers"
fi

# shellcheck disable=SC2046 # words
ok "static: compiles" gcc $sanitized $(pkg-config --cflags libthp) "$SMOKE" \
	"$ROOT$PREFIX/lib/libthp.a" -o "$T/smoke"
run env -u LD_LIBRARY_PATH "$T/smoke"
like "static: runs" "$STATUS $OUT" "^0 .*0 wrong"
unlike "static: needs no libthp.so" "$(ldd "$T/smoke")" "libthp"

# Only what the header declares is exported.
is "exported symbols are the header's" \
	"$(nm -D --defined-only "$ROOT$PREFIX/lib/libthp.so" | awk '$2 == "T" { print $3 }' |
		sed 's/@.*//' | sort)" \
	"$(gcc -E -P "$ROOT$PREFIX/include/thp.h" | tr '\n' ' ' | grep -o '\bthp_[a-z_]* *(' |
		tr -d '( ' | sort -u)"

# ---- thpctl from there --------------------------------------------------------------------------

installed=$ROOT$PREFIX/bin/thpctl
run "$installed" run never -- "$installed" show
is "installed: run and show" "$STATUS$ERR" 0
like "installed: run and show: they work together" "$OUT" "this shell +never"
run "$installed" help show
like "installed: help of a verb with a program of its own" "$STATUS $OUT" "^0 usage: thpctl show"
is "nothing is installed outside the prefix" "$(find "$ROOT" -type f ! -path "$ROOT$PREFIX/*")" ""

done_testing
