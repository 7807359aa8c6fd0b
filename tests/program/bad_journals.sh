#!/usr/bin/env bash
# Files that are not journals, or damaged ones (test_journal.c has what is wrong with lines): in every format `report` prints a sentence and returns the right status,
# within seconds and without much memory.
# Usage: bad_journals.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "${2%/}/program/lib.sh"

head='{"line":"journal","schema":"bench-journal/3","version":"0.1.0","started":"2026-01-02T03:04:05Z"}'
device='{"line":"device","id":"cpu","key":"cpu/CPU","backend":"cpu","name":"CPU","class":"CPU"}'
cell='{"line":"cell","key":"a","block":"b","device":"cpu","workload":"multiply","dtype":"f32","shape":"n=1","method":"native","memory":"pageable","flops":1,"bytes":12}'
end='{"line":"end","status":"complete","elapsed_ns":5}'
formats='table markdown csv json html'

repeat() { # COUNT TEXT
    head -c "$(($1 * ${#2}))" < <(yes "$2" | tr -d '\n')
}

# Memory is limited: keeping a whole long line, or a value that grows, ends the program.
report_all() { # FILE STATUS SENTENCE: in each format; no sentence is expected if it is empty
    local format
    for format in $formats; do
        (ulimit -v 400000 && timeout 20 "$bench" report --format "$format" "$1" >"$work/out" 2>"$work/err" </dev/null)
        status=$?
        if [ "$status" -ne "$2" ] || { [ -n "$3" ] && ! says "$3"; }; then
            echo "as $format: status $status" >>"$work/err"
            return 1
        fi
    done
}

: >"$work/empty.jsonl"
expect "an empty file is reported" report_all "$work/empty.jsonl" 2 'empty.jsonl is empty: not a bench journal'
mkdir "$work/folder.jsonl"
expect "a directory is reported" report_all "$work/folder.jsonl" 2 'cannot read .*folder.jsonl: Is a directory'
repeat 2000000 '[' >"$work/brackets.jsonl"
expect "two million brackets are reported" report_all "$work/brackets.jsonl" 2 'brackets.jsonl is not a bench journal'

# Files that hold a journal in another form, by their first bytes.
while read -r bytes sentence; do
    { printf '%b' "$bytes" && printf '%s\n' "$head" "$end"; } >"$work/other.jsonl"
    expect "bytes $bytes: $sentence" report_all "$work/other.jsonl" 2 "other.jsonl is $sentence"
done <<'END'
\x1f\x8b\x08 compressed: unpack it with gunzip
\xff\xfe{\x00 in UTF-16: convert it with 'iconv -f UTF-16 -t UTF-8'
\xfe\xff\x00{ in UTF-16: convert it with 'iconv -f UTF-16 -t UTF-8'
\xef\xbb\xbf in UTF-8 with a byte order mark (BOM): remove it with 'tail -c +4'
END

# Lines of blanks are no damage.
while read -r blanks; do
    { printf '%s\n' "$head" "$device" "$cell" "$end" && printf '%b' "$blanks"; } >"$work/blank.jsonl"
    expect "blanks at the end, $blanks" eval "report_all '$work/blank.jsonl' 0 '' && test ! -s '$work/err'"
done <<'END'
\n
\n\n\x20\t\n
\x20\x20
\r\n\r\n
END

# Bad lines in a journal: each is left out, the others are reported.
damaged() { # NAME: a journal with stdin as one of its lines
    { echo "$head" && echo "$cell" && cat && echo && echo "$end"; } >"$work/$1.jsonl"
}
{ printf '{"line":"note","cell":"","deep":' && repeat 100000 '[' && repeat 100000 ']' && printf '}'; } | damaged deep
expect "a line of 100,000 brackets is left out" report_all "$work/deep.jsonl" 2 '1 line could not be read and was left out, the first is line 3'
{ printf '{"line":"note","cell":"","text":"' && repeat 100000000 'a' && printf '"}'; } | damaged long
expect "a line of 100 MB is left out" report_all "$work/long.jsonl" 2 '1 line could not be read and was left out, the first is line 3'
rm "$work/long.jsonl"
# Two journals in one file: the first one is read, and it is no whole file.
{ echo "$head" && echo "$cell" && echo "$end" && echo "$head" && echo "$cell" && echo "$end"; } >"$work/two.jsonl"
expect "a second journal in a file is told" report_all "$work/two.jsonl" 2 'line 4 begins a second journal'

# Numbers that JSON allows, but no measurement can give.
turn=0
{ echo "$head" && echo "$cell" &&
    for figure in 1e308 -1 9223372036854775807 -9223372036854775808 1e-320 0 -0.0; do
        echo "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"resident\",\"number\":$((++turn)),\"wall_ns\":[$figure],\"cpu_ns\":$figure,\"at_ns\":$figure}"
        echo "{\"line\":\"first\",\"cell\":\"a\",\"open_ns\":$figure,\"flush_bytes\":$figure,\"memory_cost\":{\"peak_host\":$figure}}"
    done && echo "$end"; } >"$work/extreme.jsonl"
expect "impossible numbers do no harm" report_all "$work/extreme.jsonl" 2 'values make no sense and were left out, the first is cpu_ns in line 3'

# Host and libraries are the journal's own words.
{ echo "${head%\}}"',"host":{"name":"a\u001b[2Jb","deep":[{"c\u202ed":"\u0007e\u2066f\u0085"}],"cores":4,"note":null},"libraries":{"x\u001b":"1"}}' &&
    echo "$cell" && echo "$end"; } >"$work/signs.jsonl"
call report --format json "$work/signs.jsonl"
has_clean_words() {
    jq -e '.runs[0] | .host == {name: "a [2Jb", deep: [{"c d": "e f"}], cores: 4, note: null} and .libraries == {x: "1"}' "$work/out"
}
expect "signs that control a terminal are not in the report for programs" has_clean_words

# A pipe can be read once only.
mkfifo "$work/fifo"
{ echo "$head" && echo "$device" && echo "$cell" && echo "$end"; } >"$work/fifo" &
call report "$work/fifo"
expect "a journal can be read from a pipe" exits 0
: >"$work/fifo" &
call report "$work/fifo"
expect "an empty pipe is reported" says 'fifo is empty: not a bench journal'
wait

finish
