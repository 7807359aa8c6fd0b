#!/usr/bin/env bash
# What is published: checked, without what identifies anybody, filed where it belongs and nowhere else, and indexed.
# Uses journals of scripted devices. Prints TAP.
# Usage: publish.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"
shelf=$work/shelf

export BENCH_FAKE=$tests/program/fake/pair.json
fake_run --quiet
cp "$work/journal.jsonl" "$work/scripted.jsonl"
# The same as if a driver had made it.
real='if .line == "device" then .backend = "opencl" else . end |
    if .line == "journal" then .host.name = "Example 9000X" | .host.hypervisor = "" |
        .host.signature = "6-1-2 avx2 4c 8g" | .started = "2026-01-02T03:04:05Z"
    else . end'
as_real() { # filter: the journal with that done to its lines
    jq -c "$real | ${1:-.}" "$work/scripted.jsonl" >"$work/journal.jsonl"
}
fresh() {
    rm -rf "$shelf"
    mkdir "$shelf"
}
publish() { call publish "$work/journal.jsonl" --to "$shelf" "$@"; }
filed() { find "$shelf" -name '*.jsonl' | sort | sed "s|^$shelf/||" | paste -sd' '; }
lacks() { ! "$@"; }
all_of() { (cd "$1" && find . ! -type d | sort | while read -r file; do echo "$file" && cat "$file"; done) | cksum; }

# --- mistakes
fresh
call publish "$work/scripted.jsonl"
expect 'publishing nowhere is a usage error' exits 2
expect 'publishing nowhere names the option' says '--to FOLDER'
call publish "$work/scripted.jsonl" --to "$work/none"
expect 'a folder that is not there is a usage error' exits 2
call publish "$work/none.jsonl" --to "$shelf"
expect 'a journal that is not there is a usage error' exits 2
call publish "$work" --to "$shelf"
expect 'a folder is no journal' says 'is no file'
call publish "$BENCH_FAKE" --to "$shelf"
expect 'a file that is no journal is refused' says 'not a bench journal'
expect 'and nothing was filed' test -z "$(ls "$shelf")"

# --- what is not fit: a filter over the lines, and the message
refuses() { # name filter words
    as_real "$2"
    publish
    expect "$1 is not published" exits 1
    expect "$1: says why" says "$3"
    expect "$1: nothing was filed" test -z "$(ls "$shelf")"
}
as_real 'if .line == "end" then .status = "interrupted" else select(.line != "outcome") end'
publish
expect 'of an interrupted run one thing is said, with the command that completes it' \
    eval "[ \$(wc -l <'$work/err') -eq 2 ] && says \"was interrupted; complete it with 'bench run --resume .*/journal.jsonl', or\""
as_real 'if .line == "cell" then .repro = "bench run" + " --size n=1000" * 30 + " --end" else select(.line != "outcome") end'
publish
expect 'a remedy is not cut' says ' --end$'
cp "$work/scripted.jsonl" "$work/journal.jsonl"
publish
expect 'a scripted device is not published' exits 1
expect 'a scripted device is named' says 'fake:0 is a scripted device'
while IFS='|' read -r name filter words; do
    refuses "$name" "$filter" "$words"
done <<'FLAWS'
a journal without an end|select(.line != "end")|did not reach its end
a run that was interrupted|if .line == "end" then .status = "interrupted" else . end|was interrupted
a cell without an outcome|select(.line != "outcome")|has no outcome; measure it again: bench run
a wrong answer|if .line == "outcome" then .status = "wrong" else . end|ended as wrong.*measure again: bench run
an impossible time|if .line == "outcome" then .status = "impossible" else . end|ended as impossible
a cell that was not verified after|select(.line != "verify" or .pass == "before")|not verified both before and after
a cell that was not verified before|select(.line != "verify" or .pass == "after")|not verified both before and after
a check that proves nothing|if .line == "verify" then .checks[0].weak = true else . end|proves nothing
a verification without a check|if .line == "verify" then .checks = [] else . end|a verification without a check
a count that is impossible|if .line == "verify" then .checks[0].checked = 1e9 else . end|a check compared 1000000000 of
a later version|if .line == "journal" then .version = "99.0.0" else . end|bench 99.0.0 wrote it
a version that is none|if .line == "journal" then .version = "mine" else . end|bench mine wrote it
a run of noise|select(.line != "slice" or .number < 12)|all 2 measured cells have an interval above
no cells|select(.line == "journal" or .line == "device" or .line == "end")|no measured cell
FLAWS
refuses 'a crash, with the key of its cell' 'if .line == "outcome" then .status = "crashed" else . end' \
    'multiply/f32/n=1000/native/[a-z]*@fake/0 ended as crashed'
as_real
head -c -40 "$work/journal.jsonl" >"$work/cut" && mv "$work/cut" "$work/journal.jsonl"
publish
expect 'a journal that was cut off is not published' says 'cut off'
as_real
sed -i '5s/^/x/' "$work/journal.jsonl"
publish
expect 'a journal with a bad line is not published' says 'could not be read.*line 5'
as_real
call publish "$work/journal.jsonl" "$work/scripted.jsonl" --to "$shelf"
expect 'of two journals none is published where one is not fit' test -z "$(ls "$shelf")"

# --- what a driver, the system or a user may have written
name=lovelace
as_real "$(sed "s/NAME/$name/g" <<'FILTER'
if .line == "journal" then .command = ["/home/NAME/src/build/bench", "run", "--output", "/home/NAME/x.jsonl"] |
    .options.output = "/home/NAME/x.jsonl" | .host.kernel = "6.1.0-NAME" | .owner = "NAME"
elif .line == "device" then .source = "/home/NAME/icd/a.icd" | .note = "on 10.1.2.3, 00:1a:2b:3c:4d:5e" |
    .libraries = [{name: "cuDNN", version: "9.10.2.21", path: "/home/NAME/venv/libcudnn.so.9", trouble: "NAME"}]
elif .line == "outcome" then .log = "NAME was here" | .reason = "mail NAME@example.org" | .where = "NAME" else . end |
if .line == "end" then {line: "note", cell: "", text: "see ~/bench, NAME"}, {line: "diary", text: "NAME"}, . else . end
FILTER
)"
cp "$work/journal.jsonl" "$work/personal.jsonl"
expect 'there is something to leave out' test "$(grep -c "$name" "$work/journal.jsonl")" -gt 4
publish --dry-run
expect 'a dry run succeeds' exits 0
expect 'a dry run shows where it would be filed' prints 'would be filed as .*/example-9000x-6-1-2-avx2-4c-8g-fake-gpu/2026-01-02-custom.jsonl'
expect 'a dry run says what is left out' prints 'without the command, the time of day, names of files'
expect 'a dry run writes nothing' test -z "$(ls "$shelf")"
publish
expect 'it is published' exits 0
expect 'it is filed by machine, day and suite' test "$(filed)" = example-9000x-6-1-2-avx2-4c-8g-fake-gpu/2026-01-02-custom.jsonl
place=$shelf/$(filed)
expect 'no name is left in any file' lacks grep -rqE "$name|03:04|10\.1\.2\.3|00:1a|example\.org|diary" "$shelf"
expect 'nor that of this machine or its user' lacks grep -rqwF -e "/$(id -un)" -e "$work" "$shelf"
expect 'the day is left' grep -q '"started":"2026-01-02"' "$place"
members() { jq -c '. as $line | paths(type != "string") | map(numbers |= "[]") | [$line.line] + .' "$1" | sort -u; } # journal
expect 'no number is lost' diff <(members "$work/personal.jsonl" | grep -v 'diary\|owner') <(members "$place")
figures() { # report: without columns of texts that are left out
    python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
for row in rows: print([v[:10] if k == "started" else v for k, v in row.items() if k not in ("reason", "where")])' "$1"
}
for journal in personal.jsonl published.jsonl; do
    [ $journal = personal.jsonl ] || cp "$place" "$work/$journal"
    call report --format csv --all-columns "$work/$journal"
    cp "$work/out" "$work/$journal.csv"
done
expect 'every figure is that of the journal' diff <(figures "$work/personal.jsonl.csv") <(figures "$work/published.jsonl.csv")
expect 'the reports lie beside it' cmp -s <("$bench" report "$place") "${place%.jsonl}.txt"

# --- the same again, and another run
all_of "$shelf" >"$work/once"
publish
expect 'the same journal is filed once' test "$(filed)" = example-9000x-6-1-2-avx2-4c-8g-fake-gpu/2026-01-02-custom.jsonl
expect 'and reported as filed already' prints 'is filed already, as'
call publish "$place" --to "$shelf"
expect 'what is published is published as it is' prints 'is filed already, as'
call publish --to "$shelf"
expect 'the index is reported' prints '^index of 1 run$'
expect 'nothing has changed' cmp -s "$work/once" <(all_of "$shelf")
rm "$shelf/index.md"
call publish --to "$shelf"
expect 'an index that is gone is written again' test -f "$shelf/index.md"
as_real 'if .line == "journal" then .seed = "8" else . end'
publish
expect 'another run of the day gets a number' test -f "${place%.jsonl}-2.jsonl"
expect 'and overwrites nothing' test "$(filed | wc -w)" -eq 2
as_real 'if .line == "journal" then .host.name = "../../../etc/\u001b[31m" + ("x" * 1000) else . end'
publish
expect 'a machine of a hostile name is filed within the folder' test "$(find "$shelf" -mindepth 1 -maxdepth 1 -type d | wc -l)" -eq 2
expect 'and only there' test ! -e "$work/etc"
as_real 'if .line == "journal" then .host.name = "| <script>alert(1)</script> [x](javascript:x) @somebody https://example.org www.example.org" | .options.suite = "../x" else . end'
publish --name odd-1.0
expect 'a name that is given counts' test -f "$shelf/odd-1.0/2026-01-02-custom.jsonl"
expect 'names are no markup in the index' lacks grep -qE '[^\](<script|\[x)|\| \|' "$shelf/index.md"
expect 'a person is not mentioned, and bare links are none' lacks grep -qE '@somebody|https://|www\.' "$shelf/index.md"
for name in ../x /x '' . .. .x -x a/b "$(printf 'x%.0s' {1..100})" $'a\nb'; do
    publish --name="$name"
    shown=${name:0:8}
    expect "the name '${shown//$'\n'/ }' is refused" exits 2
done

# --- the index
expect 'the matrix has a column for the problem' grep -q '^| device | beside | latest run | multiply 1000 |' "$shelf/index.md"
expect 'it has the CPU and the GPU of each machine' test "$(grep -c '^| \[.*/) | .* | \[2026-01-02\](.*/s' "$shelf/index.md")" -eq 6
expect 'a GPU has its speed-up' grep -q '^| \[.*/s<br>5\.0[0-9]*x, [0-9.]*x |$' "$shelf/index.md"
expect 'a machine has each of its runs' \
    test "$(grep -c '^  - \[2026-01-02-custom.*(example-9000x-6-1-2-avx2-4c-8g-fake-gpu/' "$shelf/index.md")" -eq 2
expect 'who has another device reads how to send its figures' grep -q '^Your device is not here?' "$shelf/index.md"
echo 'My own page.' >"$shelf/README.md"
call publish --to "$shelf"
expect 'a page of your own is left alone' test "$(cat "$shelf/README.md")" = 'My own page.'
rm "$shelf/README.md"

# --- links, full disks, damaged files
fresh
as_real
mkdir "$work/elsewhere"
ln -s "$work/elsewhere" "$shelf/example-9000x-6-1-2-avx2-4c-8g-fake-gpu"
publish
expect 'a link in the place of the machine is not followed' test -z "$(ls "$work/elsewhere")"
expect 'a link in the place of the machine is refused' says 'a link to one'
fresh
mkdir "$shelf/example-9000x-6-1-2-avx2-4c-8g-fake-gpu"
ln -s "$work/target" "$shelf/example-9000x-6-1-2-avx2-4c-8g-fake-gpu/2026-01-02-custom.jsonl"
publish
expect 'a link in the place of the journal is not followed' test ! -e "$work/target"
fresh
publish
ln -s /dev/zero "$shelf/example-9000x-6-1-2-avx2-4c-8g-fake-gpu/z.jsonl"
publish
expect 'a journal that is a link among those filed is refused' says 'is not a regular file'
fresh
publish
cp "$work/journal.jsonl" "$shelf/example-9000x-6-1-2-avx2-4c-8g-fake-gpu/raw.jsonl"
call publish --to "$shelf"
expect 'a journal that was copied among those filed is named' says 'raw.jsonl was not filed by publish'
rm "$shelf/example-9000x-6-1-2-avx2-4c-8g-fake-gpu/raw.jsonl"
rm "$shelf/index.md"
ln -s "$work/target" "$shelf/index.md"
call publish --to "$shelf"
expect 'a link in the place of the index is not followed' test ! -e "$work/target"
fresh
(trap '' XFSZ && ulimit -f 1 && publish && echo "$status" >"$work/status") # KiB
expect 'a full disk is reported' says 'File too large\|could not be written'
expect 'a disk that is full leaves nothing behind' test -z "$(find "$shelf" -type f)"
fresh
call_on_full_disk publish "$work/journal.jsonl" --to "$shelf"
expect 'a standard output that is full is exit status 1' exits 1
printf '{"line":"slice"' >>"$shelf/example-9000x-6-1-2-avx2-4c-8g-fake-gpu/2026-01-02-custom.jsonl"
call publish --to "$shelf"
expect 'a damaged journal among those filed is named' says '2026-01-02-custom.jsonl is damaged'
expect 'no draft is left anywhere' test -z "$(find "$shelf" -name '.draft*')"

# --- what is published in this repository
cp -r "$tests/../results" "$work/published"
call publish --to "$work/published"
expect 'the published journals can be rendered' exits 0
expect 'reports and index are those that bench publish makes: bench publish --to results' \
    diff -r "$tests/../results" "$work/published"
for journal in "$tests"/../results/*/*.jsonl; do
    call publish "$journal" --to "$work/published" --name "$(basename "$(dirname "$journal")")"
    expect "$(basename "$(dirname "$journal")")/$(basename "$journal") passes all checks, and nothing is left to take out" prints 'is filed already, as'
done
finish
