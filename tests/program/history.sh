#!/usr/bin/env bash
# The runs in the default folder: list, last, clean; and what a run writes where: its report, its journal, its messages.
# Usage: history.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"
export BENCH_FAKE=$tests/program/fake/pair.json
folder=$XDG_STATE_HOME/bench

kept() { find "$folder" -name '*.jsonl' -printf x | wc -c; }
measure() { call run --device fake --baseline fake:0 --workload multiply --size n="$1" --budget 0.5s --quiet "${@:2}"; }
newest() { jq -r '.[0].path' "$work/out"; }

# --- nothing there yet
call report
expect 'without a run there is no report' eval "exits 2 && says \"last: there is no run in $folder; start with 'bench run'\""
call list
expect 'an empty list says where runs go' eval "exits 0 && prints 'no run in $folder yet'"
call list --format json
expect 'an empty list is JSON too' test "$(jq length "$work/out")" = 0
call clean
expect 'there is nothing to remove' eval "exits 0 && prints '^0 runs removed, 0 kept in $folder$'"

# --- list
for size in 1000 2000 3000; do measure "$size"; done
call sweep multiply --device fake:0,fake:1 --from 1000 --to 2000 --points 2 --budget 0.2s --quiet
call list
expect 'each run is a line below the titles' test "$(wc -l <"$work/out")" -eq 5
expect 'the titles name the columns' prints '^started  *suite  *machine  *devices  *outcome  *path$'
expect 'a line has the date, what was measured, devices, outcome and path' \
    prints "^20[0-9-]* [0-9:]* UTC  *multiply n=3000  *.*  fake:0, fake:1  complete  *$folder/.*jsonl$"
expect 'the newest is first' eval "sed -n 2p '$work/out' | grep -q 'sweep multiply'"
call list --format json
expect 'the list is JSON' eval "is_json && [ \$(jq length '$work/out') = 4 ]"
expect 'with the same members' test "$(jq -r '.[0] | keys | join(" ")' "$work/out")" = 'devices machine outcome path started suite'
expect 'no log is beside a journal whose drivers printed nothing' test -z "$(find "$folder" -name '*.log')"
run=$(jq -r '.[1].path' "$work/out")
old=$folder/20200101T000000Z-2.jsonl
for names in '["matmul"] ["2048","4096"]' '["matmul","conv"] []' '["add",7] [null,"9"]' '[] []'; do
    jq -c --argjson workload "${names% *}" --argjson size "${names#* }" \
        'if .line == "journal" then .options += {$workload, $size} else . end' "$run" >"$old"
    call list --format json
    jq -r '.[] | select(.path | test("20200101")).suite' "$work/out"
done >"$work/names"
call list --format json
expect 'a file that was changed later keeps its place' test "$(jq -r '.[4].path' "$work/out")" = "$old"
rm "$old"
expect 'a run has the name of what the user chose, or of its suite' test "$(paste -sd/ "$work/names")" = 'matmul 2048, 4096/matmul, conv/add 9/standard'
cp "$folder/$(basename "$(newest)")" "$folder/mine.jsonl"
call list --format json
expect 'a journal of another name is not listed' test "$(jq length "$work/out")" = 4

# --- last
call report
expect 'without a FILE the newest run is reported' eval "exits 0 && prints_words 'fake:1'"
cp "$work/out" "$work/newest"
call report last
expect 'its name is last' cmp "$work/newest" "$work/out"
echo 'no journal' >"$folder/20260101T000000Z-1.jsonl"
: >"$folder/20260101T000000Z-2.jsonl"
call report last
expect 'what is no journal is not last' cmp "$work/newest" "$work/out"
call list --format json
expect 'nor listed' test "$(jq -r '.[].outcome' "$work/out" | sort -u | xargs)" = complete
rm "$folder"/20260101T000000Z-?.jsonl
"$bench" sweep --resume last --quiet --full >"$work/out" 2>"$work/err"; status=$?
expect 'a run to resume may be called last' eval "exits 0 && cmp '$work/newest' '$work/out'"
call report last~1 --format json
expect 'the one before is last~1' prints 'n=3000'
call report last~3 --format json
expect 'and so on' prints 'n=1000'
call report last~4
expect 'there are no more' eval "exits 2 && says \"last~4: $folder has 4 runs; 'bench list' shows them\""
for word in x -1 1.5 ''; do
    call report "last~$word"
    expect "what is no number is refused: last~$word" eval "exits 2 && says \"last~$word: write last for the newest run, last~1\""
done
call compare last~1 last
expect 'runs are compared by these names' eval "says 'nothing' || prints '^[0-9]* cell'"
(cd "$work" && cp "$tests/golden/mixed.jsonl" last && "$bench" report last) >"$work/out" 2>"$work/err"
expect 'a file of that name counts more' prints 'opencl:1'

# --- outcomes
call list --format json
sed '$s/"status":"complete"/&,"failed":2/' "$(newest)" >"$folder/20200101T000000Z-1.jsonl"
call list --format json
expect 'what went wrong is counted' \
    test "$(jq -r '.[] | select(.path | test("20200101")).outcome' "$work/out")" = 'complete, 2 failed'
sed '$d' "$(newest)" >"$folder/20200101T000000Z-1.jsonl"
call list --format json
expect 'a journal without its last line is broken off' \
    test "$(jq -r '.[] | select(.path | test("20200101")).outcome' "$work/out")" = 'broken off'
exec 9<"$folder/20200101T000000Z-1.jsonl"
flock 9
call list --format json
expect 'one that is being written is running' test "$(jq -r '.[] | select(.path | test("20200101")).outcome' "$work/out")" = running
call report "$folder/20200101T000000Z-1.jsonl"
expect 'its report says so' says 'is still running; this is what it has measured so far'
call fleet "$folder/20200101T000000Z-1.jsonl"
expect 'so does a fleet' prints_words 'goes on:'
mkdir "$work/shelf"
call publish "$folder/20200101T000000Z-1.jsonl" --to "$work/shelf"
expect 'it is not published' says 'still running; publish it once it has ended'
call clean --keep 0 --dry-run
expect 'what is running is not removed' eval "prints '^4 runs would be removed, 1 kept' && ! prints 20200101"
exec 9<&-

# --- clean
mkdir "$folder/20200101T000000Z-1.jsonl.log"
echo hello >"$folder/20200101T000000Z-1.jsonl.log/fake-1.txt"
call clean --keep 2 --dry-run
expect 'a dry run removes nothing' eval "prints '^3 runs would be removed, 2 kept' && [ $(kept) = 6 ]"
call clean --keep 2
expect 'all but the newest are removed' eval "exits 0 && prints '^3 runs removed, 2 kept in ' && [ \$(kept) = 3 ]"
expect 'with the logs of their drivers' test ! -e "$folder/20200101T000000Z-1.jsonl.log"
expect 'a journal of another name stays' test -e "$folder/mine.jsonl"
call report --format json
expect 'the newest is still there' prints multiply
call clean --keep many
expect 'a count is needed' eval "exits 2 && says \"--keep: 'many' is not a count\""

# --- what a run writes where
cd "$work" || exit 1
measure 1000 -o "$work/report.html"
expect 'the report of a run goes to a file, in the format of its name' grep -q '^<!DOCTYPE html>' "$work/report.html"
expect 'and is on the screen as a table' prints '^fake:1 '
expect 'the journal is in the default folder' test "$(kept)" = 4
measure 1000 -o "$work/report" --format csv --journal "$work/j.jsonl"
expect 'CSV has the most important columns' test "$(head -1 "$work/report" | tr -cd , | wc -c)" -lt 26
measure 1000 -o "$work/report" --format csv --all-columns
expect 'or all of them' test "$(head -1 "$work/report" | tr -cd , | wc -c)" -gt 100
measure 1000 -o - --format csv
expect 'a dash is standard output' prints '^run,machine,'
expect 'and no file' test ! -e "$work/-"
before=$(kept)
measure 1000 -o "$work/none.pdf"
expect 'a name that chooses no format is refused before anything is measured' \
    eval "exits 2 && says 'end it in .txt, .md, .csv, .json, .html' && [ $before = \$(kept) ]"
measure 1000 --journal "$work/same" --format csv -o "$work/same"
expect 'a report does not replace its journal' eval "exits 2 && says 'is one of the journals'"
SLURMD_NODENAME=n1 measure 1000 --journal "$work/{host}.jsonl" --format csv -o "$work/n1.jsonl"
expect 'nor one whose name has a placeholder' eval "exits 2 && says 'is one of the journals'"
expect 'and no file of either is left' test ! -e "$work/same" -a ! -e "$work/n1.jsonl"
measure 1000 -o "$work/nowhere/report.html"
expect 'a report that cannot be written is found before anything is measured' eval "exits 2 && says nowhere"
"$bench" run --resume "$work/j.jsonl" -q -o "$work/resumed.md" >"$work/out" 2>"$work/err"
expect 'a complete run that is resumed is reported to a file, too' grep -q '^# ' "$work/resumed.md"

# --- what an option leaves out is said
call run --device fake --baseline fake:0 --size n=1000 --budget 0.2s --journal "$work/left.jsonl"
expect 'workloads that --size leaves out are named' \
    says '^not measured: matmul, conv, train, transfer, overlap, peak: left out by --size$'
expect 'in the report, too' grep -q 'overlap, peak: left out by --size' "$work/left.jsonl"
call run --device fake --baseline fake:0 --size 64 --budget 0.2s --workload matmul --journal "$work/square.jsonl"
expect 'a bare number is a square product' test "$(jq -r 'select(.line == "cell").shape' "$work/square.jsonl" | sort -u)" = m=64,n=64,k=64
expect 'where nothing is left out nothing is said' eval '! says "left out"'
call run --device fake --baseline fake:0 --workload multiply --size 1e3 --budget 0.2s --quiet --journal "$work/exp.jsonl"
expect 'a size may have a power of ten' test "$(jq -r 'select(.line == "cell").shape' "$work/exp.jsonl" | sort -u)" = n=1000
call run --device fake --workload peak --size triad
expect 'a word is not called a number' eval "exits 2 && says 'triad needs a name, one of kind, bytes'"
call run --device fake --workload conv --size 7
expect 'a number alone is no convolution' eval "exits 2 && says '7 needs a name, one of n, c, h'"
for size in 1e30 -5 many; do
    call run --device fake --workload matmul --size "$size"
    expect "$size is no size of a square product" eval "exits 2 && says 'must be a whole number from 1 to [0-9]*.*, not .$size.'"
done
call run --device fake --workload matmul --size 64x32
expect 'two numbers are no square product' eval "exits 2 && says '64x32: write for example m=.*one number for a square matmul'"
form='' call run --device fake:0 --workload multiply --size 1T --budget 0.1s --no-peaks --journal "$work/alone.jsonl"
expect 'a baseline that is alone is compared with nothing' \
    eval "prints '^No GPU was measured.\$' && prints 'worth it?  Not known' && ! prints 'same CPU'"
expect 'a report leads to its journal, which is not the newest of the folder' \
    eval "prints 'bench report FILE --full' && prints \"^journal: *$work/alone.jsonl\$\""
call run --device fake --workload gemm
expect 'a word that others use leads to ours' says "did you mean 'matmul'?"
call run --device fake --dtype double
expect 'of types as well' says "did you mean 'f64'?"

# --- earlier runs of the same row
for _ in 1 2 3 4; do measure 5000 --size 6000; done
call list --format json
earlier() { jq -s "map(select(.line == \"earlier\")) | $1" "$(jq -r ".[$2].path" "$work/out")"; }
expect 'with three earlier runs each row has the range of its speed-up' \
    test "$(earlier 'map([.runs, .low <= .median and .median <= .high]) | unique | tojson' 0)" = '"[[3,true]]"'
expect 'with two it has none' test "$(earlier length 1)" = 0
call report --full "$(newest)"
expect 'the full report has it beside the row' prints_words 'in 3 earlier runs'

# A run of another machine, program or driver is none of them; what is left as it is counts.
call list --format json
mapfile -t runs < <(jq -r '.[0:4][].path' "$work/out")
for change in \
    '.line == "journal" then .host.name = "other"' '.line == "journal" then .host.signature = "other"' \
    '.line == "journal" then .version = "other"' '.line == "journal" then .libraries = ["other"]' \
    '.line == "journal" then .host.worker_threads = 99' '.line == "journal" then .host.places = "other"' \
    '.line == "journal" then .options.baseline = "other"' '.line == "end" then .status = "interrupted"' \
    '.line == "device" then .driver_version = "other"' 'false then .'; do
    mkdir "$work/as-they-were"
    cp "${runs[@]}" "$work/as-they-were"
    for run in "${runs[@]}"; do jq -c "if $change else . end" "$work/as-they-were/${run##*/}" >"$run"; done
    measure 5000 --size 6000
    call list --format json
    [ "$change" = 'false then .' ] && counted='!= 0' || counted='= 0'
    expect "earlier runs, where $change" eval "test '$(earlier length 0)' $counted"
    rm "$(newest)"
    mv "$work/as-they-were"/* "$folder" && rmdir "$work/as-they-were"
done

# --- lists as JSON
call devices --device fake --format json
expect 'devices are JSON' test "$(jq -r '.devices | map(.id) | join(",")' "$work/out")" = fake:0,fake:1
call workloads --format json
expect 'workloads are JSON' test "$(jq -r '.[] | select(.name == "matmul") | .dims[0].name' "$work/out")" = m
expect 'with their methods' test "$(jq -r '.[] | select(.name == "matmul") | .methods | map(.name) | index("openblas") != null' "$work/out")" = true
call workloads matmul
expect 'one workload is listed by its name' eval "exits 0 && prints '^matmul: ' && ! prints '^multiply: '"
call workloads matmul conv --format json
expect 'or several' test "$(jq -r 'map(.name) | join(" ")' "$work/out")" = 'matmul conv'
call workloads gemm
expect 'one that there is not leads to those there are' eval "exits 2 && says \"workloads: .*gemm.* is not a workload.*matmul\""

finish
