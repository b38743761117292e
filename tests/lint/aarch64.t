#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The library compiles for aarch64 without a warning. Running it there is the lab's.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

cd "$TESTS/.." || exit 99
compiler=aarch64-linux-gnu-gcc
command -v $compiler >/dev/null || skip_all "no $compiler here"
for source in lib/*.c; do
	ok "$source" $compiler -std=gnu17 -D_GNU_SOURCE -Iinclude -Wall -Wextra -Wshadow -Wformat=2 \
		-Werror -O2 -c "$source" -o "$T/object.o"
done

done_testing
