#!/usr/bin/env bash
# The suite that restates a page: each row is timed naively, and measured in rounds; and what the report says
# of the two follows from their figures. On scripted devices. Prints TAP.
# Usage: naive.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

journal=$work/journal.jsonl
export BENCH_FAKE=$tests/program/fake/pair.json
fake_run --suite uhd620
naive='.line == "naive"'
of_naive() { jq -s -r "map(select($naive)) | $1" "$journal"; } # filter
one_line() { tr -s ' \n' ' ' <"$work/out"; }
prints_in_one_line() { one_line | grep -qF -- "$1"; }
prints_no_words() { ! one_line | grep -qF -- "$1"; }

expect 'the suite succeeds' exits 0
expect 'each row is timed in three fresh processes' test "$(of_naive 'group_by(.cell) | map(length) | join(" ")')" = '3 3'
expect 'each process has a number' test "$(of_naive 'map(.process) | unique | join(" ")')" = '0 1 2'
expect 'each is a fresh one: it sees the first of the scripted runs' \
    test "$(of_naive 'map(.run_ns + .fetch_ns) | unique | length')" -le 2
expect 'scripted time counts no pages' test "$(of_naive 'map(.faults) | unique[0]')" = null
expect 'compiling is before the clock' test "$(of_naive 'map(.compile_ns) | max')" -ge 300000000
expect 'the clock covers the run and the fetch' \
    test "$(of_naive 'map(select(.cell | contains("fake/1")))[0] | .alloc_ns + .run_ns + .fetch_ns')" -lt 10000000
expect 'naive timing comes after the rounds, when no other worker is open' test "$(jq -r 'select(.line == "naive" or .line == "slice").line' "$journal" |
    uniq | paste -sd' ')" = 'slice naive'
expect 'the report has the naive time' prints_in_one_line 'timed naively, fake:0 native: 9.76 ms (9.76 ms - 9.76 ms) in 3 processes'
expect 'nothing was published of such a problem' prints_no_words 'PyTorch'
expect 'a first run is compared with a warm one' prints_in_one_line '; 0.97'

# --- other figures, other words
plant() { # filter: over the lines of naive timing
    jq -c "if $naive then $1 else . end" "$journal" >"$work/planted.jsonl"
    call report "$work/planted.jsonl"
}
plant 'if .cell | contains("fake/1") then .run_ns = 1000 | .fetch_ns = 50000000 else . end'
expect 'the factor of the first run is reported' prints_in_one_line '; 25.0 times a warm run'
expect 'a call that returns at once is reported' prints_in_one_line 'run 1.00 us, print 50.0 ms'
plant '.faults = 39063 | .alloc_ns = 90000000'
expect 'pages are reported' prints_in_one_line '; 39063 page faults'
expect 'memory is reported' prints_in_one_line 'allocate 90.0 ms'
plant '.status = "no-memory" | .reason = "2.1 GB asked for" | del(.run_ns, .fetch_ns, .alloc_ns)'
expect 'without a time the outcome is printed' prints_in_one_line 'timed naively, fake:0 native: no-memory'

# --- what was published
jq -c 'if .line == "cell" then .shape = "n=40000000" else . end' "$journal" >"$work/planted.jsonl"
call report "$work/planted.jsonl"
expect 'a claim about the problem is printed' prints_in_one_line 'multiply 40M not this chip: PyTorch with DirectML on a Core i5-8250U'
for format in markdown html; do
    call report --format "$format" "$work/planted.jsonl"
    expect "$format has it, too" prints_in_one_line 'PyTorch with DirectML on a Core i5-8250U'
done
form=
call report "$work/planted.jsonl"
expect 'the brief report has a line for it' prints_in_one_line 'multiply 40M not this chip: PyTorch with DirectML'
expect 'with the naive ratio and the fair one' prints_in_one_line 'Naive here 5.18 (5.18 - 5.18), fair 5.0'
jq -c "if $naive then .alloc_ns = 0 | .fetch_ns = 0 |
    .run_ns = (.process + 1) * (if .cell | contains(\"fake/1\") then 2000000 else 10000000 end) else . end" \
    "$work/planted.jsonl" >"$work/spread.jsonl"
call report "$work/spread.jsonl"
expect 'and its range, of the fastest on one side and the slowest on the other' prints_in_one_line 'Naive here 5.00 (1.67 - 15.0)'
jq -c 'if .line == "device" then .name = "Intel(R) UHD Graphics 620" else . end' "$work/planted.jsonl" >"$work/chip.jsonl"
call report "$work/chip.jsonl"
expect 'on the chip itself it agrees or differs' prints_in_one_line 'multiply 40M differs: PyTorch with DirectML'
form=--full

# --- what fails
faulty finish 1 fail
fake_run --suite uhd620
expect 'a row that failed is not timed naively' test "$(of_naive 'map(select(.cell | contains("fake/1"))) | length')" -eq 0
export BENCH_FAKE=$tests/program/fake/pair.json
fake_run
expect 'other suites do without' test "$(of_naive length)" -eq 0

# --- the published run: what the page said, the naive timing, the fair one and the host's time, on its own machine and
# under the name of the chip that the page names
form=
published=$tests/journals/uhd620.jsonl
call report "$published"
without_faults "$work/out" >"$work/claims"
sed -i '/^journal: /d' "$work/claims"
sed 's/"name":"pthread-[^"]*"/"name":"Intel(R) UHD Graphics 620"/' "$published" >"$work/uhd620.jsonl"
call report "$work/uhd620.jsonl"
sed '/^journal: /d' "$work/out" | cat "$work/claims" - >"$work/both"
mv "$work/both" "$work/out"
expect 'claims are the golden ones, on another chip and on the one that is named' golden claims-uhd620.txt

finish
