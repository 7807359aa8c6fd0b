#!/usr/bin/env bash
# What a run's figures are held against, on scripted devices: which peaks are measured, what the report makes of them,
# and what happens when one goes wrong or is too low. Prints TAP.
# Usage: peaks.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"
peaks=()

# The usual pair with so little memory that every working set is small, and what a filter of jq makes of it.
script() { # filter
    jq '.devices[].memory = 4e6 | .devices[].by_definition = true | .devices[].upload_rate = 1e10 |
        .devices[].download_rate = 1e10 | '"${1:-.}" "$tests/program/fake/pair.json" >"$work/script.json"
    export BENCH_FAKE=$work/script.json
}
of_journal() { jq -r "$1" "$work/journal.jsonl"; }   # filter
count_of() { of_journal "select($1) | .line" | wc -l; } # filter: lines for which it holds
is_peak='.line == "cell" and .ceiling'
peaks_of() { of_journal "select($is_peak and .device == \"$1\") | \"\(.dtype) \(.shape)\"" | paste -sd' '; } # device
fma=kind=fma,bytes=262144,passes=1,turns=2048
triad() { echo "kind=triad,bytes=$1,passes=$2,turns=0"; } # bytes passes

# --- what is measured, and when
script
fake_run
expect 'a run with its peaks succeeds' exits 0
expect 'a device is held against its arithmetic, its memory, and its memory of the size of the problem' \
    test "$(peaks_of fake:1)" = "f32 ${fma/262144/212992} f32 $(triad 262144 1) f32 $(triad 16384 1)"
expect 'one that works in host memory goes over what a cache may hold many times' \
    test "$(peaks_of fake:0)" = "f32 $fma f32 $(triad 262144 256) f32 $(triad 16384 4096)"
expect 'peaks come after what is held against them' \
    test "$(of_journal 'select(.line == "cell") | .workload' | uniq | paste -sd' ')" = 'multiply peak'
expect 'peaks are compared with no baseline' test "$(count_of "$is_peak and .baseline != \"\"")" -eq 0
expect 'peaks are verified before and after like all else' test "$(count_of '.line == "verify"')" -eq 16
expect 'a peak takes less than the budget of a row' \
    test "$(jq -s 'map(select(.line == "slice" and (.cell | startswith("peak")))) | group_by(.cell) |
        map(map(.elapsed_ns) | add) | max < 7e8' "$work/journal.jsonl")" = true
expect 'the report lists them' prints '^measured peaks$'
expect 'the report lists them by device' prints '^fake:1 *native, 16 KiB *pinned *[0-9.]*'
expect 'the report has no block of each' test "$(grep -c '^peak' "$work/out")" -eq 0
expect 'the report says what share of them a row reaches' prints 'of peak  bound by'
call report --format csv --all-columns "$work/journal.jsonl"
expect 'CSV has all of them as rows' test "$(wc -l <"$work/out")" -eq 9
expect 'CSV says which are peaks of what' test "$(cells_of measures_ceiling)" = \
    'none,none,flops,flops,bandwidth,bandwidth,bandwidth,bandwidth'
expect 'CSV says what binds' test "$(cells_of bound_by)" = 'memory,memory,-,-,-,-,-,-'

fake_run --dtype f16
expect 'a small type runs without any peak' test "$status $(count_of "$is_peak")" = '0 0'
call report --format csv --all-columns "$work/journal.jsonl"
expect 'its rows have no share of one' test "$(cells_of share_of_ceiling)" = '-,-'

# On a terminal of 80 columns, whose lines land in seen.
on_terminal() { # argument of bench...
    python3 - "$bench" "$@" >"$work/seen" <<'PYTHON'
import os, pty, sys

pid, terminal = pty.fork()
if pid == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
try:
    while part := os.read(terminal, 65536):
        sys.stdout.write(part.decode().replace("\r", "\n").replace("\033[K", ""))
except OSError:  # the other end is closed
    pass
os.waitpid(pid, 0)
PYTHON
}
shows() { grep -q -- "$1" "$work/seen"; }
on_terminal run --device fake:1 --workload multiply --size 1000 --budget 200ms --journal "$work/seen.jsonl"
expect 'progress says what is the peak that is measured' shows 'left  peaks: memory, 256 KiB  fake:1  opening'
expect 'progress says which arithmetic is measured' shows 'left  peaks: arithmetic f32  fake:1  '
expect 'progress says which row is measured' shows 'left  multiply f32, n = 1,000  fake:1  '
on_terminal run --device fake:1 --baseline none --no-peaks --workload conv --budget 200ms --journal "$work/conv.jsonl" \
    --size n=1,c=12,h=13,w=14,k=15,r=3,s=3,stride=2,pad=1 --suite quick
expect 'progress shortens the problem, not what is done with it' shows 'left  conv f32, n = 1, c = .*  fake:1  opening'
on_terminal sweep multiply --device fake:0,fake:1 --from 1K --to 2K --points 2 --budget 100ms --journal "$work/sweep.jsonl"
expect 'a sweep says how far it is, and how long it takes' shows '%  about [0-9]* s left  multiply f32, n = 1,000  fake:1  '

fake_run --no-peaks
expect 'they can be left out' test "$(count_of "$is_peak")" -eq 0
expect 'without them no share is known' test "$(grep -c 'of peak\|measured peaks' "$work/out")" -eq 0

fake_run --dtype f32,f64
expect 'each element type has its own arithmetic, once' \
    test "$(of_journal "select($is_peak and .roof == \"flops\" and .device == \"fake:1\") | .dtype" | paste -sd' ')" = 'f32 f64'

rm -f "$work/journal.jsonl"
call run --device fake:1 --baseline none --workload peak --size "$(triad 16384 1)" --budget 1s --journal "$work/journal.jsonl"
expect 'asked for by name they are rows like others' test "$(count_of "$is_peak"),$(count_of '.line == "cell"')" = 0,1
expect 'asked for by name they have a block of their own' prints '^peak'
rm -f "$work/journal.jsonl"
call run --device fake:1 --baseline none --workload peak,multiply --size "$(triad 16384 1)" --size n=1000 --budget 1s \
    --journal "$work/journal.jsonl"
expect 'what is asked for is not measured twice' \
    test "$(of_journal "select(.line == \"cell\" and .roof) | .shape" | grep -c bytes=16384)" -eq 1

# --- a peak that is too low: products by a method that is faster than the device's own loops
fast='.devices[].methods = {openblas: {run: [0.00005]}}'
products=(run --device fake --baseline fake:0 --workload matmul --method openblas --budget 1s --seed 7)
script "$fast"
rm -f "$work/journal.jsonl"
call "${products[@]}" --size m=16,n=16,k=16 --size m=15,n=16,k=16 --journal "$work/journal.jsonl"
expect 'a row above its peak is no failure' exits 0
expect 'a row above its peak has a note with both figures' prints 'the peak of this device: [0-9.]* GB/s; the loop that measures peaks reached [0-9.]*'
expect 'each peak is measured once, after the blocks' \
    test "$(of_journal 'select(.line == "cell") | .workload' | uniq | paste -sd' ')" = 'matmul peak'

# --- a peak that goes wrong
script "$fast | .devices[1].methods.native = {faults: [{call: \"submit\", number: 2, kind: \"crash\"}]}"
rm -f "$work/journal.jsonl"
call "${products[@]}" --size m=16,n=16,k=16 --journal "$work/journal.jsonl"
expect 'a driver that dies of each peak costs no other row' \
    test "$(of_journal 'select(.line == "outcome" and (.cell | startswith("matmul"))) | .status' | paste -sd' ')" = 'ok ok'
expect 'a driver that dies of each peak is exit status 1' exits 1
expect 'a peak that is not there is listed with its reason' prints '^fake:1 *native, f32 *pinned *crashed'
expect 'without a peak no share is known' test "$(call report --format csv --all-columns "$work/journal.jsonl" && cells_of share_of_ceiling | cut -d, -f2)" = '-'

# --- an interrupt
has_peak_slice() { grep -q '"line":"slice".*"peak' "$work/journal.jsonl" 2>/dev/null; }
script "$fast | .devices[1].methods.native = {faults: [{call: \"submit\", number: 9, kind: \"hang\"}]}"
rm -f "$work/journal.jsonl"
"$bench" "${products[@]}" --size m=16,n=16,k=16 --journal "$work/journal.jsonl" >"$work/out" 2>"$work/err" </dev/null &
parent=$!
wait_until has_peak_slice
kill -INT "$parent"
wait "$parent"
status=$?
expect 'interrupted among the peaks the run ends as one' exits 130
expect 'interrupted among the peaks the rows are kept' test "$(count_of '.line == "done" and (.block | startswith("matmul"))')" -eq 1
expect 'interrupted among the peaks the journal has its end' ended_as interrupted

# An array takes a third of the working set, and no more than the device allocates at once.
script '.devices[1] += {memory: 8e9, largest_buffer: 1e5}'
fake_run
expect 'three of the largest arrays are the largest working set' \
    test "$(peaks_of fake:1 | cut -d' ' -f4)" = "$(triad 262144 1)"

# Two multiprocessors of an H100: 16 groups for each are 212992 bytes, and 2 ms of 1.01 TFLOP/s 41,000 turns.
script '.devices[1] += {architecture: "nvidia 9.0", units: 2, clock: 1.98e9, clock_origin: "boost"}'
fake_run
expect 'the multiply-adds of a fast GPU take 2 ms and are whole waves' \
    test "$(peaks_of fake:1 | cut -d' ' -f2)" = kind=fma,bytes=212992,passes=1,turns=65536
finish
