#!/usr/bin/env bash
# What hardware can do by its own facts, and what is refused because it cannot: on scripted devices. Prints TAP.
# Usage: theory.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck disable=SC2119 # fake_run needs no option
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

# The usual pair, the GPU with other members.
script() { # jq object
    jq ".devices[1] += $1" "$tests/program/fake/pair.json" >"$work/script.json"
    export BENCH_FAKE=$work/script.json
}
reason_of() { # device id
    jq -r --arg id "$1" 'select(.line == "cell" and .device == $id) | .key' "$work/journal.jsonl" |
        while read -r key; do
            jq -r --arg key "$key" 'select(.line == "outcome" and .cell == $key) | .reason' "$work/journal.jsonl"
        done
}

# --- as listed
script '{architecture: "intel gen9", units: 24, clock: 1e9, clock_origin: "reported maximum", max_clock: 1.1e9,
    max_clock_origin: "gt_RP0_freq_mhz", max_clock_is_limit: true}'
call devices --device fake
expect 'a peak is listed with its formula and its clock' \
    prints '  peak  *f32 422 GFLOP/s: 24 EU x 16 FLOP x 1.10 GHz (maximum)$'
expect 'so is that of double precision' prints '^  *f64 106 GFLOP/s: 24 EU x 4 FLOP x 1.10 GHz (maximum)$'
expect 'the highest clock is listed with its origin' prints 'highest known 1.10 GHz (gt_RP0_freq_mhz)'
expect 'a device of which nothing is known says why, once' \
    test "$(grep -c 'peak  *unknown: its architecture is not known' "$work/out")" -eq 1
jq '.devices[0] += {architecture: "intel 6-142", units: 4, isa: "avx2", clock: 2.7e9, clock_origin: "measured",
    hypervisor: "KVM"}' "$tests/program/fake/pair.json" >"$work/script.json"
call devices --device fake:0
expect 'the peak of a processor is that of its measured clock, and a guest is not believed' \
    prints_words 'f32 346 GFLOP/s: 4 cores x 2 units x 8 lanes x 2 (FMA) x 2.70 GHz (measured); unconfirmed: a guest of KVM'

# --- as reported
script '{architecture: "intel gen9", units: 24, clock: 1e9, clock_origin: "reported maximum"}'
fake_run
expect 'a report says what the device could do in theory' \
    prints_words '; in theory 384 GFLOP/s in f32: 24 EU x 16 FLOP x 1.00 GHz (reported maximum)'
call report --format json "$work/journal.jsonl"
expect 'JSON has it as a number, and no limit where the clock is none' test "$(
    jq -r '.runs[].devices[] | select(.id == "fake:1").theory.f32 | "\(.flop_per_s) \(.limit_flop_per_s)"' "$work/out"
)" = '384000000000 null'
expect 'JSON says why there is none' test "$(
    jq -r '.runs[].devices[] | select(.id == "fake:0").theory.f32 | "\(.flop_per_s): \(.why)"' "$work/out"
)" = 'null: its architecture is not known'

# --- more than it can: a thousand multiplications in 2 ms, where 160,000 a second are the most
slow='architecture: "intel gen9", units: 1, max_clock: 1e4'
script "{$slow, max_clock_is_limit: true}"
fake_run
expect 'more than the hardware can is impossible' test "$(outcome_of fake:1)" = impossible
expect 'what is impossible has both numbers in the journal' \
    grep -q 'FLOP/s, but 1 EU x 16 FLOP x .* GHz (maximum) make at most 160 kFLOP/s' <<<"$(reason_of fake:1)"
expect 'what is impossible is exit status 1' exits 1
expect 'what is impossible leaves the others alone' test "$(outcome_of fake:0)" = ok
expect 'what is impossible has its reason in the table' prints_words 'make at most'
call report --format csv --all-columns "$work/journal.jsonl"
expect 'what is impossible has no speed-up' test "$(cells_of speedup_resident_ratio)" = '-,-'
script "{$slow}"
fake_run
expect 'a clock that may be exceeded refuses nothing' test "$(outcome_of fake:1)" = ok
script '{architecture: "intel gen9", units: 1, max_clock: 1e6, max_clock_is_limit: true}'
fake_run
expect 'what the hardware can is no matter' test "$(outcome_of fake:1)" = ok

finish
