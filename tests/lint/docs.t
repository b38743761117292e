#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The man pages say what the program, the library and the header say, and nothing else.
# Verbs, options, symbols and fields are found, not listed here.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"
# shellcheck source=tests/lint/help.sh
. "${0%/*}/help.sh"

TOP=$(cd "$TESTS/.." && pwd)
MAN=$TOP/man
CC=${CC:-gcc}

for tool in mandoc jq nm "$CC"; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done

# ---- reading mdoc -------------------------------------------------------------------------------

# A section or subsection of a page, without its heading.
section() { # PAGE MACRO TITLE
	awk -v heading=".$2 $3" -v macro="$2" '
		$0 == heading { inside = 1; next }
		/^\.Sh/ || (macro == "Ss" && /^\.Ss/) { inside = 0 }
		inside' "$1"
}

# The options that a page describes, as help_options gives them.
page_options() { # PAGE
	sed -nE 's/^\.It (Fl .*)/\1/p' "$1" |
		sed -E 's/ ,//; s/Fl Fl /--/g; s/Fl /-/g; s/Ar //g' | sort
}

# The long options that a text in mdoc mentions.
mentioned_options() {
	grep -oE 'Fl Fl [a-z][a-z-]*' | sed 's/Fl Fl /--/' | as_set
}

# The names that a page documents.
page_names() { # PAGE
	section "$1" Sh NAME | sed -nE 's/^\.Nm ([^ ]+).*/\1/p'
}

# Literal blocks, as they are shown; each begins with a line "==".
literal_blocks() { # PAGE
	sed -n '/^\.Bd -literal/,/^\.Ed/p' "$1" |
		sed -e 's/^\.Bd.*/==/' -e '/^\.Ed/d' -e 's/\\e/\\/g' -e 's/\\&//g'
}

# C without comments and layout, in one line.
bare_c() {
	"$CC" -fpreprocessed -E -P -xc - | tr -s ' \t\n' ' '
}

# ---- the pages themselves -----------------------------------------------------------------------

for page in "$MAN"/*.[1-9]; do
	is "mandoc finds nothing wrong in ${page##*/}" "$(mandoc -T lint -W warning "$page" 2>&1)" ""
done

ok "the pages can be installed" "$MAN/install.sh" "$T/man"
dangling=$(grep -ohE '\bXr (lib)?thp[^ ]* [1-9]' "$MAN"/*.[1-9] | sort -u |
	while read -r _ name number; do
		[ -e "$T/man/man$number/$name.$number" ] || echo "$name($number)"
	done)
is "references among the pages have a target" "$dangling" ""

# ---- verbs and options --------------------------------------------------------------------------

main_page=$MAN/thpctl.1
verbs=$(help_verbs)
is "help lists each executable of a verb" \
	"$(for file in "$BUILD"/thpctl-*; do echo "${file##*/thpctl-}"; done | as_set)" \
	"$(for verb in $verbs; do [ ! -e "$BUILD/thpctl-$verb" ] || echo "$verb"; done | as_set)"
is "thpctl.1 lists the verbs of help" \
	"$(section "$main_page" Sh DESCRIPTION | sed '/^\.Ss/,$d' |
		sed -nE 's/^\.It Cm ([a-z]+)$/\1/p' | as_set)" "$(as_set <<<"$verbs")"
is "each verb but help has a page, and each page a verb" \
	"$(for page in "$MAN"/thpctl-*.1; do basename "${page#"$MAN"/thpctl-}" .1; done | as_set)" \
	"$(grep -vx help <<<"$verbs" | as_set)"

for option in $(page_options "$main_page"); do
	ok "thpctl $option is accepted" "$THPCTL" "$option"
done

for verb in $verbs; do
	[ "$verb" != help ] || continue
	page=$MAN/thpctl-$verb.1
	options=$(help_options "$verb")
	usage=$(help_usage "$verb")
	names=$(grep -oE -- '--[a-z-]+' <<<"$options" | as_set)

	like "help $verb begins with its usage" "$usage" "^usage: thpctl $verb "
	is "$verb: the page describes the options of the help" "$(page_options "$page")" "$options"
	is "$verb: usage and synopsis name the same options" \
		"$(section "$page" Sh SYNOPSIS | mentioned_options)" \
		"$(grep -oE -- '--[a-z][a-z-]*' <<<"$usage" | as_set)"
	is "$verb: the page mentions no other option" \
		"$(mentioned_options <"$page" | tr ' ' '\n' | grep -vwFf <(tr ' ' '\n' <<<"$names"))" ""
	ok "$verb: --help is the help" diff <("$THPCTL" "$verb" --help) <("$THPCTL" help "$verb")
done

# ---- modes --------------------------------------------------------------------------------------

modes=$(help_modes)
is "thpctl.1 explains the modes of help" \
	"$(section "$main_page" Ss Modes | sed -nE 's/^\.It Cm ([a-z]+)$/\1/p' | as_set)" \
	"$(as_set <<<"$modes")"
run "$THPCTL" run no-such-mode true
is "run knows the modes of help" \
	"$(sed -nE 's/.*one of ([a-z, ]+).*/\1/p' <<<"$ERR" | tr -s ', ' '\n' | as_set)" \
	"$(as_set <<<"$modes")"
is "thp_self_set.3 explains the modes of help" \
	"$(sed -nE 's/^\.It Dv THP_MODE_([A-Z]+)$/\L\1/p' "$MAN/thp_self_set.3" |
		grep -vx unknown | as_set)" "$(as_set <<<"$modes")"
for verb in $verbs; do
	[ "$verb" != help ] || continue
	[[ $(help_usage "$verb") =~ [^A-Z]MODE[^A-Z] ]] || continue
	for mode in $modes; do
		ok "$verb: the page mentions $mode" grep -qE "^\.Cm .*\b$mode\b" "$MAN/thpctl-$verb.1"
	done
done

# ---- the library --------------------------------------------------------------------------------

library=$(echo "$BUILD"/libthp.so.*)
exported=$(nm -D --defined-only "$library" | sed -nE 's/^[0-9a-f]+ [TDBR] ([^@]+).*/\1/p' | as_set)
is "the library exports what its map lists" "$exported" \
	"$(sed -nE 's/^\t([a-z_0-9]+);$/\1/p' "$TOP/lib/libthp.map" | as_set)"
is "thp.h declares what the library exports" \
	"$("$CC" -I"$TOP/include" -fsyntax-only -aux-info "$T/declared" -xc -include thp.h - </dev/null
	sed -nE 's|.*/thp\.h:.*[ *](thp_[a-z_0-9]+) \(.*|\1|p' "$T/declared" | as_set)" "$exported"
is "section 3 documents what the library exports" \
	"$(for page in "$MAN"/*.3; do page_names "$page"; done | grep -vx libthp | as_set)" "$exported"
for symbol in $exported; do
	ok "man 3 $symbol is found" test -e "$T/man/man3/$symbol.3"
done

header=$(bare_c <"$TOP/include/thp.h")
for page in "$MAN"/*.3; do
	name=${page##*/}

	# As shown, a synopsis is C; declared twice, a function must be the same.
	mandoc -T ascii "$page" | sed 's/.\x08//g' |
		sed -n '/^SYNOPSIS/,/^[A-Z]/{ /^[A-Z]/!p }' >"$T/synopsis.c"
	ok "$name: the synopsis is what thp.h declares" \
		"$CC" -I"$TOP/include" -fsyntax-only -Werror "$T/synopsis.c"

	# Structures are shown member by member.
	while IFS= read -r structure; do
		[ -n "$structure" ] || continue
		[[ $header == *"$structure"* ]]
		is "$name: ${structure%% \{*} is as in thp.h" "$?" 0
	done < <(literal_blocks "$page" | sed -n '/^struct .*{$/,/^};/p' | bare_c |
		sed 's/}; struct/};\nstruct/g; s/^ //; s/ *$/\n/')
done

# ---- example programs ---------------------------------------------------------------------------

sanitized=()
nm "$BUILD/libthp.a" | grep -q __asan && sanitized=(-fsanitize=address -fsanitize=undefined)

# Each example that is a whole program, linked with both forms of the library, runs "true".
for page in "$MAN"/*.3; do
	rm -f "$T"/example-*
	literal_blocks "$page" |
		awk -v prefix="$T/example-" '/^==$/ { n++; next } { print > (prefix n ".c") }'
	for source in "$T"/example-*.c; do
		grep -qs '^int main' "$source" || continue
		name="${page##*/}: example ${source##*-}"
		for form in "$BUILD/libthp.a" "$library -Wl,-rpath,$BUILD"; do
			rm -f "$T/example"
			# shellcheck disable=SC2086 # a library and an option
			ok "$name compiles with ${form%% *}" "$CC" -std=c17 -D_GNU_SOURCE -Wall -Wextra \
				-Werror -I"$TOP/include" "${sanitized[@]}" "$source" $form -o "$T/example"
			ok "$name runs" "$T/example" true
		done
		[ "${page##*/}" = libthp.3 ] || continue
		enabled=$("$T/example" sed -n 's/^THP_enabled:\t//p' /proc/self/status 2>/dev/null)
		if [ -z "$enabled" ]; then
			skip "$name sets the mode" "/proc/PID/status has no THP_enabled (Linux 5.0)"
		else
			is "$name sets the mode" "$enabled" 0
		fi
	done
done

# ---- JSON ---------------------------------------------------------------------------------------

# "field type" for each field of the JSON on standard input, null included.
json_fields() {
	jq -r 'paths as $path | [
		([$path[] | if type == "number" then "[]" else "." + . end] | add | ltrimstr(".")),
		(getpath($path) | if type == "number" and floor == . then "integer" else type end)
	] | join(" ")' | sort -u
}

# The same from the page: "or" stands between types.
section "$MAN/thpctl-show.1" Sh JSON |
	sed -nE 's/^\.It Va ([^ ]+) Pq ([a-z ]+)$/\1 \2/p' | while read -r field types; do
	for type in ${types// or / }; do
		echo "$field $type"
	done
done | sort >"$T/documented"

# A process with its own flag; then all that captured trees hold: other kernels, zombies, tracers.
"$THPCTL" run never -- sh -c "'$THPCTL' show --json \$\$" | json_fields >"$T/printed"
"$THPCTL" show --json $$ | json_fields >>"$T/printed"
for root in "$TESTS"/roots/*/; do
	"$THPCTL" show --json --sysroot "$root"
	[ ! -d "$root/proc" ] || "$THPCTL" show --json --all --sysroot "$root"
done | json_fields >>"$T/printed"
is "the documented fields and types of JSON are those that show prints" \
	"$(diff <(sort -u "$T/printed") "$T/documented")" ""

done_testing
