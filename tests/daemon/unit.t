#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The systemd unit: systemd takes it, thpd works with the rights that it leaves, and each of them is
# needed.
# shellcheck source=tests/daemon/lib.sh
. "$(dirname "$0")/lib.sh"

unit=$TESTS/../dist/thpd.service
if command -v systemd-analyze >/dev/null; then
	sed "s|@SBINDIR@|$BUILD|" "$unit" >"$T/thpd.service"
	run systemd-analyze verify --man=no "$T/thpd.service"
	is 'systemd takes the unit' "$STATUS $(grep -v '^$' <<<"$ERR" | grep -c thpd)" '0 0' ||
		diag "$ERR"
else
	skip 'systemd takes the unit' 'no systemd-analyze'
fi

is_sanitized && skip_all 'sanitizers need rights of their own'
capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit")
mkdir "$T/closed"
cp "$TARGETS/first" "$T/closed/first"
chown -R "$UID_OF_TEST" "$T/closed"
chmod 700 "$T/closed"
cp "$TARGETS/first" "$T/first"
rules "[first]
exec = $T/first
mode = never
[closed]
exec = $T/closed/first
mode = never
[user]
user = $UID_OF_TEST
mode = madvise"

bound() { # CAPABILITY...: thpd with no others
	local list=-all name

	for name in "$@"; do
		name=${name#CAP_}
		list+=,+${name,,}
	done
	: >"$LOG"
	setpriv --bounding-set="$list" --no-new-privs "$BUILD/thpd" --rules "$RULES" \
		--socket "$SOCKET" --walk 0 2>>"$LOG" &
	D=$!
	wait_until grep -q -e 'thpd: ready' "$LOG"
}

works() { # says what does not; nothing: all does
	local try

	grep -q 'cannot be caught' "$LOG" && echo gate
	grep -q 'no process events' "$LOG" && echo events
	grep -q 'priority' "$LOG" && echo priority
	"$T/first" 2 | grep -q '^flag 1 ' || echo named
	setpriv --reuid "$UID_OF_TEST" --clear-groups "$T/closed/first" 2 | grep -q '^flag 1 ' ||
		echo closed
	sleeper setpriv --reuid "$UID_OF_TEST" --clear-groups sleep 1000
	for try in $(seq 50); do
		has_mode "$PID" madvise && return
		sleep 0.02
	done
	echo "other-user after $try tries"
}

# shellcheck disable=SC2086 # a list of words
bound $capabilities
is 'all works with the rights of the unit' "$(works | tr '\n' ' ')" '' || diag "$(cat "$LOG")"
thpd_stop
for without in $capabilities; do
	# shellcheck disable=SC2046 # a list of words
	bound $(tr ' ' '\n' <<<"$capabilities" | grep -vx "$without")
	missing=$(works | tr '\n' ' ')
	ok "each is needed: without $without: $missing" test -n "$missing"
	thpd_stop
done
done_testing
