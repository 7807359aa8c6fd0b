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

arguments=(run --device fake --baseline fake:0 --workload matmul --budget 1s --seed 7 --no-peaks)
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
expect 'methods race: scripted devices are not remembered' test ! -e "$XDG_CACHE_HOME/bench/tuning-3.json"
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

# --- those that cannot take part, or fail
methods '.devices[1].faults = [{call: "prepare", number: 1, kind: "unsupported"}]'
measure
expect 'a device without any method is one row' test "$(rows_of fake:1 | sed 's/^[a-z0-9-]* //')" = unsupported
expect 'a device without any method is nothing bad' exits 0
methods "$(fault 1 onednn submit 3 hang)"
measure --timeout 200ms
expect 'a favourite that hangs gives way' test "$(rows_of fake:1); $(ended fake:1 onednn)" = 'openblas ok; failed timeout'
expect 'a favourite that hangs costs itself alone' exits 0
methods "$(fault 1 onednn prepare 1 hang)"
measure --timeout 500ms
expect 'the deadline to open a method is four times as long' test "$(contender_of fake:1 onednn .reason)" = 'no reply within 2.00 s during the preparation of the method (--timeout gives more)'
methods "$(fault 1 onednn submit 1 wrong) | $(fault 1 openblas submit 1 stale)"
measure
expect 'two wrong favourites leave the third' test "$(rows_of fake:1); $(ended fake:1 openblas)" = 'native ok; failed wrong'
expect 'wrong methods are named with the others' prints 'openblas wrong'
methods "$(fault 0 openblas submit 1 wrong)"
measure
expect 'a wrong baseline is replaced for all rows' compared_with onednn
call report "$work/journal.jsonl"
expect 'a wrong baseline is not called the baseline' test "$(grep -c '^baseline: ' "$work/out")" -eq 1

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
expect 'a method that no device has leaves nothing to measure' eval \
    "exits 2 && says 'nothing to measure: no requested method supports matmul m=16,n=16,k=16'"
measure --method clblast,onednn
expect 'of the named methods, those that a device has are measured' test "$(rows_of fake:0); $(rows_of fake:1)" = 'onednn ok; onednn ok'
expect 'and one that no device has is said' says 'not measured: clblast: no chosen device has this method'
measure --method onednn-winograd
expect 'a method of another workload is a usage error' exits 2
expect 'and leaves nothing to measure' says 'nothing to measure: no requested method supports matmul m=16,n=16,k=16'
call run --device fake --method onednn-winograd --size m=16,n=16,k=16 --journal "$work/none.jsonl"
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
expect 'a direction between devices names what it needs' says 'nothing to measure: no chosen device has a method for transfer bytes=4000,direction=peer'
call run --device fake --workload transfer --size bytes=4K,direction=up --method peer --journal "$work/none.jsonl"
expect 'a method of another direction is named as one' says 'nothing to measure: no requested method supports transfer bytes=4000,direction=up'
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

# --- runs that are foreseen to be too long
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
expect 'an interrupt says how many problems were finished' says '^interrupted after 0 of 3 problems: '
expect 'an interrupt while methods race leaves one row a device' test "$(rows)" -eq 2
expect 'an interrupt while methods race leaves nothing but abandoned rows' test "$(lines 'select(.line == "outcome") | .status' | sort -u)" = abandoned
expect 'an interrupt leaves one line for what was not begun' \
    prints '^note: not begun: matmul 16x16x17, matmul 16x16x18$'
expect 'an interrupt while methods race leaves a journal with an end' ended_as interrupted
methods
"$bench" run --resume "$work/journal.jsonl" >"$work/out" 2>"$work/err" </dev/null
call report --format csv --all-columns "$work/journal.jsonl"
expect 'a resumed run has all of them race' test "$(cells_of method)" = openblas,onednn,openblas,onednn,openblas,onednn
arguments+=(--dtype 'f32,f64,f16,bf16')
interrupted_at {16..31}
expect 'a long list of what was not begun ends with a whole name and a count' \
    grep -q ', matmul \([a-z0-9]* \)\?16x16x[0-9]* and [0-9]* more"' "$work/journal.jsonl"

finish
