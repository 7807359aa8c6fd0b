#!/usr/bin/env bash
# Reports of journals as the program writes them: to files, of several runs, in every locale, as wide as it was asked for.
# Usage: report.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"
mixed=$tests/golden/mixed.jsonl
cut=$tests/golden/interrupted.jsonl

longest() { wc -L <"$1"; }
same() { cmp "$work/out" "$1"; }
are_pictures() { [ "$(grep -l '<svg' "$@" | wc -l)" -eq $# ]; }
in_folder() { find "$work/to" -mindepth 1 -printf '%f\n' | sort | paste -sd' '; }

# --- to a file
mkdir "$work/to"
call report "$mixed"
mv "$work/out" "$work/table"
call report "$mixed" -o "$work/to/report.txt"
expect 'a report goes to a file' exits 0
expect 'then nothing is printed' test ! -s "$work/out"
expect 'it is what would have been printed' cmp "$work/table" "$work/to/report.txt"
expect 'nothing else is left' test "$(in_folder)" = report.txt
for name in md csv json html; do
    call report "$mixed" --output "$work/to/report.$name"
    expect "the name of the file chooses the format: $name" exits 0
done
expect 'Markdown looks like it' grep -q '^| device |' "$work/to/report.md"
expect 'CSV looks like it' grep -q '^run,' "$work/to/report.csv"
expect 'JSON looks like it' jq -e . "$work/to/report.json"
expect 'HTML looks like it' grep -q '^<!DOCTYPE html>' "$work/to/report.html"
call report "$mixed" --format table -o "$work/to/odd.md"
expect 'what was asked for counts more' cmp "$work/table" "$work/to/odd.md"
call report "$mixed" -o "$work/to/odd.md"
expect 'an older report is replaced' grep -q '^# ' "$work/to/odd.md"
mapfile -t pictures < <(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$work/to/report.md")
expect 'a page of Markdown has pictures' test "${#pictures[@]}" -gt 0
expect 'they are beside it' are_pictures "${pictures[@]/#/$work/to/}"
call report "$mixed" -o "$work/to/LOUD.MD"
expect 'the case of its letters counts for nothing' grep -q '^# ' "$work/to/LOUD.MD"
for name in report.pdf noext; do
    call report "$mixed" -o "$work/to/$name"
    expect "a name that chooses no format is refused: $name" exits 2
    expect "the message lists the endings that do: $name" \
        says "to/$name: its name does not choose a format; end it in .txt, .md, .csv, .json, .html, or give --format"
    expect "nothing is written: $name" test ! -e "$work/to/$name"
done
call report "$mixed" -f table -o "$work/to/noext"
expect 'with a format any name will do' cmp "$work/table" "$work/to/noext"
ln -s report.txt "$work/to/link.txt"
call report "$cut" -o "$work/to/link.txt"
expect 'a link stays one' test -L "$work/to/link.txt"
expect 'what it leads to is replaced' grep -q 'interrupted' "$work/to/report.txt"

ln -s nowhere "$work/to/dangling.txt"
call report "$cut" -o "$work/to/dangling.txt"
expect 'a link to nothing is refused' eval "exits 2 && says 'dangling.txt is a link to a file that is not there'"

# --- not to a file
rm -rf "$work/to"
mkdir "$work/to"
call report "$mixed" -f table -o "$work/to"
expect 'a folder is no file' says "$work/to is a directory: name a file in it"
expect 'a folder is exit status 2' exits 2
call report "$mixed" -o "$work/nowhere/report.md"
expect 'a missing folder is reported' says 'cannot be written: No such file'
cp "$mixed" "$work/to/journal.jsonl"
ln "$work/to/journal.jsonl" "$work/to/other"
call report "$work/to/journal.jsonl" -f table -o "$work/to/other"
expect 'a journal is never overwritten by its report' says 'is one of the journals'
expect 'the journal is what it was' cmp "$mixed" "$work/to/journal.jsonl"
rm -r "$work/to"
mkdir "$work/to"
echo before >"$work/to/report.txt"
call report "$work/none.jsonl" -o "$work/to/report.txt"
expect 'without a journal there is no report' exits 2
expect 'and what was there stays' test "$(cat "$work/to/report.txt")" = before
(ulimit -f 1 && trap '' XFSZ && "$bench" report "$mixed" -o "$work/to/report.txt" 2>"$work/err")
expect 'a report that does not fit says so' says 'cannot write the report: File too large'
expect 'half a report is none' test "$(cat "$work/to/report.txt")" = before
expect 'nothing is left of it' test "$(in_folder)" = report.txt
call report "$mixed" -f table -o /dev/full
expect 'a full disk is reported' says 'No space left'
expect 'a device stays one' test -c /dev/full

# --- as wide as asked
for width in 60 200; do
    call report "$mixed" --width "$width"
    expect "a report of $width columns has no more" test "$(longest "$work/out")" -le "$width"
done
call report "$mixed" --width 30
expect 'a width that nothing fits into is refused' says "--width: '30' is not a count; give a whole number from 40"
if command -v script >/dev/null; then
    script -qec "stty cols 72; '$bench' report --color never '$mixed'" /dev/null </dev/null | tr -d '\r' >"$work/out" 2>"$work/err"
    expect 'a terminal is filled, and no more' test "$(longest "$work/out")" -gt 60 -a "$(longest "$work/out")" -le 72
else
    tap ok 'a terminal is filled, and no more # SKIP script is not installed'
fi

# --- standard input, and what is no journal
call report "$mixed"
mv "$work/out" "$work/table"
"$bench" report - <"$mixed" >"$work/out" 2>"$work/err"
expect 'a journal may come from standard input' same "$work/table"
cp "$mixed" "$work/in.txt"
exec 9<"$work/in.txt"
"$bench" report - -o "$work/in.txt" <&9 2>"$work/err"
exec 9<&-
expect 'it is not overwritten either' says 'is one of the journals'
call report "$mixed" "$mixed"
expect 'a journal given twice is shown once' same "$work/table"
expect 'and a message says so' says "the same journal as $mixed; it is shown once"
ln "$mixed" "$work/again.jsonl" 2>/dev/null || ln -s "$mixed" "$work/again.jsonl"
call report "$mixed" "$work/again.jsonl"
expect 'by another name, too' says 'again.jsonl: the same journal as'
call report --format json "$mixed"
cp "$work/out" "$work/report.json"
call report "$work/report.json"
expect 'a report is no journal' says 'report.json is a report, not a journal'

# --- sources that gave nothing
absent() { # backend source reason
    jq -nc --arg b "$1" --arg s "$2" --arg r "$3" '{line: "absent", backend: $b, source: $s, status: "unsupported", reason: $r}'
}
{
    head -1 "$mixed"
    jq -nc '{line: "device", id: "opencl:0", key: "k", backend: "opencl", class: "iGPU", name: "n"}'
    absent opencl /etc/OpenCL/vendors/mesa.icd 'Clover: a platform without devices'
    absent cuda '' 'libcuda.so.1 not found'
    absent opencl /etc/OpenCL/vendors/broken.icd 'crashed'
    jq -nc '{line: "end", status: "complete"}'
} >"$work/absent.jsonl"
call report "$work/absent.jsonl" "$mixed"
expect 'what gave no devices is listed with its file' test "$(grep -c '^opencl: absent: .*[.]icd.$' "$work/out")" -eq 2
expect 'an API without devices has its reason' prints '^cuda: absent: libcuda.so.1 not found$'

# --- a page of Markdown begins with the answers
call report --format markdown "$mixed"
expect 'a section has what it is compared with, the table and the answer; the machine comes last' test \
    "$(grep -oE '^- \*\*why|^- \*\*baseline|^\| device|^## Machine' "$work/out" | uniq | sed -n '1,3p;$p' | paste -sd,)" = \
    '- **baseline,| device,- **why,## Machine'

# --- side by side
call report "$mixed" "$cut"
expect 'several journals are one report' exits 0
expect 'each run has a letter' prints '^run B: interrupted.jsonl$'
expect 'its rows have it' prints '^B *cpu '
expect 'its answers have it' prints '^B: '
expect 'what it lacks has it' prints '^B: the run was '
mapfile -t published < <(find "$tests/../results" -name '*.jsonl' | sort)
call report --width 80 "${published[@]}"
awk 'NF > 1' "$work/out" >"$work/lines" # a word that is longer than a line has one to itself
expect 'several machines fit 80 columns' test "$(longest "$work/lines")" -le 80

# --- long names: of more bytes than they have columns, and longer than a label should be
long=$(printf 'é計%.0s' {1..40})
jq -nc --arg long "$long" --arg words "$(printf 'word %.0s' {1..40})" '
    {line: "journal", schema: "bench-journal/3"}, {line: "absent", backend: $words, reason: "r"},
    {line: "absent", backend: $long, reason: "s"},
    {line: "race", block: "x", device: "a\($long)", contenders: [{method: "v", status: "failed", reason: "t"}]},
    {line: "cell", key: "a", block: "x", device: "a\($long)", method: "v", memory: "m", baseline: "a"},
    {line: "slice", cell: "a", series: "resident", turn: 1, wall_ns: [5]},
    {line: "end", status: "complete"}' >"$work/long.jsonl"
for format in table markdown csv json html; do
    call report --format "$format" --width 60 "$work/long.jsonl"
    expect "$format cuts no name within a character" iconv -f UTF-8 -t UTF-16 -o /dev/null "$work/out"
done
call report --width 60 "$work/long.jsonl"
expect 'a long label takes no room from other lines' test "$(grep -c . "$work/out")" -lt 30
expect 'its words are broken into lines' test "$(grep -c 'word word word' "$work/out")" -gt 2

# --- as a code host reads it
if command -v cmark-gfm >/dev/null; then
    # shellcheck disable=SC2016 # these are what must not be expanded
    evil='<img src=x> [a](javascript:b) ![c](d) |e| `f` http://h.org www.x.org a@b.org &lt; **i** # j \| _k_ ~~l~~ [x]: y'
    jq -nc --arg evil "$evil" '
        {line: "journal", schema: "bench-journal/3", started: "2026-11-21", version: $evil, host: {name: $evil}},
        {line: "device", id: "d|<b>", key: "k", backend: "b", class: "dGPU", name: $evil, platform: $evil},
        {line: "absent", backend: $evil, status: "failed", source: $evil, reason: $evil},
        {line: "race", block: "x", device: "d|<b>", for: "resident", rounds: 1,
            contenders: [{method: $evil, kernel_shape: $evil, status: "failed", end: "failed", reason: $evil}]},
        {line: "cell", key: "a", block: "x", device: "d|<b>", workload: $evil, dtype: $evil, shape: $evil,
            method: $evil, memory: $evil, flops: 1, bytes: 1, baseline: "a"},
        {line: "slice", cell: "a", series: "resident", number: 1, wall_ns: [5000]},
        {line: "note", cell: "a", text: $evil}, {line: "note", text: $evil}, {line: "note", text: "- # 1. x"},
        {line: "cell", key: "b", block: "x", device: "d|<b>", workload: $evil, dtype: $evil, shape: $evil,
            method: $evil, memory: $evil, flops: 1, bytes: 1},
        {line: "outcome", cell: "b", status: "failed", where: "w|<x>", reason: $evil},
        {line: "end", status: "<u>|x"}' >"$work/evil.jsonl"
    for journal in "$work/evil.jsonl" "$tests/golden/hostile.jsonl"; do
        call report --format markdown "$journal"
        cmark-gfm -e table -e strikethrough -e autolink -e tasklist --unsafe "$work/out" >"$work/page"
        expect "there is a page of $(basename "$journal")" grep -q '^<table>' "$work/page"
        expect "nothing in it is markup that $(basename "$journal") brought" \
            test "$(grep -cE '<(a|img|script|b|u|em|del|code|input|pre|hr)[ >/]' "$work/page")" -eq 0
        expect "it has one title" test "$(grep -c '<h1>' "$work/page")" -eq 1
    done
else
    tap ok 'nothing that a journal brings is markup # SKIP cmark-gfm is not installed'
fi

# --- a page of two runs: what is said of the second one has its letter
letters() { grep -o "class=\"letter\">$1<" "$work/out" | wc -l; }
call report --format html "$tests/journals/standard.jsonl" "$tests/journals/standard-2.jsonl"
expect 'each line of a page of two runs has the letter of its run' test "$(letters A)" -gt 20 -a "$(letters A)" -eq "$(letters B)"

# --- machines side by side: journals, and lines of their report
while read -r journals line; do
    IFS=, read -ra machines <<<"$journals"
    machines=("${machines[@]/#/$tests/golden/made-}")
    form='' "$bench" report "${machines[@]/%/.jsonl}" --width 100 >"$work/out" 2>"$work/err"
    expect "$journals: ${line//  / }" grep -qF -- "$line" "$work/out"
done <<'END'
uhd620,h200 Side by side       CPU A    CPU B  B against A    GPU A    GPU B  B against A
uhd620,h200   matmul 2048    61.2 ms  13.4 ms         4.6x  74.0 ms   374 us         198x
uhd620,nogpu   matmul 1024   7.90 ms  6.90 ms         1.1x  10.2 ms
uhd620,laptop,nogpu   conv 8x64x56  4.10 ms  3.90 ms  5.70 ms  9.60 ms  1.10 ms
laptop dGPU against iGPU:     matmul 1024 4.5x, matmul 2048 4.3x, conv 8x64x56 3.5x, multiply 40M 3.4x
END
form='' call report "$tests/golden/made-laptop.jsonl" "$cut"
expect 'runs with nothing in common are one below the other' eval "! prints 'Side by side' && prints '^run B'"

# --- everywhere the same
for format in table markdown csv json; do
    call report --format "$format" "$mixed" "$cut"
    mv "$work/out" "$work/first"
    for locale in C.UTF-8 de_DE.UTF-8 tr_TR.UTF-8 ar_EG.UTF-8; do
        env LC_ALL="$locale" TZ=Asia/Tokyo "$bench" report --format "$format" "$mixed" "$cut" >"$work/out" 2>"$work/err"
        expect "$format in $locale and Tokyo has the same bytes" same "$work/first"
    done
done

finish
