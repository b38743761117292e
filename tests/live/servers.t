#!/bin/bash
# SPDX-License-Identifier: MIT
# Real servers under load: never, split, madvise, default, again and again; no client may notice.
# shellcheck source=tests/live/tap.sh
. "$(dirname "$0")/tap.sh"

thpctl=$build/thpctl

# One pass of all that can be done to a running server, its children included. That a page is busy
# or shared just now is no fault of split and collapse; a mode must always be set.
change()
{
	"$thpctl" set never --tree "$1" || return
	"$thpctl" split --quiet "$1" || [ $? -eq 1 ] || return
	"$thpctl" set madvise --tree "$1" && "$thpctl" set default --tree "$1" || return
	"$thpctl" collapse --quiet "$1" || [ $? -eq 1 ]
}

# change_while PID OF_SERVER: until the client has ended; the number of passes is in $passes
change_while()
{
	passes=0
	while kill -0 "$client" 2>/dev/null; do
		change "$1" >/dev/null 2>>"$work/change-err" || return 1
		passes=$((passes + 1))
		sleep 0.05
	done
}

if ! command -v redis-server >/dev/null || ! command -v redis-benchmark >/dev/null; then
	skip redis "no redis-server and redis-benchmark (Debian: redis-server, redis-tools)"
else
	socket=$work/redis.sock
	start redis-server --port 0 --unixsocket "$socket" --save '' --appendonly no \
		--io-threads 2 --disable-thp no
	server=$pid
	until_true redis-cli -s "$socket" ping >/dev/null 2>&1
	load=(redis-benchmark -s "$socket" -q -n 60000 -c 20 -d 512 -r 100000 -t "set,get,lpush,spop")
	before=$("${load[@]}" 2>&1 | tr '\r' '\n' | grep -o 'SET: [0-9.]* req.*')
	"${load[@]}" >"$work/redis" 2>&1 &
	client=$!
	change_while "$server"
	ok $? "redis: $passes passes" "$(sort "$work/change-err" 2>/dev/null | uniq -c | head)"
	wait $client
	is $? 0 "redis: no client failed"
	[ $passes -gt 2 ]
	ok $? "redis: there were passes during the load"
	is "$(tr '\r' '\n' <"$work/redis" | grep -ciE 'error|reset|closed')" 0 "redis: no error"
	echo "# quiet: $before"
	echo "# under change: $(tr '\r' '\n' <"$work/redis" | grep -o 'SET: [0-9.]* req.*' | tail -1)"
	# With a child of fork(2) that saves: its pages are shared, and are no fault.
	redis-cli -s "$socket" debug reload nosave >/dev/null 2>&1
	is "$(redis-cli -s "$socket" ping)" PONG "redis: lives"
	redis-cli -s "$socket" shutdown nosave >/dev/null 2>&1
fi

bin=$(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | tail -1)
if [ -z "$bin" ] || ! id postgres >/dev/null 2>&1; then
	skip postgresql "no PostgreSQL server (Debian: postgresql)"
elif [ "$(id -u)" != 0 ]; then
	skip postgresql "needs root, to become the user postgres"
else
	as_postgres()
	{
		setpriv --reuid postgres --regid postgres --clear-groups "$@"
	}
	chmod 711 "$work"
	mkdir "$work/pg"
	chown postgres "$work/pg"
	as_postgres "$bin/initdb" -D "$work/pg/data" -A trust --no-sync >/dev/null
	start setpriv --reuid postgres --regid postgres --clear-groups "$bin/postgres" \
		-D "$work/pg/data" -k "$work/pg" -c listen_addresses= -c fsync=off \
		-c shared_buffers=64MB
	server=$pid
	until_true as_postgres "$bin/pg_isready" -q -h "$work/pg"
	as_postgres "$bin/pgbench" -q -i -s 4 -h "$work/pg" postgres >/dev/null 2>&1
	load=("$bin/pgbench" -h "$work/pg" -c 8 -j 2 -t 2000 --no-vacuum postgres)
	before=$(as_postgres "${load[@]}" 2>&1 | grep -E '^(latency average|tps)' | xargs)
	as_postgres "${load[@]}" >"$work/pgbench" 2>&1 &
	client=$!
	: >"$work/change-err"
	change_while "$server"
	ok $? "postgresql: $passes passes" "$(sort "$work/change-err" | uniq -c | head)"
	wait $client
	is $? 0 "postgresql: no client failed"
	[ $passes -gt 2 ]
	ok $? "postgresql: there were passes during the load"
	like "$(cat "$work/pgbench")" "actually processed: 16000/16000" \
		"postgresql: every transaction was done"
	is "$(grep -ciE 'error|fatal|aborted' "$work/pgbench")" 0 "postgresql: no error"
	is "$(grep -cE 'PANIC|terminated by signal|crash' "$work/err")" 0 "postgresql: no crash"
	echo "# quiet: $before"
	echo "# under change: $(grep -E '^(latency average|tps)' "$work/pgbench" | xargs)"
	kill -INT "$server"
	wait "$server" 2>/dev/null
fi

done_testing
