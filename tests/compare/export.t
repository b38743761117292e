#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# thpctl compare --suite and --export: every format whole, with names that try to break out of it.
# shellcheck disable=SC2016 # for inner shells and jq
# shellcheck source=tests/cli/lib.sh
. "${0%/*}/../cli/lib.sh"

cat >"$T/suite.ini" <<'END'
; three programs
[defaults]
env = LEVEL=3
[one]
command = test "$LEVEL" = 3
name = </script><b>bold & "quoted"
mail_rows = OMP2012:swim=1.4
[two "quoted" \ | $(date) `date`]
command = test "$OMP_NUM_THREADS" = 2
threads = 2
[rate]
command = echo rate 12.5 GB/s
metric = rate ([0-9.]+)
END
exports=()
for format in json csv md svg html; do
	exports+=(--export "$format:$T/x.$format")
done
run "$THPCTL" compare -q -m never,default,never -n 6 -s "$T/suite.ini" "${exports[@]}"
is "a suite: status" "$STATUS" 0 || diag "$ERR"
like "a row for each program" "$OUT" $'\nrate +1\\.0000 \\[1\\.0000, 1\\.0000\\]'
like "the published ratio" "$OUT" 'published: OMP2012:swim=1\.4'
like "the geometric mean" "$OUT" 'geometric mean +[0-9.]+ \[[0-9.]+, [0-9.]+\] over 3 of 3 programs'
like "the second arm of a mode has its own name" "$OUT" 'modes +never, default, never/2'

is "json: runs, warm-ups too" "$(jq '[.runs[].warmup] | length, (map(select(.)) | length)' "$T/x.json" | xargs)" "63 9"
ok "json: carries what is needed to draw it again" jq -e '
	.schema == 1 and .machine.kernel != "" and .machine.thp.enabled != null and
	.settings.seed > 0 and .programs[0].command[2] == "test \"$LEVEL\" = 3" and
	.programs[0].environment == ["LEVEL=3"] and .runs[0].wall_s > 0' "$T/x.json"
ok "json: a metric is compared where there is one" jq -e \
	'.programs[2].arms[0].medians.metric.value == 12.5' "$T/x.json"
is "csv: a line for each run" "$(wc -l <"$T/x.csv")" 64
ok "csv: is read back by another program" python3 -c '
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
runs = json.load(open(sys.argv[2]))["runs"]
assert len(rows) == len(runs)
for row, run in zip(rows, runs):
    assert row["program"] == run["program"] and row["arm"] == run["arm"]
    assert abs(float(row["wall_s"]) - run["wall_s"]) < 1e-9
    assert (row["metric"] == "") == (run["metric"] is None)
    assert row["kernel"].startswith("Linux ") and row["thp_enabled"] and row["command"]
' "$T/x.csv" "$T/x.json"
like "md: a table" "$(cat "$T/x.md")" '\| one \| [0-9.]+ \\\[[0-9.]+, [0-9.]+\\\]'
like "md: each run" "$(cat "$T/x.md")" 'metric of each run in never: 12\.5( 12\.5){5}'
like "md: a name cannot end its cell" "$(cat "$T/x.md")" 'two "quoted" \\\\ \\\| \$\(date\) \\`date\\`'

if command -v gnuplot >/dev/null; then
	ok "svg: is XML" python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$T/x.svg"
	ok "svg: carries all that it was drawn from" python3 -c '
import json, sys, xml.dom.minidom as m
data = m.parse(sys.argv[1]).getElementsByTagName("metadata")[0].firstChild.data
assert json.loads(data) == json.load(open(sys.argv[2]))' "$T/x.svg" "$T/x.json"
	like "svg: the published ratio" "$(cat "$T/x.svg")" '; published 1\.4'
	like "svg: names as they are" "$(cat "$T/x.svg")" 'two "quoted" \\ \| \$\(date\)'
	run "$THPCTL" compare -q -m never,default -n 2 --export "png:$T/x.png" -- true
	is "png: status" "$STATUS" 0
	like "png: is a picture" "$(file "$T/x.png")" 'PNG image data, 1100 x [0-9]+'
	like "html: holds the picture" "$(cat "$T/x.html")" '<svg '
else
	skip "pictures" "gnuplot is not installed"
fi
ok "html: needs no other file, runs nothing" python3 -c '
import html.parser, json, sys
class Page(html.parser.HTMLParser):
    data, text, inside, tags = "", "", False, set()
    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        attributes = dict(attributes)
        for name, value in attributes.items():
            assert not name.startswith("on"), name
            assert name not in ("src",) and not (value or "").startswith(("http:", "//")) \
                or name.startswith("xmlns"), (name, value)
        if tag == "script":
            assert attributes["type"] == "application/json"
            self.inside = True
    def handle_endtag(self, tag):
        if tag == "script":
            self.inside = False
    def handle_data(self, data):
        if self.inside:
            self.data += data
        else:
            self.text += data
page = Page()
page.feed(open(sys.argv[1]).read())
assert "b" not in page.tags, "a name became a tag"
assert "</script><b>bold & \"quoted\"" in page.text, "a name is not as it was"
assert json.loads(page.data) == json.load(open(sys.argv[2]))
' "$T/x.html" "$T/x.json"

run "$THPCTL" compare -q -m never,default -n 1 --json --export "json:$T/nowhere/x" -- true
is "a file that cannot be written: status" "$STATUS" 1
like "... says why" "$ERR" "cannot write '.*nowhere/x': No such file"
run "$THPCTL" compare -q -m never,default -n 1 --json -- true
ok "standard output holds the export alone" jq -e .schema "$T/out"
if [ -e /dev/full ]; then
	"$THPCTL" compare -q -m never,default -n 1 -- true >/dev/full 2>"$T/err"
	is "a full disk is a failure" $? 1
fi

# Without gnuplot everything else is written, and what is missing is told.
mkdir "$T/bin"
for tool in sh true; do ln -s "$(command -v "$tool")" "$T/bin/$tool"; done
run env PATH="$T/bin" "$THPCTL" compare -q -m never,default -n 1 --export "html:$T/y.html" \
	--export "svg:$T/y.svg" -- true
is "no gnuplot, a picture was asked for: status" "$STATUS" 1
like "... says so" "$ERR" 'gnuplot, which is not installed'
like "... the page says so too" "$(cat "$T/y.html")" 'no picture: gnuplot'

printf '[a]\ncommand = true\ncomand = x\n' >"$T/bad.ini"
run "$THPCTL" compare -q -s "$T/bad.ini"
is "a suite with a mistake: status" "$STATUS" 2
like "... says which, where, and what was meant" "$ERR" "unknown key 'comand'; did you mean 'command'"

done_testing
