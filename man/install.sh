#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the man pages below DIR, with a link for each further name that a page documents:
# man/install.sh DIR
set -eu

dir=${1:?usage: man/install.sh DIR}
cd "$(dirname "$0")"

# The names of a page are the .Nm lines of its NAME section.
names() {
	sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \([^ ]*\).*/\1/p' "$1"
}

for page in *.[1-9]; do
	section=${page##*.}
	install -d "$dir/man$section"
	install -m 644 "$page" "$dir/man$section/$page"
	for name in $(names "$page"); do
		[ "$name.$section" = "$page" ] || ln -sf "$page" "$dir/man$section/$name.$section"
	done
done
