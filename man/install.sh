#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the man pages below DIR, with a link for each further name that a page documents:
# man/install.sh DIR
set -eu

dir=${1:?usage: man/install.sh DIR}

# The names of a page are the .Nm lines of its NAME section.
names() {
	sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \([^ ]*\).*/\1/p' "$1"
}

for file in "$(dirname "$0")"/*.[1-9]; do
	page=${file##*/}
	section=${page##*.}
	install -d "$dir/man$section"
	install -m 644 "$file" "$dir/man$section/$page"
	for name in $(names "$file"); do
		[ "$name.$section" = "$page" ] || ln -sf "$page" "$dir/man$section/$name.$section"
	done
done
