#!/usr/bin/env bash
# The nodes of a made-up cluster compared: what is slow, failed, missing and different, in all formats. Prints TAP.
# Usage: fleet.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

make_fleet() { # folder nodes option...
    python3 "$tests/program/fleet_journals.py" "$work/$1" "${@:2}"
}
fleet() { # folder option...
    call fleet "$work/$1" "${@:2}"
}
counts() { # slow failed missing different
    [ "$(jq -r '.count | "\(.slow) \(.failed) \(.missing) \(.different)"' "$work/out")" = "$*" ]
}
is_slow() { jq -e --arg node "$1" '[.findings[] | select(.state == "slow") | .node] | unique == [$node]' "$work/out"; }

# --- a healthy fleet, and one with a slow node
make_fleet good 24
fleet good --fail-on slow,failed,missing,different
expect 'a healthy fleet has no finding' eval "exits 0 && prints '^0 slow, 0 failed, 0 missing, 0 different of 24 nodes'"
expect 'each kind of devices says what can be found' prints_words '24 x NVIDIA H200 compute differs by 0[.0-9]* %, called slow when'
make_fleet slow 24 --slow n7=1.2 --driver n7=535.1
fleet slow --fail-on slow,missing
expect 'a slow node fails the check' exits 1
expect 'it is named with its part and its likely cause' prints_words \
    'slow n7 cuda:0 memory at 8[0-9][.0-9]* % of the usual speed in 2 problems (slow below 9[0-9.]* %); worst: multiply f32 n=[480]*000000 pinned at 8[0-9.]* %, [0-9.]* TB/s +- 0.[0-9] %; likely because: driver 535.1, usual is 550.54'
fleet slow --fail-on missing
expect 'not where only a missing one should' exits 0
fleet slow --format json
expect 'no other node is slow' eval "counts 1 0 0 1 && is_slow n7"
make_fleet cards 6 --gpus 4 --cells 20 --slow n3=1.15
fleet cards --format json
expect 'the slow one of several GPUs is named' eval "is_slow n3 && jq -e '[.findings[].device] == [\"cuda:3\"]' '$work/out'"
fleet cards
expect 'each of several GPUs is compared with all of its kind' prints_words '4 x NVIDIA H200: 24 x NVIDIA H200 '

# --- what differs from most (test_fleet.c has each kind of finding, test_outlier.c the limits)
make_fleet few 4 --slow n1=2
fleet few --fail-on slow
expect 'four nodes are too few to judge' eval "exits 0 && prints_words '4 x NVIDIA H200 too few to judge'"
expect 'and the first line says so' prints_words '8 of 8 devices are of a kind with fewer than 5'
make_fleet pairs 12 --gpus 2
cp -r "$work/pairs" "$work/lost"
sed -i '/cuda:1"/d' "$work/lost/n3.jsonl"
fleet lost --format json --fail-on missing
expect 'a GPU that is gone is missing' eval "exits 1 && counts 0 0 1 0"
fleet lost
expect 'the report says so' prints_words 'missing n3 a device: it has 2; 11 of 12 nodes of this processor have more'
sed -i '/cuda:1"/d' "$work/lost/"*.jsonl
fleet lost --against "$work/pairs" --format json
expect 'an earlier day shows it where all nodes lost theirs' counts 0 0 12 0

# --- missing nodes and broken journals
cp -r "$work/good" "$work/broken"
printf '# all of them\nn0\n n1  # the first rack\n\nn77\n' >"$work/broken/nodes.txt"
head -n 30 "$work/good/n1.jsonl" >"$work/broken/n1.jsonl"
head -c 5000 /dev/urandom >"$work/broken/n2.jsonl"
: >"$work/broken/n3.jsonl"
sed -i 's/"status":"ok"/"status":"wrong","reason":"3 of 9 elements"/' "$work/broken/n4.jsonl"
python3 -c 'print("["*100000)' >>"$work/broken/n5.jsonl"
printf '{"line":"journal","schema":"bench-journal/9"}\n' >"$work/broken/n8.jsonl"
fleet broken --format json --fail-on missing
expect 'broken journals fail the check for missing nodes' exits 1
expect 'a broken journal costs its own node only' eval "counts 0 1 6 0"
for node in n1 n2 n3 n5 n8 n77; do
    expect "$node is missing, and why" jq -e --arg node $node '.nodes[] | select(.name == $node) | .missing | length > 5' "$work/out"
done
expect 'a wrong result is a failure' jq -e '.nodes[] | select(.name == "n4") | .failure | test("wrong")' "$work/out"
# Interrupted, killed and resumed, in each order: what a journal ends with decides.
cp -r "$work/good" "$work/stopped"
stopped='{"line":"end","status":"interrupted","elapsed_ns":5}' resumed='{"line":"resume","started":"2026-11-23T01:00:00Z","command":["made","up"]}'
while read -r node words missing; do
    whole=$work/good/$node.jsonl half=$(grep -n outcome "$work/good/$node.jsonl" | sed -n 4p | cut -d: -f1)
    {
        head -n "$half" "$whole"
        for word in ${words//,/ }; do
            case $word in
            stopped) echo "$stopped" ;;
            resumed) echo "$resumed" ;;
            rest) tail -n "+$((half + 1))" "$whole" ;;
            most) tail -n "+$((half + 1))" "$whole" | head -n -1 ;;
            esac
        done
    } >"$work/stopped/$node.jsonl"
    fleet stopped --format json --fail-on missing
    expect "$words: the node is missing: $missing" test "$(jq '[.findings[] | select(.state == "missing" and .node == "'"$node"'")] | length == 1' \
        "$work/out")" = "$missing"
done <<'NODES'
n1 stopped true
n2 stopped,resumed,rest false
n3 resumed,rest false
n4 stopped,resumed,most true
n5 stopped,resumed,most,stopped true
n6 resumed,stopped,resumed,rest false
NODES
mkdir "$work/rack"
mv "$work/broken/n9.jsonl" "$work/rack"
echo n9 >>"$work/broken/nodes.txt"
call fleet "$work/broken" "$work/rack" --format json
expect 'a node of one list with its journal in another folder is there' jq -e '[.nodes[] | select(.name == "n9") | .missing] == [null]' "$work/out"
cp -r "$work/good" "$work/unlisted"
mkdir "$work/unlisted/nodes.txt"
fleet unlisted
expect 'a list of nodes that cannot be read is not ignored' eval "exits 2 && says 'cannot read .*nodes.txt'"
rmdir "$work/unlisted/nodes.txt"
rm -rf "$work/empty" && mkdir "$work/empty"
fleet empty
expect 'a folder without a journal is refused' eval "exits 2 && says 'has no journal'"
call fleet
expect 'so is a command without a folder' eval "exits 2 && says 'needs a folder'"
call fleet "$work/nowhere"
expect 'and a folder that is not there' eval "exits 2 && says 'No such file'"

mkdir "$work/named"
cp "$work/good/n1.jsonl" "$work/named/node-seven"
cp "$work/good/n2.jsonl" "$work/named/.n2.jsonl"
cp "$work/good/n3.jsonl" "$work/named/n3.jsonl"
call fleet "$work/named/node-seven" "$work/named" --format json
expect 'a journal by itself has the name of its file, and a hidden file is none' \
    test "$status $(jq -r '[.nodes[].name] | join(" ")' "$work/out")" = '0 node-seven n3'

gzip -c "$work/good/n3.jsonl" | tee "$work/named/n3.jsonl.gz" >"$work/named/n4.jsonl.gz"
call fleet "$work/named" --format json
expect 'a compressed journal is named, unless it is unpacked, too' jq -e '[.findings[] | .node + .text] ==
    ["n4its journal is compressed and was left out: unpack it"]' "$work/out"

cp -r "$work/good" "$work/odd"
sed -i 's/"dtype":"f32"/"dtype":"abcdefghié"/' "$work/odd/n1.jsonl"
rm "$work/odd/n2.jsonl"
mkfifo "$work/odd/n2.jsonl"
fleet odd --format json
expect 'a name cut inside a character costs nothing' jq -e '.nodes[] | select(.name == "n1") | .missing == null' "$work/out"
expect 'a pipe is no journal' jq -e '.nodes[] | select(.name == "n2") | .missing | test("regular file")' "$work/out"

# --- an earlier day
make_fleet today 24 --seed 2 --slower-all 1.1
fleet today --fail-on slow
expect 'a whole fleet that became slow looks healthy by itself' exits 0
fleet today --against "$work/good" --format json --fail-on slow
expect 'against an earlier day it does not' eval "exits 1 && counts 24 0 0 0"
fleet today --against "$work/../$(basename "$work")/today"
expect 'a folder is no earlier day of itself' eval "exits 2 && says 'is .*today itself; name the folder of an earlier day'"
# --- its figures are those of the report of the run
BENCH_FAKE=$tests/program/fake/pair.json fake_run --quiet
mkdir "$work/one"
cp "$work/journal.jsonl" "$work/one/n1.jsonl"
fleet one --output "$work/one.csv"
call report --format json "$work/journal.jsonl"
expect 'the report of the run has the same figures' python3 -c "
import csv, json
cells = json.load(open('$work/out'))['runs'][0]['blocks'][0]['cells']
rows = [row for row in csv.DictReader(open('$work/one.csv')) if row['part'] != 'link']
assert len(rows) == len(cells) == 2
for row, cell in zip(rows, cells):
    time = cell['series']['resident']['time_s']
    assert abs(float(row['time_s']) / time['value'] - 1) < 1e-6
    half = (time['high'] - time['low']) / 2 / time['value']
    assert abs(float(row['time_half_width']) - half) < 1e-6
assert abs(float(rows[1]['speedup']) / cells[1]['speedup_resident']['value'] - 1) < 1e-6"

# --- formats
fleet slow --output "$work/fleet.csv"
expect 'the CSV has a row for each figure' eval "exits 0 && [ \$(wc -l <'$work/fleet.csv') -eq \$((1 + 24 * 8)) ]"
expect 'with as many fields in each' python3 -c "
import csv, sys
rows = list(csv.DictReader(open('$work/fleet.csv')))
assert all(None not in row and None not in row.values() for row in rows)
assert {row['node'] for row in rows if 'slow' in row['states']} == {'n7'}"
fleet broken --output "$work/broken.csv"
expect 'rows of missing nodes too' python3 -c "
import csv
assert all(None not in row and None not in row.values() for row in csv.DictReader(open('$work/broken.csv')))"
make_fleet alike 12
sed -i '/"line":"device".*cuda/s/550.54/535.1/' "$work/alike/"n[1-4].jsonl
fleet alike
expect 'nodes with the same difference share a row' prints_words 'different 4 nodes driver 535.1, usual is 550.54: n1, n2, n3, n4'
fleet slow --output "$work/fleet.md"
expect 'Markdown has the findings and all devices' eval "grep '^| slow | n7 | cuda:0 | memory at' '$work/fleet.md' && [ \$(grep -c '^| n[0-9]* cuda:0' '$work/fleet.md') = 24 ]"
fleet slow --output "$work/fleet.html"
expect 'the page is well-formed' python3 -c "
import xml.dom.minidom
page = xml.dom.minidom.parse('$work/fleet.html')
assert len(page.getElementsByTagName('table')) == 3, 'findings, two matrices'
assert sum(cell.getAttribute('class') == 's0' for cell in page.getElementsByTagName('td')) >= 2"
if python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
    for folder in slow few broken; do
        fleet $folder --output "$work/fleet.json"
        expect "the JSON of '$folder' is as its schema says" python3 -c "
import json, jsonschema
schema = json.load(open('$tests/../results/fleet.schema.json'))
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(json.load(open('$work/fleet.json')))"
    done
else
    expect 'the JSON is as its schema says # SKIP jsonschema for Python is not installed' true
fi
fleet slow --output "$work/fleet.pdf"
expect 'another ending is refused' eval "exits 2 && says 'does not choose a format'"
for width in 40 80 200; do
    make_fleet many 60 --gpus 2 --spread 0.0005 --slow n1=1.2
    for ((i = 0; i < 40; i++)); do : >"$work/many/x$i.jsonl"; done
    fleet many --width $width
    expect "a report at $width columns ends with how many findings there are more" prints 'more findings'
    expect 'the slow node is still named first' eval "grep -A1 '^state' '$work/out' | grep '^slow  *n1 '"
done
# shellcheck disable=SC2046
call report $(printf "$work/good/n%d.jsonl " $(seq 0 16))
expect 'a report of many journals leads to this command' eval "exits 2 && says 'bench fleet DIR'"
# shellcheck disable=SC2046
call fleet $(printf "$work/good/n%d.jsonl " $(seq 0 16))
expect 'so does this command' eval "exits 2 && says 'bench fleet DIR'"
finish
