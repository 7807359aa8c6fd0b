#!/usr/bin/env bash
# Two sides of runs on scripted devices compared: verdicts, formats, exit status, and what is wrong with journals.
# Prints TAP.
# Usage: compare.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

scripted() { # factor: the usual pair of devices, the GPU's runs so many times as long
    jq --argjson factor "$1" '.devices[1].run = [.devices[1].run[] | . * $factor]' "$tests/program/fake/pair.json" \
        >"$work/script.json"
    export BENCH_FAKE=$work/script.json
}
record() { # journal factor
    scripted "$2"
    call run --device fake --baseline fake:0 --workload multiply --size n=1000 --budget 3s --journal "$work/$1"
}
verdict() { # filter over the cells that are no baseline
    jq -r "[.cells[] | select(.is_baseline | not)] | .[0] | $1" "$work/out"
}
is_verdict() { [ "$(verdict .verdict)" = "$1" ]; }

record old.jsonl 1
record old-2.jsonl 1.001
record old-3.jsonl 0.999
record same.jsonl 1.0005
record slow.jsonl 1.25
record slow-2.jsonl 1.251
record slow-3.jsonl 1.249
old=$work/old.jsonl slow=$work/slow.jsonl
mkdir "$work/five" # five runs a side, as a gate needs them
for i in 0 1 2 3 4; do
    record "five/old-$i.jsonl" "1.00$i"
    record "five/same-$i.jsonl" "1.00${i}5"
    record "five/slow-$i.jsonl" "1.25$i"
done
faulty submit 3 fail
for i in 0 1 2 3 4; do
    call run --device fake --baseline fake:0 --workload multiply --size n=1000 --budget 3s --journal "$work/five/broken-$i.jsonl"
done
gate() { # old side, new side, option...
    local before=$1 after=$2
    shift 2
    call compare "$work/five/$before"-?.jsonl --with "$work/five/$after"-?.jsonl "$@"
}

# --- verdicts and exit status
call compare "$old" "$work/same.jsonl"
expect 'without a change the first line says what would not be seen' \
    eval "head -1 '$work/out' | grep -qE '^No change shown; changes below [0-9]+( to [0-9]+)? % would not be seen$'"
call compare "$old" --with "$slow"
expect 'what became slower is found, and named first' eval "exits 0 && prints '^1 cell: 1 slower (multiply n=1000 on fake:1); 1 baseline$'"
expect 'its row comes with figures' prints '^  slower  *fake:1  *[^ ]*  *-[0-9]'
expect 'nothing else differs' eval "! grep '^warning' '$work/out'"
expect 'the files are named as they were given' prints_words "1 run before ($old), 1 now ($slow)"
gate old slow --fail-on slower
expect 'and fails where that was asked for' exits 1
gate slow old --fail-on slower
expect 'what became faster does not' eval "exits 0 && prints '1 faster'"
gate old same --fail-on slower
expect 'nor does what is the same' exits 0
gate old same --fail-on unsure --margin 0.1%
expect 'five runs a side are not sure of a thousandth' eval "exits 1 && prints '1 unsure'"
for i in 0 1 2 3 4; do
    scripted "1.00$i"
    call run --device fake --baseline fake:0 --workload multiply --size n=1000 --size n=2000 --budget 3s \
        --journal "$work/five/more-$i.jsonl"
done
gate more same --fail-on slower
expect 'a row that is gone is not slower' eval "exits 0 && prints '2 gone'"
gate more same --fail-on unsure
expect 'but nothing is known of it' eval "exits 1 && prints '2 gone' && ! prints unsure"
call compare "$old" "$slow" --fail-on slower
expect 'a gate needs five runs a side' eval "exits 2 && says 'needs 5 runs a side, .*; there are 1 and 1'"
call compare "$old" "$slow"
cp "$work/out" "$work/two"
call compare "$old" --with "$slow"
expect 'two files are old and new' cmp "$work/two" "$work/out"
call compare "$old" "$work/old-2.jsonl" "$work/old-3.jsonl" --with "$slow" "$work/slow-2.jsonl" --format json
expect 'several runs a side' eval "exits 0 && is_json && is_verdict slower"
expect 'are counted' eval "[ \"\$(jq '.old_runs, .new_runs' '$work/out' | xargs)\" = '3 2' ]"
call compare "$old" --with "$slow" --with "$work/slow-2.jsonl" "$work/slow-3.jsonl" --format json
expect 'the new side may be given in parts' eval "exits 0 && [ \"\$(jq .new_runs '$work/out')\" = 3 ]"
call compare --with "$slow" --format json -- "$work/slow-2.jsonl"
expect 'after --with all is the new side' eval "exits 2 && says 'needs two runs'"

# --- what went wrong
gate old broken --fail-on slower
expect 'what broke counts as slower' eval "exits 1 && prints '1 broken'"
expect 'with the reason' prints 'failed'
gate broken old --fail-on slower
expect 'what was mended does not' eval "exits 0 && prints '1 mended'"

# --- journals
head -c -40 "$slow" >"$work/cut.jsonl"
call compare "$old" --with "$work/cut.jsonl"
expect 'a truncated journal is compared as far as it goes' eval "exits 0 && prints 'broken off' && prints '1 slower'"
sed '0,/"line":"slice"/s/.*"line":"slice".*/nonsense/' "$slow" >"$work/torn.jsonl"
call compare "$old" --with "$work/torn.jsonl"
expect 'one with a line that makes no sense shows in the status' eval "exits 2 && prints 'is damaged'"
call compare "$work/torn.jsonl" --with "$old"
expect 'on either side' exits 2
cp "$work/five/slow-4.jsonl" "$work/slow-4.jsonl"
sed '0,/"line":"slice"/s/.*"line":"slice".*/nonsense/' "$work/slow-4.jsonl" >"$work/five/slow-4.jsonl"
gate old slow --fail-on slower
expect 'but what was asked for comes first' exits 1
cp "$work/slow-4.jsonl" "$work/five/slow-4.jsonl"
cp "$old" "$work/copy.jsonl"
echo >>"$work/copy.jsonl"
for copy in old.jsonl copy.jsonl; do
    call compare "$old" "$work/$copy"
    expect "a run is not compared with itself: $copy" eval "exits 2 && says 'old.jsonl and .*$copy are the same run'"
done
call compare "$old" "$work/copy.jsonl" --with "$slow"
expect 'nor counted twice' eval "exits 2 && says 'old.jsonl and .*copy.jsonl are the same run'"
call compare "$old" --with "$work/none.jsonl"
expect 'a journal that is not there is refused' eval "exits 2 && says 'none.jsonl'"
scripted 1
call run --device fake --baseline fake:0 --workload multiply --size n=2000 --budget 3s --journal "$work/other.jsonl"
for i in 0 1 2 3 4; do sed "1s/\"started\":\"/&$i/" "$work/other.jsonl" >"$work/five/other-$i.jsonl"; done
gate old other --fail-on slower
expect 'a gate that compared nothing stays shut' eval "exits 1 && prints 'nothing was compared'"
call compare "$old" --with "$work/other.jsonl"
expect 'and so does a comparison of nothing that is no gate' eval "exits 1 && prints 'nothing was compared'"
expect 'cells of only one side have a section of their own' eval "prints '^[0-9]* on one side only' && prints '^  new  *fake:0  *native'"
call compare "$old" --with "$work/other.jsonl" --format markdown
expect 'in Markdown as well' prints '^| gone | fake:0 | native'
sed '1s/"started":"/&later than /' "$tests/golden/mixed.jsonl" >"$work/mixed.jsonl"
call compare "$tests/golden/mixed.jsonl" --with "$work/mixed.jsonl" --width 60
expect 'rows that differ in their memory show it' eval \
    "prints ' cuda:0  *portable, pinned ' && prints ' cuda:0  *portable, pageable ' && prints ' opencl:1  *portable  '"
expect 'sentences fit the width' eval "[ \$(grep -v '^  ' '$work/out' | wc -L) -le 60 ]"
machine=$(jq -r 'select(.line == "journal").host.name' "$old")
signature=$(jq -r 'select(.line == "journal").host.signature' "$old")
sed "1s/\"name\":\"[^\"]*\"/\"name\":\"$machine\",\"signature\":\"$signature\"/" "$tests/golden/hostile.jsonl" >"$work/hostile.jsonl"
call compare "$old" "$tests/golden/hostile.jsonl"
expect 'runs of different machines lead to their report' eval \
    "exits 2 && says 'of different machines, .*Evil CPU; side by side: .bench report FILE FILE.'"
call compare "$old" --with "$work/hostile.jsonl"
expect 'a hostile journal does no harm' eval "! grep -q \$'\\033' '$work/out' && ! grep -q \$'\\342\\200\\256' '$work/out'"

# --- formats
call compare "$old" --with "$slow" --format markdown
expect 'Markdown for a pull request' eval "exits 0 && prints '^| slower | fake:1 |' && prints '^| multiply f32, n = 1,000 | '"
expect 'what has not changed is folded away' prints '<details>'
call compare "$old" --with "$slow" --format html
expect 'a page, which an XML parser reads' eval \
    "exits 0 && python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' '$work/out' && prints '<h1 class=.answer first.>1 cell: 1 slower' && prints '<details id='"
expect 'it has a picture of the changes' prints '<figure id=.p-changes'
call compare "$old" --with "$work/hostile.jsonl" --format html
expect 'in which strangers words have no meaning' eval "! grep -q '<script' '$work/out'"
call compare "$old" --with "$work/hostile.jsonl" --format markdown
expect 'strangers words have no meaning in it' eval "! grep -q '<script' '$work/out'"
if python3 -c 'import jsonschema' 2>/dev/null; then
    validate() {
        python3 -c 'import json, sys, jsonschema
jsonschema.validate(*[json.load(open(path)) for path in sys.argv[1:]])' "$work/out" "$tests/../results/comparison.schema.json" 2>"$work/err"
    }
    call compare "$old" --with "$slow" --format json
    expect 'JSON is as its schema says' validate
    call compare "$work/other.jsonl" --with "$work/hostile.jsonl" --format json
    expect 'so is that of a hostile journal' validate
    jq '.cells[0].verdict = "worse"' "$work/out" >"$work/spoilt" && mv "$work/spoilt" "$work/out"
    expect 'which would notice' eval '! validate'
else
    tap ok 'JSON is as its schema says # SKIP python3 has no jsonschema'
fi
gate old slow --fail-on slower -o "$work/comparison.md"
expect 'into a file, in the format of its name' \
    eval "exits 1 && [ ! -s '$work/out' ] && grep -q '^# 1 cell: 1 slower' '$work/comparison.md'"
call compare "$old" --with "$work/none.jsonl" -o "$work/comparison.md"
expect 'which stays as it was where there is nothing to write' \
    eval "exits 2 && grep -q '1 slower' '$work/comparison.md'"
call compare "$old" --with "$slow" -o "$slow"
expect 'and is none of the journals' eval "exits 2 && says 'is one of the journals' && [ -s '$slow' ]"
if command -v cmark-gfm >/dev/null; then
    for journal in "$work/hostile.jsonl" "$work/mixed.jsonl"; do
        call compare "$old" "$tests/golden/hostile.jsonl" "$tests/golden/mixed.jsonl" --with "$slow" "$journal" --format markdown
        cmark-gfm -e table -e strikethrough -e autolink -e tasklist --unsafe "$work/out" >"$work/page"
        expect "a code host makes a table of $(basename "$journal")" grep -q '^<table>' "$work/page"
        expect 'and nothing of what is in its words' \
            test "$(grep -cE '<(a|img|script|b|u|em|del|code|input|pre|hr)[ >/]' "$work/page")" -eq 0
        # shellcheck disable=SC2016 # awk's own
        expect 'each row of it has all columns' eval \
            "awk '/<table>/ { m = 0 } /<tr>/ { n = 0 } /<t[dh]/ { n++ } /<.tr>/ { bad = bad || (m && n != m); m = n }
                END { exit bad }' '$work/page'"
    done
else
    tap ok 'a code host makes a table of it # SKIP cmark-gfm is not installed'
fi
call compare "$old" --with "$slow" --format csv
expect 'a format that there is not is refused with those there are' eval "exits 2 && says 'table, txt, markdown, md, json, html'"
call_on_full_disk compare "$old" --with "$slow"
expect 'a full disk is a failure' eval "exits 1 && says 'cannot write the report'"

# --- the command line
call compare
expect 'it needs two runs' eval "exits 2 && says 'compare: needs two runs'"
call compare "$old"
expect 'and a new one' eval "exits 2 && says 'compare: needs the new side'"
for ((i = 0; i < 17; i++)); do cp "$old" "$work/many-$i.jsonl"; done
call compare "$work"/many-*.jsonl --with "$slow"
expect 'a side has room for 16 journals' eval "exits 2 && says 'compare, old side: .* is one too many; at most 16'"
call compare "$old" --with "$work"/many-*.jsonl
expect 'so has the other' eval "exits 2 && says 'compare, new side: .* is one too many; at most 16'"
call compare "$old" --with "$slow" --fail-on worse
expect 'a verdict that there is not is refused' eval "exits 2 && says 'one of nothing, slower, unsure'"
call compare "$old" --with "$slow" --margin 60%
expect 'so is a margin that hides everything' eval "exits 2 && says 'from 0.1% to 50%'"

finish
