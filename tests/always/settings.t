#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl run always --how settings: allocators and runtimes are told, through what they document, and
# their memory is huge. What the user set stays. Where nothing can be told, nothing is started.
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

has_thp || skip_all "no $THP here"
MADVISE="enabled=madvise hugepages-2048kB/enabled=inherit"
# shellcheck disable=SC2086 # words
can_system $MADVISE || skip_all "$CANNOT_SYSTEM"

TOLD="glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864"
TOLD+=":glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=134217728"

# attempt COMMAND...: under a system that says madvise.
attempt() {
	# shellcheck disable=SC2086 # words
	run with_system $MADVISE -- "$@"
}
always=("$THPCTL" run always --how=settings)

# started NAME WANTED WORD...: the command prints WANTED, and thpctl says nothing.
started() {
	local name=$1 wanted=$2

	shift 2
	attempt "$@"
	is "$name" "$STATUS $OUT$ERR" "0 $wanted"
}

# refused NAME REGEX WORD...: status 3, the command is not run, and one line says why.
refused() {
	local name=$1 regex=$2

	shift 2
	rm -f "$T/state"
	attempt "$@"
	is "$name: status" "$STATUS" 3
	ok "$name: nothing was run" test ! -e "$T/state"
	like "$name: says why" "$(tail -n 1 <<<"$ERR")" \
		"^thpctl: cannot start '.*' with always: .*says madvise; settings: $regex; --best-effort"
}

# ---- memory is huge -----------------------------------------------------------------------------

# share WORD...: how much of memory's MiB is huge, in percent; then the flag.
share() {
	local mib=$1

	shift
	attempt "$@" "$mib"
	[ "$STATUS" = 0 ] || diag "status $STATUS: $ERR"
	echo "$(($(field huge "$OUT") * 100 / (mib * 1024))) $(field thp "$OUT")"
}

for program in memory memory-static; do
	for kind in heap thread malloc; do
		read -r percent flag <<<"$(share 64 "$THPCTL" run default -- "$BIN/$program" $kind)"
		ok "$program $kind: small without" test "$percent" -le 5
		read -r percent flag <<<"$(share 64 "${always[@]}" -- "$BIN/$program" $kind)"
		ok "$program $kind: at least 95 % is huge ($percent)" test "$percent" -ge 95
		is "$program $kind: no flag" "$flag" 0
	done
done
read -r percent flag <<<"$(share 64 "$BIN/launcher" 1 "${always[@]}" -- "$BIN/memory" heap)"
is "an inherited never is cleared" "$((percent >= 95)) $flag" "1 0"

# preloaded LIBRARY VARIABLE: an allocator in the place of glibc's.
preloaded() {
	local library=$1 told=$2

	if ! LD_PRELOAD=$library sh -c : 2>&1 | grep -q . && ldconfig -p | grep -q "$library"; then
		read -r percent flag <<<"$(share 64 env "LD_PRELOAD=$library" "${always[@]}" -- \
			"$BIN/memory" heap)"
		ok "$library: most is huge ($percent)" test "$percent" -ge 75
		attempt env "LD_PRELOAD=$library" "${always[@]}" -- env
		is "$library is told, glibc is not" \
			"$(grep -E 'MALLOC|TUNABLES' <<<"$OUT" | sort)" "$told"
	else
		skip "$library" "it is not installed"
	fi
}
preloaded libjemalloc.so.2 MALLOC_CONF=thp:always
if [ "$(cat /proc/sys/vm/nr_hugepages /proc/sys/vm/nr_overcommit_hugepages | tr -d '\n')" = 00 ]; then
	preloaded libmimalloc.so.2 MIMALLOC_LARGE_OS_PAGES=1
else
	skip "libmimalloc" "pages are set aside for hugetlbfs here"
fi

if command -v java >/dev/null; then
	cat >"$T/Touch.java" <<-'JAVA'
		public class Touch {
			public static void main(String[] args) throws Exception {
				byte[][] all = new byte[100][];
				for (int i = 0; i < all.length; i++) {
					all[i] = new byte[1 << 20];
					for (int j = 0; j < all[i].length; j += 4096)
						all[i][j] = 1;
				}
				for (String line : java.nio.file.Files.readAllLines(
						java.nio.file.Path.of("/proc/self/smaps_rollup")))
					if (line.startsWith("AnonHuge"))
						System.out.println(line.replaceAll("[^0-9]", ""));
				System.out.println(all.length + " " + args.length);
			}
		}
	JAVA
	attempt "${always[@]}" -- java -Xmx512m "$T/Touch.java" one
	ok "Java: its heap is huge" test "${OUT%%[^0-9]*}" -ge $((100 * 1024))
	is "Java: nothing else is changed or said" "$STATUS ${OUT#*$'\n'}$ERR" "0 100 1"
	attempt "${always[@]}" -v -- java -XX:-UseTransparentHugePages -version
	like "Java: what the user says stays" "$ERR" \
		"always not by settings: Java has -XX:-UseTransparentHugePages from you"
	attempt env JAVA_TOOL_OPTIONS=-XX:+UseTransparentHugePages "${always[@]}" -v -- java -version
	like "Java: what the user says already counts" "$STATUS $ERR" "0 .*Java has .* already"
else
	skip "Java" "it is not installed"
fi

# ---- the environment, as it is documented -------------------------------------------------------

# environment NAME WANTED VARIABLE=VALUE...: GLIBC_TUNABLES that the command finds, with these before.
environment() {
	local name=$1 wanted=$2

	shift 2
	attempt env "$@" "${always[@]}" -- env
	is "$name" "$(grep ^GLIBC_TUNABLES= <<<"$OUT")" "GLIBC_TUNABLES=$wanted"
}
environment "nothing was set" "$TOLD"
environment "other tunables survive" "glibc.malloc.check=3:$TOLD" GLIBC_TUNABLES=glibc.malloc.check=3
environment "the user's value of one wins" "glibc.malloc.top_pad=1:${TOLD/top_pad=67108864:glibc.malloc./}" \
	GLIBC_TUNABLES=glibc.malloc.top_pad=1
environment "an older variable that says the same wins" "${TOLD/top_pad=67108864:glibc.malloc./}" \
	MALLOC_TOP_PAD_=4096
environment "told already" "$TOLD" "GLIBC_TUNABLES=$TOLD"
is "and no other variable is new" \
	"$(attempt "${always[@]}" -- env; diff <(with_system -- env) <(echo "$OUT") | grep '^[<>] [^_]')" \
	"> GLIBC_TUNABLES=$TOLD"
attempt prlimit --as=$((20 << 30)) "${always[@]}" -- env
like "where address space is limited, none is taken in advance" "$OUT" \
	$'(^|\n)GLIBC_TUNABLES=glibc.malloc.hugetlb=1(\n|$)'
# shellcheck disable=SC2016 # for the inner shell
started "a script's interpreter is told" "$TOLD" \
	"${always[@]}" -- sh -c 'printf "#!/usr/bin/env sh\necho \$GLIBC_TUNABLES" >"$0" && chmod +x "$0" &&
		exec "$0"' "$T/script"

# ---- what the user set against it stays ---------------------------------------------------------

refused "hugetlb=0 from the user" "glibc's malloc has others from you" \
	env GLIBC_TUNABLES=glibc.malloc.hugetlb=0 "${always[@]}" -- "$BIN/state" "$T/state"
like "hugetlb=0 from the user: told so" "$ERR" \
	"^thpctl: always not by settings: glibc's malloc has GLIBC_TUNABLES=glibc.malloc.hugetlb=0 from you"
attempt env GLIBC_TUNABLES=glibc.malloc.hugetlb=0 "${always[@]}" -b -- env
is "hugetlb=0 from the user: stays under --best-effort" \
	"$STATUS $(grep ^GLIBC_TUNABLES <<<"$OUT")" "0 GLIBC_TUNABLES=glibc.malloc.hugetlb=0"
like "hugetlb=0 from the user: --best-effort says so" "$ERR" \
	"always is not in force: .*the command starts with default"

# ---- where nothing can be told ------------------------------------------------------------------

if [ -x "$BIN/state-musl" ]; then
	refused "musl" "the program: nothing in it is known to take one" \
		"${always[@]}" -- "$BIN/state-musl" "$T/state"
else
	skip "musl" "no musl-gcc here"
fi
if ldconfig -p | grep -q libtcmalloc_minimal.so.4; then
	refused "tcmalloc" "tcmalloc: it has no setting for it" \
		env LD_PRELOAD=libtcmalloc_minimal.so.4 "${always[@]}" -- "$BIN/state" "$T/state"
else
	skip "tcmalloc" "it is not installed"
fi
printf '\0\1\2garbage\0' >"$T/garbage"
chmod +x "$T/garbage"
refused "no program at all" "the program is of an unknown kind" "${always[@]}" -- "$T/garbage"
if is_root; then
	cp "$BIN/state" "$T/state-setuid"
	chmod 4755 "$T/state-setuid"
	mkdir "$T/bin"
	cp "$BUILD"/thpctl "$BUILD"/thpctl-run-more "$T/bin/"
	user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	refused "set-user-ID, as another user" "the program: with other rights than yours it trusts no environment" \
		"${user[@]}" "$T/bin/thpctl" run always --how settings "$T/state-setuid" "$T/state"
	# shellcheck disable=SC2016 # for the inner shell
	started "another user's own program" "$TOLD" "${user[@]}" "$T/bin/thpctl" run always \
		--how settings -- sh -c 'echo $GLIBC_TUNABLES'
	# The file that the front needs is not there, or not for this user: as if it had failed.
	for how in missing unreadable; do
		if [ $how = missing ]; then rm "$T/bin/thpctl-run-more"; else
			cp "$BUILD/thpctl-run-more" "$T/bin/" && chmod 700 "$T/bin/thpctl-run-more"
		fi
		rm -f "$T/was-run"
		attempt "${user[@]}" "$T/bin/thpctl" run always -- touch "$T/was-run"
		is "helper $how: status" "$STATUS" 125
		ok "helper $how: nothing was run" test ! -e "$T/was-run"
		like "helper $how: says why" "$ERR" "run-more: cannot execute .*is thpctl installed completely"
		attempt "${user[@]}" "$T/bin/thpctl" run always --best-effort -- echo started
		is "helper $how: --best-effort starts it" "$STATUS $OUT" "0 started"
		like "helper $how: --best-effort says so" "$ERR" "always is not in force: its helper"
	done
else
	skip "other users" "needs root"
fi

run with_system enabled=never hugepages-2048kB/enabled=inherit -- "${always[@]}" -- touch "$T/was-run"
is "the system says never: status" "$STATUS" 3
like "the system says never: says why" "$ERR" "system says never; settings: .*heeds no advice"
if can_system enabled=never hugepages-2048kB/enabled=madvise; then
	run with_system enabled=never hugepages-2048kB/enabled=madvise -- "${always[@]}" -- true
	is "madvise by the size's setting alone: status" "$STATUS" 3
	like "madvise by the size's setting alone: says why" "$ERR" "look at the system's first setting"
else
	skip "settings by size" "$CANNOT_SYSTEM"
fi

# ---- under always -------------------------------------------------------------------------------

# Even then a heap that grows in small steps has no huge pages by itself.
run with_system enabled=always hugepages-2048kB/enabled=inherit -- "$THPCTL" run always "$BIN/memory" thread 64
ok "the system says always: a thread's heap is huge" test "$(field huge "$OUT")" -ge $((61 * 1024))

# ---- the command line ---------------------------------------------------------------------------

for how in "" setings "settings," "settings,,settings" settings:x; do
	rm -f "$T/state"
	attempt "$THPCTL" run always "--how=$how" -- "$BIN/state" "$T/state"
	is "--how='$how': status" "$STATUS" 2
	ok "--how='$how': nothing was run" test ! -e "$T/state"
	like "--how='$how': one line says why" "$(wc -l <"$T/err") $ERR" "^1 thpctl: run: --how: '.*' is no way"
done
attempt "$THPCTL" run always --how
like "--how without a value" "$STATUS $ERR" "^2 thpctl: run: option '--how' needs a value"
attempt "$THPCTL" run never --how=settings true
like "--how with another mode" "$STATUS $ERR" "^2 thpctl: run never: --how is for always"
started "--how with its value behind it" "a" "$THPCTL" run --how settings always echo a

done_testing
