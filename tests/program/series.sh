#!/usr/bin/env bash
# Series beside those in turn, on scripted devices: cold runs, and a device by itself. Prints TAP.
# Usage: series.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

export BENCH_FAKE=$work/script.json
script() { jq ".devices[1] += {upload_rate: 1e10, download_rate: 1e10} | ${1:-.}" "$tests/program/fake/pair.json" >"$BENCH_FAKE"; } # filter
lines() { jq -r "$1" "$work/journal.jsonl"; } # filter
count() { lines "select($1) | .line" | wc -l; } # filter

run_for() { # budget option...
    local budget=$1
    shift
    rm -f "$work/journal.jsonl"
    call run --device fake --baseline fake:0 --workload multiply --size n=1000 --seed 7 --budget "$budget" \
        --journal "$work/journal.jsonl" "$@"
}

# --- a first run that was stalled says nothing of later ones
script '.devices[1].run = [4] + [range(5000) | 0.002]'
run_for 300ms
expect 'runs with transfers are measured, however long the first one took' test "$(count '.line == "slice" and .series == "copied"')" -gt 0

# --- cold: caches are emptied before each run
script '.devices[].run = [0.03]'
run_for 1s
expect 'a warm run flushes nothing' no_value_of '.flushes != null or .flush_bytes != null or .cold == true'
looks=$(count '.line == "look"')
expect 'slices that take no time are not delayed by looks at the cores' \
    test "$looks" -le "$(lines 'select(.line == "end").elapsed_ns | 1 + . / 2e7 | floor')"
warm_key=$(lines 'select(.line == "cell").key' | head -1)
run_for 500ms --cold
cp "$work/out" "$work/cold.txt"
expect 'a cold run succeeds' exits 0
expect 'a cold run is named on its rows' test "$(grep -c 'native, cold' "$work/cold.txt")" -ge 2
expect 'its journal says how it was done' test "$(count '.line == "first" and .flush_bytes > 1e6')" -eq 2
expect 'each cell says that it is cold' test "$(count '.line == "cell" and .cold == true')" -eq 2
expect 'the key of a cold cell is another' test "$(lines 'select(.line == "cell").key' | head -1)" = "${warm_key/@//cold@}"
expect 'a cold cell can be asked for again' test "$(count '.line == "cell" and (.repro | test(" --cold( |$)"))')" -eq 2
expect 'there are slices' test "$(count '.line == "slice"')" -gt 4
expect 'each run of a slice was flushed before, the discarded ones too' no_value_of \
    '.line == "slice" and .flushes != .discarded + (.wall_ns + .event_wall_ns | length) + ([.phases // {} | .[] | length] | max // 0)'
expect 'no more than one run of a cold slice is discarded' no_value_of '.line == "slice" and .discarded > 1'
expect 'flushing is no part of a time' no_value_of '.line == "slice" and .series == "resident" and any(.wall_ns[]; . != 30000000)'
expect 'many runs with one wait for all are not measured cold' no_value_of '.series == "queued"'
call report --format csv --all-columns "$work/journal.jsonl"
expect 'CSV says cold' test "$(cells_of cold)" = 1,1
script '.devices[1].run = [0.0005]'
run_for 100ms
expect 'warm and short they are' grep -q '"series":"queued"' "$work/journal.jsonl"
expect 'each run that shares a wait counts as a run' no_value_of \
    '.line == "slice" and .series == "queued" and .runs < 2 * (.wall_ns | length)'
expect 'and has its own part of the time' no_value_of '.line == "slice" and .series == "queued" and any(.wall_ns[]; . > 600000)'
run_for 100ms --cold
expect 'and cold and short they are not' no_value_of '.series == "queued"'

expect 'the flushes have no place in a stretch without a rest' test "$(count '.series == "sustained"')" -eq 0
run_for 300ms --cold --sustained 1s
expect 'cold and sustained contradict each other' exits 2
expect 'cold and sustained are said to contradict each other' says -- '--sustained and --cold: choose one'

# --- runs for the device's own clock, beside those that are timed: one of a slice of one run, and one of eight
script '.devices[].run = [0.25]'
run_for 4s
stamped='.line == "slice" and .series == "resident" and (.cell | endswith("fake/1"))'
expect 'no timed run has time stamps of the device' no_value_of "$stamped and (.event_ns | length) != (.event_wall_ns | length)"
expect 'the first slice has one run for them' test "$(lines "select($stamped) | .event_ns | length" | head -n 1)" -eq 1
expect 'of eight slices of one run one has' test "$(lines "select($stamped) | .event_ns | length" | head -n 9 | paste -sd+ | bc)" -eq 2
expect 'each has a timed run' no_value_of "$stamped and (.wall_ns | length) == 0"
expect 'the time of the device is known' no_value_of "$stamped and any(.event_ns[]?; . == null or . <= 0)"

# --- problems in turn
script '.devices[].run = [0.01, 0.0101, 0.0099]'
rm -f "$work/journal.jsonl"
call run --device fake --baseline fake:0 --workload multiply --size n=1000000 --size n=1000001 --seed 7 --budget 600ms \
    --no-peaks --journal "$work/journal.jsonl"
expect 'two problems are visited twice when they are opened, and then in turn' test \
    "$(lines 'select(.line == "slice") | (.cell | split("/")[2][-1:]) + (.visit | tostring)' | uniq | head -n 8 | paste -sd' ')" = \
    '00 01 10 11 02 12 03 13'
expect 'the baseline comes first in every second visit' test "$(lines 'select(.line == "slice" and (.cell | test("n=1000000/"))) |
    .cell[-1:]' | head -n 8 | tr -d '\n')" = 01011010
expect 'what is measured in turn succeeds' exits 0
expect 'each cell is opened once' test "$(count '.line == "first"')" -eq 4

# --- sustained: each device by itself, after the rounds
alone='.line == "slice" and .series == "sustained"'
script '.devices[].run = [0.01, 0.0101, 0.0099]'
run_for 1s
expect 'nothing is sustained unless it is asked for' test "$(count "$alone")" -eq 0
run_for 1s --sustained 2s
expect 'a sustained run succeeds' exits 0
for device in 0 1; do
    of_device="$alone and (.cell | endswith(\"fake/$device\"))"
    expect "fake:$device is without pauses for as long as asked" \
        test "$(lines "select($of_device) | .elapsed_ns" | awk '{ sum += $1 } END { print (sum >= 1.9e9 && sum < 2.4e9) }')" -eq 1
    expect "fake:$device is given no rest but before the first slice" \
        test "$(lines "select($of_device) | .discarded // 0" | tail -n +2 | sort -u)" = 0
    expect "fake:$device has its event times" test "$(count "$of_device and (.event_ns | length) > 0")" -gt 0
    expect "fake:$device has its last result checked, and no other" \
        test "$(lines "select($of_device) | has(\"check_ns\")" | uniq | tr '\n' ' ')" = 'false true '
    expect "fake:$device says why that ended" test "$(count '.line == "stop" and .series == "sustained" and .reason == "budget"')" -eq 2
done
expect 'one device is by itself after the other, and after all rounds' test \
    "$(lines 'select(.line == "slice") | if .series == "sustained" then .cell[-1:] else "r" end' | uniq | tr -d '\n')" = r01
expect 'turns go on through it' test "$(lines 'select(.line == "slice").number' | sort -nc 2>&1 | wc -l)" -eq 0
expect 'the answer is checked after it' test \
    "$(lines 'select(.line == "verify" and .pass == "after" or .series == "sustained") | .line' | uniq | tail -1)" = verify
call report "$work/journal.jsonl"
expect 'what is the same in turn and alone is said to be' prints 'without pauses for 2.* s a run takes 10.0 ms: no difference from the visits before'
call report --format csv --all-columns "$work/journal.jsonl"
expect 'CSV has the sustained series' test "$(cells_of sustained_stop)" = budget,budget
expect 'CSV has the time of it' test "$(cells_of sustained_slices | tr , '\n' | awk '$1 > 10' | wc -l)" -eq 2
call report --format json "$work/journal.jsonl"
expect 'JSON has the sustained series' test \
    "$(jq '[.runs[].blocks[].cells[].series.sustained.time_s.value] | map(. > 0.0098 and . < 0.0102) | all' "$work/out")" = true
run_for 1s --sustained 2s --memory pageable,pinned
expect 'a device with two rows is by itself in the faster one only' test "$(lines "select($alone) | .cell" | sort -u | wc -l)" -eq 2
# A device that slows down once it has run for so long: the script's times go in a circle of which the rounds see the
# beginning.
script '.devices[1].run = [range(450) | 0.01 + . % 7 * 1e-5] + [range(9999) | 0.015 + . % 7 * 1e-5]'
run_for 1s --sustained 20s
expect 'a device that slows down has a note with the difference' prints 'without pauses for 20.* s a run takes .* ms, [45]. % longer than in the'
script '.devices[1].faults = [{call: "submit", number: 900, kind: "crash"}]'
run_for 300ms --sustained 5s
expect 'a device that dies while it is by itself is crashed' test "$(outcome_of fake:1)" = crashed
expect 'a device that dies while it is by itself leaves the other alone' test "$(outcome_of fake:0)" = ok
script '.devices[1].faults = [{call: "submit", number: 900, kind: "stale"}]'
run_for 300ms --sustained 5s
expect 'a device that stops computing while it is by itself is wrong' test "$(outcome_of fake:1)" = wrong
script '.devices[].run = [0.001]'
rm -f "$work/journal.jsonl"
"$bench" run --no-peaks --device fake --baseline fake:0 --workload multiply --size n=10000 --budget 100ms --sustained 3000s \
    --journal "$work/journal.jsonl" >"$work/out" 2>"$work/err" </dev/null &
parent=$!
is_alone() { grep -q '"series":"sustained"' "$work/journal.jsonl" 2>/dev/null; }
wait_until is_alone
kill -INT "$parent"
wait "$parent"
status=$?
expect 'an interrupt ends a long stretch at once' exits 130
expect 'an interrupt in a long stretch leaves what was measured' test "$(outcome_of fake:0) $(outcome_of fake:1)" = 'ok ok'
expect 'an interrupt in a long stretch leaves a journal with an end' ended_as interrupted

finish
