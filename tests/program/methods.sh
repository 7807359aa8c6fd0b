#!/usr/bin/env bash
# Which method is measured, on scripted devices: all race, one of the fastest is measured, and whatever goes wrong costs
# the method it happened to. Prints TAP.
# Usage: methods.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

# Times of both devices' methods, and what a filter of jq makes of them. Methods that are not named here are slow.
methods() { # filter
    jq '.devices[].run = [0.05] | .devices[0].methods = {native: {run: [0.02]}, onednn: {run: [0.009]}, openblas: {run: [0.008]}} |
        .devices[1].methods = {native: {run: [0.005]}, onednn: {run: [0.002]}, openblas: {run: [0.003]}} |
        .devices[0].upload_rate = 1e10 | .devices[1].upload_rate = 1e10 | .devices[1].download_rate = 1e10 |
        '"${1:-.}" "$tests/program/fake/pair.json" >"$work/script.json"
    export BENCH_FAKE=$work/script.json
}
fault() { # device method call number kind: as a filter
    echo ".devices[$1].methods[\"$2\"].faults = [{call: \"$3\", number: $4, kind: \"$5\"}]"
}

arguments=(run --device fake --baseline fake:0 --workload matmul --budget 1s --seed 7 --no-ceilings)
measure_of() { # size option...
    rm -f "$work/journal.jsonl"
    call "${arguments[@]}" --journal "$work/journal.jsonl" --size "$@"
}
measure() { measure_of m=16,n=16,k=16 "$@"; }

lines() { jq -r "$1" "$work/journal.jsonl"; } # filter
rows_of() { # device: "method outcome, ..." in the order of the report
    lines "select(.line == \"cell\" and .device == \"$1\") | \"\(.method) \(.key)\"" |
        while read -r method key; do
            echo "$method $(lines "select(.line == \"outcome\" and .cell == \"$key\") | .status")"
        done | paste -sd, | sed 's/,/, /g'
}
contender_of() { # device method member: its value in each race for data that stay
    lines "select(.line == \"race\" and .for == \"resident\" and .device == \"$1\") | .contenders[] |
        select(.method == \"$2\") | $3" | paste -sd,
}
ended() { # device method: how each race ended for it
    contender_of "$1" "$2" '"\(.end) \(.status)"'
}
raced_on() { # device: how many methods
    lines "select(.line == \"race\" and .device == \"$1\") | .contenders[].method" | sort -u | wc -l
}
compared_with() { # method: each row, by the report
    call report --format csv --all-columns "$work/journal.jsonl"
    test "$(cells_of baseline | tr , '\n' | grep -o "/$1/" | wc -l)" -eq "$(($(wc -l <"$work/out") - 1))"
}
# Methods of the CPU, and so of the fakes; gemv is for few columns or rows.
made=$("$bench" workloads | sed -n '/^matmul/,/^conv/p' | grep -v 'gemv' | grep -c '(.*cpu.*)$')
rows() { lines 'select(.line == "cell") | .key' | wc -l; }

# --- the fastest is measured
methods
measure
expect 'methods race: the run succeeds' exits 0
expect 'methods race: each once on each device' test "$(lines 'select(.line == "race") | .contenders[].method' | wc -l)" -eq $((2 * made))
expect 'methods race: the fastest of the CPU is measured' test "$(rows_of fake:0)" = 'openblas ok'
expect 'methods race: the fastest of the other device is measured' test "$(rows_of fake:1)" = 'onednn ok'
expect 'methods race: a loser is recorded with its time' test "$(contender_of fake:0 onednn .wall_ns)" = 9000000
expect 'methods race: a loser is recorded with its first run' test "$(contender_of fake:1 openblas '.first_ns > 300000000')" = true
expect 'methods race: the strongest of the CPU is the baseline' compared_with openblas
cp "$work/journal.jsonl" "$work/whole.jsonl"
last=$(grep -n '"line": *"race"' "$work/whole.jsonl" | tail -1 | cut -d: -f1)
for kept in "$last" "$((last - 1))"; do
    head -n "$kept" "$work/whole.jsonl" >"$work/cut.jsonl"
    for format in table csv json; do
        call report --format "$format" "$work/cut.jsonl"
        expect "a journal cut off while methods race is reported as $format ($((last - kept)) missing)" exits 0
    done
done
measure --memory pinned,pageable
expect 'two kinds of memory are two rows of one method' test "$(rows_of fake:1)" = 'onednn ok, onednn ok'
expect 'two kinds of memory have one choice' test "$(ended fake:1 openblas)" = 'slower ok,passed-over too-slow'

# --- one that is faster than its device can be: 8,192 FLOP in 2 ms, where 3.2 MFLOP/s are the most
methods '.devices[1] += {architecture: "intel gen9", units: 1, max_clock: 2e5, max_clock_is_limit: true}'
measure
expect 'an impossible method gives its row to the next best' test "$(rows_of fake:1)" = 'openblas ok'
expect 'an impossible method is recorded with both numbers' \
    grep -q '^4.10 MFLOP/s, but 1 EU .* make at most 3.20 MFLOP/s$' <<<"$(contender_of fake:1 onednn .reason)"
expect 'an impossible method costs itself alone' exits 0

# Every time a worker has come so far its clock stumbles once: in the trial, and before anything is measured.
slow='.devices[1] += {architecture: "intel gen9", units: 1, max_clock: 2e5, max_clock_is_limit: true}'
stumbles() { # number time: of all runs of a method that is just possible, the one with this number takes another time
    methods "$slow | .devices[1].methods.openblas.run = [0.0028] |
        .devices[1].methods.onednn.run = [range(3000) | if . == $1 then $2 else 0.0027 end]"
    measure
}
while read -r at time; do
    stumbles "$at" "$time"
    expect "a method is not condemned by one run of $time s, its number $at" test "$(rows_of fake:1)" = 'onednn ok'
    expect "nor does that make it faster (number $at)" test "$(contender_of fake:1 onednn .wall_ns)" = 2700000
done <<'END'
0 0
8 0
8 -0.001
8 0.0001
END
methods "$slow | .devices[1].methods.onednn.run = [range(3000) | if . > 4 then 0.0001 else 0.0027 end]"
measure
expect 'a method whose runs become impossible is condemned' test "$(rows_of fake:1); $(ended fake:1 onednn)" = 'openblas ok; failed impossible'

# --- those that cannot take part
methods "$(fault 1 onednn prepare 1 unsupported)"
measure
expect 'an unsupported method is no row' test "$(rows_of fake:1)" = 'openblas ok'
expect 'an unsupported method is recorded' test "$(ended fake:1 onednn)" = 'passed-over unsupported'
expect 'an unsupported method is nothing bad' exits 0
methods "$(fault 1 onednn upload 1 no-memory)"
measure
expect 'a method without memory is no row' test "$(rows_of fake:1)" = 'openblas ok'
expect 'a method without memory is recorded' test "$(ended fake:1 onednn)" = 'passed-over no-memory'
methods '.devices[1].faults = [{call: "prepare", number: 1, kind: "unsupported"}]'
measure
expect 'a device without any method is one row' test "$(rows_of fake:1 | sed 's/^[a-z0-9-]* //')" = unsupported
expect 'a device without any method is nothing bad' exits 0

# --- those that go wrong
while read -r call_name call_number kind status_wanted; do
    methods "$(fault 1 openblas "$call_name" "$call_number" "$kind")"
    measure --timeout 200ms
    ended_wanted="failed $status_wanted"
    test "$kind" != wrong || ended_wanted='slower ok' # what is not measured is not verified
    expect "a loser with $kind in $call_name is no row" test "$(rows_of fake:1); $(ended fake:1 openblas)" = "onednn ok; $ended_wanted"
    expect "a loser with $kind in $call_name costs itself alone" exits 0
    methods "$(fault 1 onednn "$call_name" "$call_number" "$kind")"
    measure --timeout 200ms
    expect "a favourite with $kind in $call_name gives way" test "$(rows_of fake:1); $(ended fake:1 onednn)" = "openblas ok; failed $status_wanted"
    methods "$(fault 0 openblas "$call_name" "$call_number" "$kind")"
    measure --timeout 200ms
    expect "a baseline with $kind in $call_name gives way" compared_with onednn
done <<'END'
prepare 1 fail failed
submit 1 crash crashed
submit 2 crash crashed
submit 3 hang timeout
submit 1 wrong wrong
submit 9 crash crashed
END
methods "$(fault 1 onednn prepare 1 hang)"
measure --timeout 500ms
expect 'a method that hangs while it opens gives way' test "$(rows_of fake:1); $(ended fake:1 onednn)" = 'openblas ok; failed timeout'
expect 'the deadline to open a method is four times as long' test "$(contender_of fake:1 onednn .reason)" = 'no reply within 2.00 s during the preparation of the method (--timeout gives more)'
methods '.devices[1].faults = [{call: "submit", number: 1, kind: "crash"}]'
measure
expect 'a device whose methods all crash loses its row' test "$(rows_of fake:1)" = 'onednn crashed'
expect 'a row that is lost is exit status 1' exits 1
expect 'a device whose methods all crash has all in its race' test "$(grep -o '"status": *"crashed", *"where' "$work/journal.jsonl" | wc -l)" -ge 1
expect 'a device whose methods all crash leaves the baseline alone' test "$(rows_of fake:0)" = 'openblas ok'
measure_of m=16,n=16,k=16 --size m=16,n=16,k=17 --size m=16,n=16,k=18 --size m=16,n=16,k=19
expect 'a device whose methods all crash is abandoned in the end' test "$(rows_of fake:1 | grep -o abandoned | wc -l)" -eq 1

# --- methods whose answers are wrong
methods "$(fault 1 onednn submit 1 wrong) | $(fault 1 openblas submit 1 stale)"
measure
expect 'two wrong favourites leave the third' test "$(rows_of fake:1); $(ended fake:1 openblas)" = 'native ok; failed wrong'
expect 'wrong methods are named with the others' prints 'openblas wrong'
methods "$(fault 0 openblas submit 1 wrong)"
measure
expect 'a wrong baseline is no row' test "$(rows_of fake:0)" = 'onednn ok'
expect 'a wrong baseline is replaced for all rows' compared_with onednn
call report "$work/journal.jsonl"
expect 'a wrong baseline is not called the baseline' test "$(grep -c '^baseline: ' "$work/out")" -eq 1

# --- methods within 2 % are a tie: the first of the table is measured, and the others are named
methods '.devices[1].methods.onednn.run = [0.002, 0.0021] | .devices[1].methods.openblas.run = [0.00199, 0.00209] |
    .devices[1].methods.native.run = [0.00201, 0.00208]'
measure
expect 'of a tie the first of the table is measured' test "$(rows_of fake:1)" = 'onednn ok'
expect 'the others of a tie are named' test "$(ended fake:1 openblas), $(ended fake:1 native)" = 'tied ok, tied ok'
methods 'def noisy($time): [range(97) | $time * (1 + 0.02 * ((. * 37 % 11) / 11 - 0.5))];
    .devices[1].methods.onednn.run = noisy(0.002) | .devices[1].methods.openblas.run = noisy(0.003) |
    .devices[1].methods.native.run = noisy(0.0012) | .devices[1].methods.native.kernel_shapes = {"8x8": {},
    "16x16": {run: noisy(0.001)}, "4x4": {faults: [{call: "submit", number: 1, kind: "crash"}]}, "2x2": {run: noisy(0.0011)}}'
measure
expect 'kernel shapes race with the methods' test "$(lines 'select(.line == "cell" and .device == "fake:1") | "\(.method) \(.kernel_shape)"')" = 'native 16x16'
expect 'a kernel shape that crashes costs itself alone' test "$(ended fake:1 native)" = 'measured ok,slower ok,failed crashed,slower ok'
expect 'a kernel shape that crashes is nothing bad' exits 0

# --- methods by name
methods
measure --method all
expect 'all methods are measured on each device' test "$(rows_of fake:0 | grep -o ok | wc -l),$(rows_of fake:1 | grep -o ok | wc -l)" = "$made,$made"
expect 'all methods: only those of the baseline race' test "$(raced_on fake:0),$(raced_on fake:1)" = "$made,0"
expect 'all methods: the strongest is the baseline' compared_with openblas
measure --method onednn,openblas
expect 'methods by name are measured' test "$(rows_of fake:0); $(rows_of fake:1)" = 'onednn ok, openblas ok; onednn ok, openblas ok'
expect 'methods by name: the strongest is the baseline' compared_with openblas
methods "$(fault 0 openblas submit 1 wrong)"
measure --method onednn,openblas
expect 'methods by name: a wrong one is not the baseline' compared_with onednn
measure --method onednn
expect 'one method by name is measured' test "$(rows_of fake:0); $(rows_of fake:1)" = 'onednn ok; onednn ok'
expect 'one method by name does not race' test "$(raced_on fake:0),$(raced_on fake:1)" = 0,0
methods
measure --method clblast
expect 'a method that a device has not is one row' test "$(rows_of fake:1)" = 'clblast unsupported'
expect 'a method that the baseline has not is one row, too' test "$(rows_of fake:0)" = 'clblast unsupported'
expect 'a method that no device of a suite has leaves nothing to measure' exits 3
rm -f "$work/journal.jsonl"
call run --device fake:1 --baseline fake:0 --workload matmul --size m=16,n=16,k=16 --method clblast \
    --journal "$work/journal.jsonl"
expect 'a baseline that nothing can be compared with is not measured' test "$(rows_of fake:0); $(rows_of fake:1)" = '; clblast unsupported'
measure --method clblast,onednn
expect 'of the named methods, those that a device has are measured, and one that no device has is a row' \
    test "$(rows_of fake:0); $(rows_of fake:1)" = 'onednn ok, clblast unsupported; onednn ok, clblast unsupported'
measure --method clblast,cublas
expect 'each method that no device has is a row' test "$(rows_of fake:1)" = 'clblast unsupported, cublas unsupported'
measure --method im2col-openblas
expect 'a method of another workload is a usage error' exits 2
expect 'a method of another workload is said to be one' says 'method im2col-openblas: a method of conv, which --workload does not name'
call "${arguments[@]}" --workload conv --method openblas --journal "$work/none.jsonl"
expect 'a workload without a method named is a usage error' exits 2
expect 'a workload without a method named is said to have none' says 'workload conv: --method names none of its methods'
call run --device fake --method im2col-openblas --size m=16,n=16,k=16 --journal "$work/none.jsonl"
expect 'without a named workload the methods select the workloads' says "conv has no such dimension"
call run --device fake --size m=64,n=64 --journal "$work/none.jsonl"
expect 'a wrong size is explained by the workload that knows most of its dimensions' says 'k=... is missing for matmul'
call run --device fake --workload matmul --size m=64 --journal "$work/none.jsonl"
expect 'all that a size lacks is named' says 'n=..., k=... are missing for matmul'
measure --method tiled
expect 'a method that no device has is a usage error' exits 2

# --- element types and methods that there are not
call run --device fake --workload multiply --dtype bf16 --journal "$work/none.jsonl"
expect 'an element type that the workload lacks is named with those it has' \
    says 'nothing to measure: multiply has no element type bf16; it has f32, f64, f16'
call run --device cpu --workload transfer --size bytes=4K,direction=peer --journal "$work/none.jsonl"
expect 'a direction between devices names what it needs' says 'nothing to measure: peer needs a device of cuda'
call run --device fake --workload transfer --size bytes=4K,direction=up --method peer --journal "$work/none.jsonl"
expect 'a method of another direction is named as one' says 'nothing to measure: peer is no method for --size bytes=4K,direction=up'
rm -f "$work/journal.jsonl"
call run --device fake --baseline fake:0 --workload multiply,matmul --dtype f32,bf16 --size n=1000 --size m=16,n=16,k=16 \
    --budget 1s --journal "$work/journal.jsonl"
expect 'a workload that lacks one of several types has a note' \
    prints_words 'note: not measured: multiply has no element type bf16; it has f32, f64, f16'
expect 'and no other has' test "$(grep -c 'note: not measured' "$work/out")" -eq 1
rm -f "$work/journal.jsonl"
call run --device fake --baseline fake:0 --workload transfer,multiply --method native --size n=1000 \
    --size bytes=4K,direction=up --budget 1s --journal "$work/journal.jsonl"
expect 'a problem that no method named is for has a note' \
    prints_words 'note: not measured: no requested method supports transfer bytes=4000,direction=up'
expect 'and is told while measuring' says 'no requested method supports transfer bytes=4000,direction=up$'
rm -f "$work/journal.jsonl"
peers=(--size "bytes=1K,direction=peer" --size "bytes=2K,direction=peer" --size "bytes=4K,direction=peer")
call run --device cpu --workload multiply,transfer --size n=1000 --size n=1e3 "${peers[@]}" "${peers[@]//K/M}" \
    --budget 0.1s --journal "$work/journal.jsonl"
expect 'problems that no device has a method for have one, and it counts them' says 'not measured: no chosen device has a method for transfer bytes=1000,direction=peer, .* bytes=1000000,direction=peer and 2 more$'

# --- methods that are 10 to 50 % slower, with noise of 1 %, leave; the best is measured
methods 'def noisy($time): [range(97) | $time * (1 + 0.03 * ((. * 37 % 11) / 11 - 0.5))];
    .devices[1].methods = {onednn: {run: noisy(0.0022)}, "onednn-gemm": {run: noisy(0.0023)}, openblas: {run: noisy(0.002)},
        native: {run: noisy(0.003)}}'
measure
for method in onednn onednn-gemm native; do
    expect "a slower method leaves the race: $method" test "$(ended fake:1 $method)" = 'slower ok'
    expect "it leaves before the others have raced for 30 rounds: $method" test "$(contender_of fake:1 $method .rounds)" -le 30
done
expect 'the best of those that differ little is measured' test "$(rows_of fake:1)" = 'openblas ok'

# --- what earlier runs remember: nothing of scripted devices, and a damaged file is ignored with one line
methods
mkdir -p "$XDG_CACHE_HOME/bench"
echo '{"format": "damaged' >"$XDG_CACHE_HOME/bench/tuning-3.json"
measure
expect 'a damaged memory of races is ignored' exits 0
expect 'a damaged memory of races is ignored with one line' test "$(grep -c 'tuning-3.json is ignored, it is damaged' "$work/err")" -eq 1
rm "$XDG_CACHE_HOME/bench/tuning-3.json"
expect 'scripted devices are not remembered' test ! -e "$XDG_CACHE_HOME/bench/tuning-3.json"

# --- a driver's last words are those of the method that failed
methods '(.devices[1].methods.onednn.faults = [{call: "submit", number: 2, kind: "abort"}]) |
    .devices[1].methods.openblas.faults = [{call: "submit", number: 1, kind: "chatter"}]'
measure
expect 'a method that crashes without a word has not those of another' \
    test "$(ended fake:1 onednn) '$(contender_of fake:1 onednn .log)'" = "failed crashed ''"
methods '.devices[1].methods.onednn.faults = [{call: "submit", number: 2, kind: "abort"},
    {call: "submit", number: 1, kind: "chatter"}]'
measure
expect 'a method that crashes has its own' test "$(contender_of fake:1 onednn .log)" = 'fake driver: a line that nobody asked for'

# --- short deadlines in the quick suite
methods '.devices[1].methods.openblas.compile = 12 | .devices[1].methods.openblas.run = [0.0001]'
for suite in quick standard; do
    measure --suite $suite
    expect "a method that compiles for long is left out of suite $suite" test "$(rows_of fake:1)" = 'onednn ok'
    expect "a method that compiles for long is named in suite $suite" \
        test "$(contender_of fake:1 openblas .reason)" = 'left out: its kernels were not compiled within 10 s'
    expect "a method that compiles for long is nothing bad in suite $suite" exits 0
done
measure --suite uhd620
expect 'the suite of the page waits for it' test "$(rows_of fake:1)" = 'openblas ok'
measure --method openblas
expect 'a method that is named is waited for' test "$(rows_of fake:1)" = 'openblas ok'
methods '.devices[1].methods.onednn.compile = 12'
measure
expect 'the first method is waited for' test "$(rows_of fake:1)" = 'onednn ok'
methods "$(fault 1 onednn prepare 1 hang)"
measure --suite quick --timeout 500ms
expect 'a method that does not answer is passed over when it should be quick' test "$(rows_of fake:1)" = 'openblas ok'
methods '.devices[1] += {compile: 7}'
measure --suite quick
expect 'where all methods take long to be ready one is measured' test "$(rows_of fake:1 | sed 's/^[a-z0-9-]* //')" = ok
# --- runs that are foreseen to be too long
methods '.devices[1].run = [0.5] | .devices[1].methods[].run = [0.5]'
measure_of m=16,n=16,k=16 --size m=64,n=64,k=64
expect 'a run that is foreseen to be too long is not tried' test "$(rows_of fake:1 | grep -o '[a-z-]*$')" = too-slow
expect 'a run that is foreseen to be too long says from what' prints_words 'too-slow: predicted 32.* s for one run, from the 500 ms of [a-z]* m=16,n=16,k=16'
expect 'a run that is foreseen to be too long is nothing bad' exits 0
expect 'a run that is foreseen to be too long leaves the baseline alone' test "$(rows_of fake:0)" = 'openblas ok, openblas ok'

methods '.devices[1].run = [0.5] | .devices[1].methods[].run = [0.5] | .devices[1].methods.onednn.run = [0.05]'
measure_of m=16,n=16,k=16 --size m=64,n=64,k=64
expect 'a method whose short runs are too short to judge is not judged by slower ones' test "$(rows_of fake:1)" = 'onednn ok, onednn ok'

script_peak() { # size...
    local size sizes=()
    for size; do sizes+=(--size "$size"); done
    rm -f "$work/journal.jsonl"
    call run --device fake:1 --baseline none --workload peak "${sizes[@]}" --budget 1s --journal "$work/journal.jsonl"
}
methods '.devices[1].methods.native.run = [0.5]'
script_peak kind=read,bytes=100000 kind=write,bytes=1200 kind=triad,bytes=1200000 kind=fma,bytes=12000,turns=16
expect 'nothing is foreseen of one kind of work by another' test "$(rows_of fake:1)" = \
    'native ok, native ok, native ok, native ok'
script_peak kind=read,bytes=100000 kind=read,bytes=3200000 kind=read,bytes=1000
expect 'what has no FLOP is foreseen by its bytes' prints_words 'too-slow: predicted 16.* s for one run, from the 500 ms of native kind=read,bytes=100000,'
expect 'what is smaller is measured all the same' test "$(rows_of fake:1)" = 'native ok, native too-slow, native ok'
expect 'no prediction is without a number' test "$(grep -c 'predicted \(-\|inf\)' "$work/out")" -eq 0

# --- a method that its own runs show to be far behind
methods '.devices[1].run = [0.01] | .devices[1].methods[].run = [0.01] | .devices[1].methods.openblas.run = [1]'
measure_of m=16,n=16,k=16 --size m=32,n=32,k=32
expect 'a method that is far slower is out after its first slices' test "$(contender_of fake:1 openblas .rounds)" = 0,0
expect 'a method that is far slower is nothing bad' exits 0

# --- runs that are much too long
methods '.devices[1].run = [60] | .devices[1].methods[].run = [60] | .devices[1].methods.onednn.run = [12]'
measure
expect 'where the fastest takes much too long it has its row' test "$(rows_of fake:1)" = 'onednn too-slow'
expect 'where the fastest takes much too long that is nothing bad' exits 0
methods '.devices[1].methods.onednn.run = [4] + [range(9999) | 0.002]'
rm -f "$work/journal.jsonl"
call "${arguments[@]/#1s/200ms}" --size m=16,n=16,k=16 --journal "$work/journal.jsonl"
expect 'a driver that compiles in the first run has another' test "$(contender_of fake:1 onednn .wall_ns)" = 2000000
expect 'a driver that compiles in the first run is no reason to pass over' test "$(ended fake:1 openblas)" = 'slower ok'

# --- methods that die each time
sizes=("m=16,n=16,k=16")
for k in 17 18 19; do sizes+=(--size "m=16,n=16,k=$k"); done
methods "$(fault 1 openblas submit 1 crash)"
measure_of "${sizes[@]}"
expect 'a loser that dies each time is given up' test "$(contender_of fake:1 openblas .status)" = crashed,crashed,crashed,abandoned
expect 'a loser that dies each time does its device no harm' test "$(rows_of fake:1 | grep -o 'onednn ok' | wc -l)" -eq 4
methods "$(fault 1 onednn submit 2 crash)"
measure_of "${sizes[@]}"
expect 'a favourite that dies each time is given up' test "$(contender_of fake:1 onednn .status)" = crashed,crashed,crashed,abandoned
expect 'a favourite that dies each time does its device no harm' test "$(rows_of fake:1 | grep -o 'openblas ok' | wc -l)" -eq 4

# --- a baseline whose runs are long
methods '.devices[0].run = [0.5] | .devices[0].methods[].run = [0.5] | .devices[1].methods[].run = [0.002]'
measure
slices_of() { lines "select(.line == \"slice\" and (.cell | endswith(\"fake/0\")) and .series == \"$1\") | .number" | wc -l; }
for series in resident copied; do
    expect "a slow baseline is measured for six rounds and no more than it may cost: $series" test "$(slices_of $series)" -le 9
done

# --- the user interrupts
hangs() { test "$(workers | wc -l)" -ge "$made"; } # all methods of the CPU are open
methods "$(fault 0 openblas submit 2 hang)"
interrupted_at() { # size...: the first one hangs until the interrupt
    local size sizes=()
    for size; do sizes+=(--size "m=16,n=16,k=$size"); done
    rm -f "$work/journal.jsonl"
    "$bench" "${arguments[@]}" "${sizes[@]}" --journal "$work/journal.jsonl" >"$work/out" 2>"$work/err" </dev/null &
    parent=$!
    wait_until hangs
    sleep 0.3
    kill -INT "$parent"
    wait "$parent"
    status=$?
}
interrupted_at 16 17 18
expect 'an interrupt while methods race is exit status 130' exits 130
expect 'an interrupt says how many rows were finished' says '^interrupted after 0 of 3 rows: '
expect 'an interrupt while methods race leaves one row a device' test "$(rows)" -eq 2
expect 'an interrupt while methods race leaves nothing but abandoned rows' test "$(lines 'select(.line == "outcome") | .status' | sort -u)" = abandoned
expect 'an interrupt leaves one line for what was not begun' \
    prints '^note: not begun: matmul f32, m = 16, n = 16, k = 17; matmul f32, m = 16, n = 16, k = 18$'
expect 'an interrupt while methods race leaves a journal with an end' ended_as interrupted
methods
"$bench" run --resume "$work/journal.jsonl" >"$work/out" 2>"$work/err" </dev/null
call report --format csv --all-columns "$work/journal.jsonl"
expect 'a resumed run has all of them race' test "$(cells_of method)" = openblas,onednn,openblas,onednn,openblas,onednn
arguments+=(--dtype 'f32,f64')
interrupted_at {16..31}
expect 'a long list of what was not begun ends with a whole name and a count' \
    grep -q '; matmul f[0-9]*, m = 16, n = 16, k = [0-9]*; and [0-9]* more"' "$work/journal.jsonl"

finish
